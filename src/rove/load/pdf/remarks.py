"""What was put on a PDF's page after it was printed: links, values in form fields, remarks."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import cast

import pypdfium2
import pypdfium2.raw as pdfium

from rove.load.layout.printed import Area, Remark, Word
from rove.load.pdf.page import Handle, PageFrame
from rove.load.text import clean

MAX_ANNOTATIONS = 2_000
MAX_LINKS = 500
MAX_BYTES = 1 << 17  # of one value or remark
URL = re.compile(r"(?:https?|ftp|mailto|tel):\S+", re.IGNORECASE)
REMARKS = {
    pdfium.FPDF_ANNOT_TEXT, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_HIGHLIGHT, pdfium.FPDF_ANNOT_UNDERLINE,
    pdfium.FPDF_ANNOT_SQUIGGLY, pdfium.FPDF_ANNOT_STRIKEOUT, pdfium.FPDF_ANNOT_STAMP, pdfium.FPDF_ANNOT_CARET,
    pdfium.FPDF_ANNOT_SQUARE, pdfium.FPDF_ANNOT_CIRCLE, pdfium.FPDF_ANNOT_LINE, pdfium.FPDF_ANNOT_INK,
}  # fmt: skip
TICKED = {pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON}
FILLED = {pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX}
LINE_HEIGHT = 12.0  # points: a value is read as one line at the top of its field, or in the middle of a low one


@dataclass(frozen=True, slots=True)
class PageNotes:
    """The links of a page as words without text, the fields' values as words in their places, and the remarks."""

    links: tuple[Word, ...]
    values: tuple[Word, ...]
    remarks: tuple[Remark, ...]


def read_notes(page: pypdfium2.PdfPage, pdf: pypdfium2.PdfDocument, frame: PageFrame) -> PageNotes:
    """Return what annotations say. PDFium knows the fields only where `pdf.init_forms()` was called."""
    links: list[Word] = []
    values: list[Word] = []
    remarks: list[Remark] = []
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), MAX_ANNOTATIONS)):
        with _annotation(page, index) as note:
            kind = pdfium.FPDFAnnot_GetSubtype(note)
            if kind == pdfium.FPDF_ANNOT_LINK and len(links) < MAX_LINKS:
                links += _link_annotation_words(note, pdf, frame)
            elif kind == pdfium.FPDF_ANNOT_WIDGET and pdf.formenv:
                values += _form_field_words(note, pdf, frame)
            elif kind in REMARKS and (text := _string(note, b"Contents")):
                remarks.append(Remark(_string(note, b"T"), text))
    return PageNotes(tuple(links), tuple(values), tuple(remarks))


def with_links(words: Sequence[Word], links: Sequence[Word]) -> list[Word]:
    """Return the words, those that stand under a link with where it leads."""
    return [replace(word, url=url) if (url := _url_over(word, links)) else word for word in words]


def _url_over(word: Word, links: Sequence[Word]) -> str:
    x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return next((link.url for link in links if link.holds(x, y)), "")


@contextmanager
def _annotation(page: pypdfium2.PdfPage, index: int) -> Generator[Handle]:
    note = pdfium.FPDFPage_GetAnnot(page.raw, index)
    try:
        yield note
    finally:
        pdfium.FPDFPage_CloseAnnot(note)


def _area(note: Handle, frame: PageFrame) -> Area | None:
    rect = pdfium.FS_RECTF()
    if not pdfium.FPDFAnnot_GetRect(note, ctypes.byref(rect)):
        return None
    return frame.area(rect.left, rect.bottom, rect.right, rect.top)


def _link_annotation_words(note: Handle, pdf: pypdfium2.PdfDocument, frame: PageFrame) -> Iterator[Word]:
    action = pdfium.FPDFLink_GetAction(pdfium.FPDFAnnot_GetLink(note))
    if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
        return
    raw = cast("Handle", pdf.raw)  # pyright: ignore[reportUnknownMemberType]
    size = pdfium.FPDFAction_GetURIPath(raw, action, None, 0)
    buffer = ctypes.create_string_buffer(min(size, MAX_BYTES))
    pdfium.FPDFAction_GetURIPath(raw, action, buffer, len(buffer))
    url = clean(buffer.value.decode("utf-8", "replace")).strip()
    area = _area(note, frame)
    if area is not None and URL.fullmatch(url):
        url = url.replace("(", "%28").replace(")", "%29")
        yield Word(area.left, area.top, area.right, area.bottom, "", 0.0, url=url)


def _form_field_words(note: Handle, pdf: pypdfium2.PdfDocument, frame: PageFrame) -> Iterator[Word]:
    """Yield a field's value as one word that stands in the field; a box is [x] or [ ]."""
    form = pdf.formenv
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, note)
    text = ""
    if kind in TICKED:
        text = "[x]" if pdfium.FPDFAnnot_IsChecked(form, note) else "[ ]"
    elif kind in FILLED:
        text = _read_pdfium_string(lambda buffer, size: pdfium.FPDFAnnot_GetFormFieldValue(form, note, buffer, size))
    area = _area(note, frame)
    if area is not None and text:
        height = min(area.height, LINE_HEIGHT)
        top = area.top + (area.height - height) / 2 if area.height < 2 * LINE_HEIGHT else area.top
        yield Word(area.left, top, area.right, top + height, text if kind in TICKED else " ".join(text.split()), height)


def _string(note: Handle, key: bytes) -> str:
    return _read_pdfium_string(lambda buffer, size: pdfium.FPDFAnnot_GetStringValue(note, key, buffer, size)).strip()


def _read_pdfium_string(read: Callable[[ctypes.Array[ctypes.c_ushort] | None, int], int]) -> str:
    """Read a string of PDFium's: first its size in bytes, then its UTF-16 units."""
    size = min(read(None, 0), MAX_BYTES)
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    read(buffer, size)
    return clean(bytes(buffer)[: max(0, size - 2)].decode("utf-16-le", "replace"))

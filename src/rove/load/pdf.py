"""PDF: text page by page, with sections from the outline or from letter sizes. Scans need OCR, which is not here."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from contextlib import closing
from typing import Protocol, cast

import pypdfium2
import pypdfium2.raw as pdfium

from rove.errors import InputError
from rove.load.layout import Bookmark, Line, Lines, page_text, with_headings, without_furniture
from rove.load.markdown import first_title, markdown_sections
from rove.load.text import clean, identify, stem
from rove.records import Document, Page, Source
from rove.records.source import MetaValue

SOFT_HYPHEN = re.compile("(\\w)[\ufffe\x02\u00ad](?=(\\w))")  # PDFium's mark where a line ended in a hyphen
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
NOT_SAID = re.compile(r"\(?(?:untitled|anonymous|unspecified|unknown)\)?", re.IGNORECASE)
JUNK_TITLE = re.compile(r"\s*|(?:microsoft word|powerpoint presentation)\b.*|.*\.\w{2,4}", re.I)
PAGE_BREAK = "\n\n"


class _Target(Protocol):
    """Where a bookmark points; typed here because the library is not."""

    def get_index(self) -> int | None: ...


class _Entry(Protocol):
    """One bookmark."""

    level: int

    def get_title(self) -> str: ...

    def get_dest(self) -> _Target | None: ...


class PdfLoader:
    """See `Loader`. Every handle of the PDF library is closed before the document is handed on."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        with closing(_open(source)) as pdf:
            raw_pages = [_lines(pdf, number, source) for number in range(len(pdf))]
            outline = _outline(pdf)
            facts = {k: clean(v).strip() for k, v in pdf.get_metadata_dict(skip_empty=True).items()}
        facts = {key: value for key, value in facts.items() if value and not NOT_SAID.fullmatch(value)}
        if not any(raw_pages):
            message = (
                f"{source.name!r} has {len(raw_pages)} pages and no text on any: it is a scan or holds pictures only."
            )
            raise InputError(message, cure="Run OCR on it (for example ocrmypdf) and add the result.", outcome="empty")
        text, pages = _joined([page_text(lines) for lines in with_headings(without_furniture(raw_pages), outline)])
        sections = markdown_sections(text, setext=False)
        named = facts.get("Title", "")
        yield Document(
            document_id=identify(source),
            source=source.uri,
            kind="pdf",
            text=text,
            title=("" if JUNK_TITLE.fullmatch(named) else named) or first_title(sections) or stem(source),
            metadata=_fields(facts, len(pages)),
            sections=sections,
            pages=pages,
        )


def _open(source: Source) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(source.data)
    except pypdfium2.PdfiumError as error:
        code = cast("int | None", error.err_code)  # pyright: ignore[reportUnknownMemberType]
        if code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            message = f"{source.name!r} is encrypted and asks for a password."
            cure = "Save a copy without a password and add that."
            raise InputError(message, cure=cure, outcome="encrypted") from error
        raise _damaged(source, "the file") from error


def _damaged(source: Source, what: str) -> InputError:
    message = f"{source.name!r} is no whole PDF: {what} cannot be read."
    return InputError(message, cure="Get the file again, or print it to a new PDF.", outcome="damaged")


def _lines(pdf: pypdfium2.PdfDocument, number: int, source: Source) -> Lines:
    try:
        with closing(pdf[number]) as page, closing(page.get_textpage()) as text_page:
            text = text_page.get_text_range(errors="replace")
            return tuple(_measured(text_page, text, page.get_height()))
    except pypdfium2.PdfiumError as error:
        raise _damaged(source, f"page {number + 1}") from error


def _measured(text_page: pypdfium2.PdfTextPage, text: str, page_height: float) -> Iterator[Line]:
    """Yield the lines of a page with their places: two characters of each are measured, its first and last."""
    start = 0
    for raw in text.split("\r\n"):
        if mended := _mended(raw):
            first, last = start + len(raw) - len(raw.lstrip()), start + len(raw.rstrip()) - 1
            a, b = _box(text_page, first), _box(text_page, last)
            yield Line(
                text=mended,
                left=a.left,
                right=max(a.right, b.right),
                top=a.bottom,
                bottom=b.bottom,
                height=min(a.top - a.bottom, b.top - b.bottom),
                place=a.bottom / page_height if page_height > 0 else 0.5,
            )
        start += len(raw) + 2


def _box(text_page: pypdfium2.PdfTextPage, index: int) -> pdfium.FS_RECTF:
    """The place of a character: its box by the font's height, so that all letters of a size are alike."""
    box = pdfium.FS_RECTF()
    char = pdfium.FPDFText_GetCharIndexFromTextIndex(text_page, index)
    pdfium.FPDFText_GetLooseCharBox(text_page, char, ctypes.byref(box))
    return box


def _mended(line: str) -> str:
    """Join words that a hyphen broke at a line's end; before a capital or digit the hyphen is the word's own."""
    line = SOFT_HYPHEN.sub(lambda m: m[1] if m[2].islower() else f"{m[1]}-", line)
    return " ".join(clean(CONTROL.sub("", line)).split())


def _outline(pdf: pypdfium2.PdfDocument) -> list[Bookmark]:
    marks: list[Bookmark] = []
    for entry in cast("Iterator[_Entry]", pdf.get_toc()):  # pyright: ignore[reportUnknownMemberType]
        target = entry.get_dest()
        page = target.get_index() if target else None
        if page is not None and (title := entry.get_title().strip()):
            marks.append(Bookmark(title, entry.level + 1, page))
    return marks


def _joined(texts: list[str]) -> tuple[str, tuple[Page, ...]]:
    """Join the pages by a blank line; a page's span holds its text only, so that an empty page has an empty span."""
    pages: list[Page] = []
    start = 0
    for number, text in enumerate(texts, 1):
        pages.append(Page(number, (start, start + len(text))))
        start += len(text) + len(PAGE_BREAK)
    return PAGE_BREAK.join(texts), tuple(pages)


def _fields(facts: dict[str, str], pages: int) -> dict[str, MetaValue]:
    fields: dict[str, MetaValue] = {"pages": pages}
    for key in ("Author", "Subject", "Keywords"):
        if key in facts:
            fields[key.lower()] = facts[key]
    return fields

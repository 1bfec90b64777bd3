"""PDF: text page by page with headings, columns, tables, links and notes; scanned pages are read by OCR."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol, cast

import pypdfium2
import pypdfium2.raw as pdfium

from rove.errors import InputError
from rove.load import LoadOptions
from rove.load.image import ocr
from rove.load.image.ocr import OcrReader
from rove.load.layout.canonical import canonical_text
from rove.load.layout.furniture import without_furniture
from rove.load.layout.headings import Bookmark, with_headings
from rove.load.layout.notes import with_notes
from rove.load.layout.order import in_reading_order
from rove.load.layout.printed import Figure, OrderedPage, PrintedPage, all_lines
from rove.load.layout.table_text import with_headers
from rove.load.limits import OutOfTime
from rove.load.markdown import first_title, markdown_sections
from rove.load.members import Member, Members
from rove.load.pdf.marks import read_marks
from rove.load.pdf.page import measured_words
from rove.load.pdf.page_labels import page_labels
from rove.load.pdf.remarks import read_notes, with_links
from rove.load.pdf.scan import is_scan, read_scan
from rove.load.text import clean, identify, stem
from rove.load.transcripts import Transcripts
from rove.records import Document, Source
from rove.records.source import MetaValue

NOT_SAID = re.compile(r"\(?(?:untitled|anonymous|unspecified|unknown)\)?", re.IGNORECASE)
JUNK_TITLE = re.compile(r"\s*|(?:microsoft word|powerpoint presentation)\b.*|.*\.\w{2,4}", re.I)
BROTLI = b"/BrotliDecode"  # a filter that came to PDF in 2025, by how it stands in the file
LABELS = "page_labels"
"""The field that says what pages are called where that is not their place in the file: "1:i,5:1"."""
MAX_BOOKMARKS = 5_000
MAX_NAMED = 10
MAX_ATTACHED = 1_000
MAX_ATTACHED_BYTES = 64 << 20


DEFAULT = LoadOptions()


class _Target(Protocol):
    """Where a bookmark points; typed here because the library is not."""

    def get_index(self) -> int | None: ...


class _Bookmark(Protocol):
    """One bookmark."""

    level: int

    def get_title(self) -> str: ...

    def get_dest(self) -> _Target | None: ...


@dataclass(slots=True)
class LoadedPages:
    """What was read so far, and the pages of which less was read than they hold."""

    reader: OcrReader | None = None
    transcripts: Transcripts = field(default_factory=Transcripts)
    sheets: list[OrderedPage] = field(default_factory=list[OrderedPage])
    scans: list[int] = field(default_factory=list[int])
    doubtful: list[int] = field(default_factory=list[int])
    damaged: list[int] = field(default_factory=list[int])
    stopped: int = 0


class PdfLoader:
    """See `Loader`. Every handle of the PDF library is closed before the document is handed on."""

    def __init__(self, options: LoadOptions = DEFAULT) -> None:
        self.options = options

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`. Attached files are documents of their own."""
        with closing(open_pdf(source)) as pdf:
            count = len(pdf)
            reading = read_pages(pdf, count, self.options)
            outline = outline_of(pdf)
            facts = {k: clean(v).strip() for k, v in pdf.get_metadata_dict(skip_empty=True).items()}
            attached = _read_pdf_attachments(pdf)
            labels = page_labels(pdf, reading.sheets)
        packed = BROTLI in source.data
        facts = {key: value for key, value in facts.items() if value and not NOT_SAID.fullmatch(value)}
        if not any(all_lines(reading.sheets)) and not any(sheet.remarks for sheet in reading.sheets):
            raise _brotli(source) if packed else _empty_pdf_error(source, count, reading, self.options.ocr)
        yield _build_pdf_document(source, reading.sheets, outline, facts | {LABELS: labels}, count)
        missing = _missing_pdf_parts(count, reading) + ["what Brotli compresses in it was not read"] * packed
        if attached:
            try:
                yield from Members(source, self.options, found=1).documents(iter(attached))
            except InputError as error:
                missing.append(error.reason.rstrip("."))
        if missing:
            message = f"{source.name!r} was read in part: {'; '.join(missing)}."
            cure = _cure(reading, self.options.ocr)
            raise InputError(message, cure=cure, outcome="partial")


def _build_pdf_document(
    source: Source, sheets: list[OrderedPage], outline: list[Bookmark], facts: dict[str, str], count: int
) -> Document:
    sheets = with_headers(with_headings(with_notes(without_furniture(sheets)), outline))
    made = canonical_text(sheets)
    sections = markdown_sections(made.text, setext=False)
    named = facts.get("Title", "")
    return Document(
        document_id=identify(source),
        source=source.uri,
        kind="pdf",
        text=made.text,
        title=("" if JUNK_TITLE.fullmatch(named) else named) or first_title(sections) or stem(source),
        metadata=_pdf_metadata_fields(facts, count),
        sections=sections,
        pages=made.pages,
        blocks=made.blocks,
        boxes=made.boxes,
    )


def open_pdf(source: Source) -> pypdfium2.PdfDocument:
    """Open a PDF, its form fields too.

    Raises:
        InputError: "encrypted", "unsupported" or "damaged".
    """
    try:
        pdf = pypdfium2.PdfDocument(source.data)
        pdf.init_forms()  # pyright: ignore[reportUnknownMemberType]
    except pypdfium2.PdfiumError as error:
        code = cast("int | None", error.err_code)  # pyright: ignore[reportUnknownMemberType]
        if code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            message = f"{source.name!r} is encrypted and asks for a password."
            cure = "Save a copy without a password and add that."
            raise InputError(message, cure=cure, outcome="encrypted") from error
        raise (_brotli(source) if BROTLI in source.data else _pdf_damage_error(source, "the file")) from error
    if not len(pdf):
        pdf.close()
        raise _pdf_damage_error(source, "any page")
    return pdf


def _brotli(source: Source) -> InputError:
    message = f"{source.name!r} is a PDF compressed by Brotli, which is not read."
    return InputError(message, cure="Open it in its own program and print it to a new PDF.", outcome="unsupported")


def _pdf_damage_error(source: Source, what: str) -> InputError:
    message = f"{source.name!r} is not a complete PDF: {what} cannot be read."
    return InputError(message, cure="Get the file again, or print it to a new PDF.", outcome="damaged")


def read_pages(pdf: pypdfium2.PdfDocument, count: int, options: LoadOptions = DEFAULT) -> LoadedPages:
    """Read page by page; a damaged one is left empty, and where the time is up the pages so far are what there is."""
    reading = LoadedPages(ocr.reader_of(options.ocr), options.transcripts or Transcripts())
    try:
        for index in range(count):
            try:
                with closing(pdf[index]) as page:
                    reading.sheets.append(_read_pdf_page(pdf, page, index + 1, reading))
            except pypdfium2.PdfiumError:
                reading.damaged.append(index + 1)
                reading.sheets.append(OrderedPage(index + 1, 1.0, 1.0))
    except OutOfTime:
        reading.stopped = len(reading.sheets) + 1
    return reading


def _read_pdf_page(
    pdf: pypdfium2.PdfDocument, page: pypdfium2.PdfPage, number: int, reading: LoadedPages
) -> OrderedPage:
    text = measured_words(page)
    marks = read_marks(page, text.frame)
    notes = read_notes(page, pdf, text.frame)
    whole = text.frame.upright
    if is_scan(text, marks, whole):
        scan = _scan(page, number, len(pdf), reading)
        if scan is not None:
            return scan
        reading.scans.append(number)
    if not text.readable:
        return OrderedPage(number, whole.width, whole.height)
    words = with_links(text.words, notes.links) if notes.links else text.words
    figures = tuple(
        Figure(a.left, a.top, a.right, a.bottom, f"page-{number}-figure-{n}") for n, a in enumerate(marks.pictures, 1)
    )
    return in_reading_order(
        PrintedPage(
            number,
            whole.width,
            whole.height,
            (*words, *notes.values),
            marks.rules,
            figures,
            notes.remarks,
            text.aside,
            (text.frame.turns - text.frame.shown) % 4,
        )
    )


def _scan(page: pypdfium2.PdfPage, number: int, of: int, reading: LoadedPages) -> OrderedPage | None:
    """Read a page by OCR; None where none is there, the time for it is over, or it failed."""
    reader, transcripts = reading.reader, reading.transcripts
    scan = read_scan(page, number, of, reader, transcripts) if reader and not transcripts.is_over else None
    if scan is None:
        return None
    if scan.doubtful:
        reading.doubtful.append(number)
    return in_reading_order(scan.page)


def _empty_pdf_error(source: Source, count: int, reading: LoadedPages, choice: str) -> InputError:
    if len(reading.damaged) == count:
        return _pdf_damage_error(source, "any page")
    message = f"{source.name!r} has {count} pages and no text on any: it is a scan or holds pictures only."
    if reading.doubtful:
        message = f"{source.name!r} has {count} pages and no text: {'; '.join(_missing_pdf_parts(count, reading))}."
    cure = f"{ocr.HELP}." if reading.doubtful else "Run OCR on it (for example ocrmypdf) and add the result."
    if reading.scans and reading.reader is None:
        message = f"{message[:-1]}, and {ocr.lacking(choice)} to read it."
        cure = ocr.install_ocr(choice)
    return InputError(message, cure=cure, outcome="empty")


def _cure(reading: LoadedPages, choice: str) -> str:
    """Say what helps a file of which a part is missing."""
    if reading.scans and reading.reader is None:
        return ocr.install_ocr(choice)
    if reading.doubtful:
        return f"{ocr.HELP}; then add it again."
    return "Run OCR on scans, split a long file, add attached files by themselves."


def _missing_pdf_parts(count: int, reading: LoadedPages) -> list[str]:
    missing: list[str] = []
    if reading.scans:
        missing.append(f"{_format_page_list(reading.scans)} are scanned and were not read")
    missing += ocr.doubts(reading.doubtful, _format_page_list)
    if reading.damaged:
        missing.append(f"{_format_page_list(reading.damaged)} are damaged")
    if reading.stopped:
        missing.append(f"its time was up at page {reading.stopped} of {count}")
    return missing


def _format_page_list(numbers: list[int]) -> str:
    named = ", ".join(map(str, numbers[:MAX_NAMED]))
    return f"{len(numbers)} pages ({named}{', …' if len(numbers) > MAX_NAMED else ''})"


def outline_of(pdf: pypdfium2.PdfDocument) -> list[Bookmark]:
    """Return the entries of the document's own outline that lead to a page."""
    marks: list[Bookmark] = []
    for entry in cast("Iterator[_Bookmark]", pdf.get_toc()):  # pyright: ignore[reportUnknownMemberType]
        target = entry.get_dest()
        page = target.get_index() if target else None
        if page is not None and (title := entry.get_title().strip()):
            marks.append(Bookmark(title, entry.level + 1, page))
        if len(marks) == MAX_BOOKMARKS:
            break
    return marks


def _read_pdf_attachments(pdf: pypdfium2.PdfDocument) -> list[Member]:
    members: list[Member] = []
    room = MAX_ATTACHED_BYTES
    for index in range(min(pdf.count_attachments(), MAX_ATTACHED)):
        attachment = pdf.get_attachment(index)  # pyright: ignore[reportUnknownMemberType]
        name = clean(attachment.get_name()) or f"attachment-{index + 1}"
        size = ctypes.c_ulong()
        pdfium.FPDFAttachment_GetFile(attachment, None, 0, size)
        if size.value > room:
            members.append(Member(name, problem=f"it has {size.value} bytes, too many", outcome="too-large"))
            continue
        try:
            data = bytes(cast("bytes", attachment.get_data()))
        except pypdfium2.PdfiumError:
            members.append(Member(name, problem="it is not there", outcome="damaged"))
            continue
        room -= len(data)
        members.append(Member(name, data))
    return members


def _pdf_metadata_fields(facts: dict[str, str], pages: int) -> dict[str, MetaValue]:
    fields: dict[str, MetaValue] = {"pages": pages}
    for key in ("Author", "Subject", "Keywords"):
        if key in facts:
            fields[key.lower()] = facts[key]
    if facts.get(LABELS):
        fields[LABELS] = facts[LABELS]
    return fields

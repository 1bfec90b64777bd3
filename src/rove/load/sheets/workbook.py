"""Workbooks as canonical text: a section for each sheet, its tables apart, captions and comments with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rove.errors import InputError
from rove.load.limits import OutOfTime
from rove.load.markdown import markdown_sections, prose
from rove.load.pipe_table import MAX_COLUMNS, pipe_table
from rove.load.sheets.sheet import MAX_CELLS, CellBudget, Sheet, cell_name
from rove.load.sheets.table_areas import SheetTable, find_tables
from rove.load.text import clean, identify, require_text, stem
from rove.records import Block, Document, Source
from rove.records.source import MetaValue


def workbook_document(
    source: Source,
    sheets: Iterator[Sheet],
    budget: CellBudget,
    broken: tuple[type[Exception], ...],
    *,
    title: str = "",
    facts: Mapping[str, MetaValue],
) -> Iterator[Document]:
    """Yield the one document of a workbook.

    `sheets` yields each sheet before it is filled and fills it when the next is asked for, so that what was read
    before the time was up, or before an error of one of the types `broken`, is kept.

    Raises:
        InputError: "empty", or "partial" after the document.
        Exception: an error of `broken`, where nothing was read before it.
    """
    found: list[Sheet] = []
    missing = ""
    try:
        for sheet in sheets:
            found.append(sheet)  # noqa: PERF402 - what was found before the time was up is kept
    except OutOfTime:
        missing = f"there was no time to read more than {len(found)} of its sheets, the last in part"
    except broken as error:
        if not any(sheet.rows for sheet in found):
            raise
        missing = f"from somewhere in sheet {found[-1].name!r} on it is damaged ({str(error).rstrip('.')})"
    writer = _SheetWriter()
    for sheet in found:
        writer.write(sheet)
    text = require_text(clean("".join(writer.out)).rstrip() + "\n" if writer.filled else "", source)
    hidden = tuple(clean(sheet.name) for sheet in found if sheet.hidden)
    yield Document(
        document_id=identify(source),
        source=source.uri,
        kind=source.kind,
        text=text,
        title=clean(title).strip() or stem(source),
        metadata={**facts, **({"hidden_sheets": hidden} if hidden else {})},
        sections=markdown_sections(text, setext=False),
        blocks=tuple(writer.blocks),
    )
    if budget.left < 0:
        missing = f"it has more than {MAX_CELLS} cells, and only those are read"
    elif not missing and writer.too_wide:
        missing = f"a table of the sheet {writer.too_wide!r} goes on beyond its first {MAX_COLUMNS} columns"
    if missing:
        message = f"{source.name!r} was read in part: {missing}."
        raise InputError(message, cure="Split the workbook into several files.", outcome="partial")


class _SheetWriter:
    """Writes sheets one after the other, and notes where the tables stand."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.length = 0
        self.blocks: list[Block] = []
        self.filled = False
        self.too_wide = ""

    def write(self, sheet: Sheet) -> None:
        self.add("# " + (" ".join(clean(sheet.name).split()) or "Sheet"))
        self.margin(sheet.above)
        caption = ""
        for table in find_tables(sheet.rows, sheet.spans):
            caption = self.table(table, caption)
            if table.cut:
                self.too_wide = sheet.name
        self.margin(sheet.below)
        for comment in sheet.comments:
            cell = " ".join(sheet.rows.get(comment.row, {}).get(comment.column, "").split())
            place = cell_name(comment.row, comment.column) + (f" “{cell}”" if cell else "")
            by = f" ({comment.author})" if comment.author else ""
            self.add(f"> Comment{by}: {place}: {' '.join(comment.text.split())}")
            self.filled = True
        sheet.rows, sheet.comments = {}, []  # it may be large, and is written

    def margin(self, texts: list[str]) -> None:
        """Write what stands outside of the cells, each text once."""
        for text in dict.fromkeys([line for text in texts if (line := _cell_paragraph(text))]):
            self.add(text)
            self.filled = True

    def table(self, table: SheetTable, caption: str) -> str:
        """Write one table with its titles; return what may be the caption of the next."""
        self.filled = True
        headed = table.headed
        for line in headed.titles:
            self.add(caption := _cell_paragraph(line))
        rows = table.rows[headed.start :]
        if len(table.rows[0]) == 1 or (len(rows) == 1 and not headed.header and sum(map(bool, rows[0])) == 1):
            for line in (cell for row in table.rows[len(headed.titles) :] for cell in row if cell):
                self.add(caption := _cell_paragraph(line))
            return caption
        text = clean(pipe_table([headed.header or [""] * len(table.rows[0]), *rows]))
        start = self.add(text)
        self.blocks.append(Block("table", (start, start + len(text)), caption))
        return ""

    def add(self, text: str) -> int:
        """Add a paragraph; return where it begins."""
        start = self.length
        self.out += (text, "\n\n")
        self.length += len(text) + 2
        return start


def _cell_paragraph(text: str) -> str:
    """A cell as a paragraph, which must not look like a heading or a fence."""
    return prose(" ".join(clean(text).split()))

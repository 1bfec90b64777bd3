"""Pages in reading order written down as canonical text, with the span of every page, block and printed line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rove.load.layout.paragraphs import SOFT_HYPHEN, blocks_of, mended, separator, usual_pitch
from rove.load.layout.printed import Area, Figure, Item, OrderedPage, PrintedLine, PrintedTable, around, linked_text
from rove.load.layout.table_text import CAPTION, cell_text, table_text
from rove.load.markdown import prose
from rove.records import Block, Box, Page

BREAK = "\n\n"
BULLET = re.compile(r"[•◦▪‣●○■□➢✓·](?=\s)")
BRACKETS = str.maketrans("[]", "()")
UNSPACED = str.maketrans(" ()", "___")
MAX_CAPTION_CHARS = 400
MIN_LISTING = 2


@dataclass(frozen=True, slots=True)
class WrittenPages:
    """A document's text and the map of it."""

    text: str
    pages: tuple[Page, ...]
    blocks: tuple[Block, ...]
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class _Pen:
    """Text as it grows, piece by piece, with what is known of its pieces."""

    parts: list[str] = field(default_factory=list[str])
    ends: list[int] = field(default_factory=lambda: [0])
    blocks: list[Block] = field(default_factory=list[Block])
    boxes: list[Box] = field(default_factory=list[Box])

    @property
    def at(self) -> int:
        return self.ends[-1]

    def write(self, text: str) -> int:
        """Write, and return where it began."""
        start = self.at
        self.parts.append(text)
        self.ends.append(start + len(text))
        return start

    def place(self, start: int, end: int, area: Area, sheet: OrderedPage) -> None:
        """Say where on the page the text from `start` to `end` is printed."""
        if area.right > area.left and end > start:
            shown = sheet.shares(area)
            edges = (round(edge, 4) for edge in (shown.left, shown.top, shown.right, shown.bottom))
            self.boxes.append(Box((start, end), sheet.number, *edges))


def canonical_text(sheets: Sequence[OrderedPage]) -> WrittenPages:
    """Write the pages down, a blank line between; a page's span holds its text only, so an empty page's is empty."""
    pen = _Pen()
    pages: list[Page] = []
    chars = sum(len(item.text) for sheet in sheets for item in sheet.items if isinstance(item, PrintedLine))
    mono = sum(
        len(item.text) for sheet in sheets for item in sheet.items if isinstance(item, PrintedLine) and item.mono
    )
    for number, sheet in enumerate(sheets):
        if number:
            pen.write(BREAK)
        start = pen.at
        _write_page_blocks(pen, sheet, listings=2 * mono < chars)
        pages.append(Page(sheet.number, (start, pen.at)))
    return WrittenPages("".join(pen.parts), tuple(pages), tuple(pen.blocks), tuple(pen.boxes))


def _write_page_blocks(pen: _Pen, sheet: OrderedPage, *, listings: bool) -> None:
    blocks = list(blocks_of(sheet.items))
    start = pen.at
    for index, block in enumerate(blocks):
        if pen.at > start:
            pen.write(BREAK)
        first = block[0]
        lines = [item for item in block if isinstance(item, PrintedLine)]
        if isinstance(first, PrintedTable):
            _write_table_block(pen, first, sheet, _adjacent_caption(blocks, index, after_first=False))
        elif isinstance(first, Figure):
            _figure(pen, first, sheet, _adjacent_caption(blocks, index, after_first=True))
        elif listings and len(lines) >= MIN_LISTING and all(line.mono for line in lines):
            _listing(pen, lines, sheet)
        else:
            _write_paragraph_block(pen, lines, sheet)
    for remark in sheet.remarks:
        name = f" ({remark.author})" if remark.author else ""
        pen.write(f"{BREAK if pen.at > start else ''}> Comment{name}: {' '.join(remark.text.split())}")


def _adjacent_caption(blocks: Sequence[Sequence[Item]], index: int, *, after_first: bool) -> str:
    """The paragraph before or after a table or figure, if it says that it is a caption."""
    for near in (index + 1, index - 1) if after_first else (index - 1, index + 1):
        lines = [item for item in blocks[near] if isinstance(item, PrintedLine)] if 0 <= near < len(blocks) else []
        if lines and CAPTION.match(lines[0].text):
            text = " ".join(_strip_soft_hyphens(line) for line in lines)
            return text if len(text) <= MAX_CAPTION_CHARS else ""
    return ""


def _strip_soft_hyphens(line: PrintedLine) -> str:
    return line.text.replace(SOFT_HYPHEN, "")


def _write_table_block(pen: _Pen, table: PrintedTable, sheet: OrderedPage, caption: str) -> None:
    text = table_text(table)
    start = pen.write(text)
    pen.blocks.append(Block("table", (start, pen.at), caption))
    found = 0
    for cell in (cell for row in table.rows for cell in row if cell.lines):
        inside = " ".join(cell_text(cell).split()).replace("|", "\\|")
        if inside:
            found = text.index(f"| {inside} |", found) + 2
            pen.place(start + found, start + found + len(inside), around(cell.lines), sheet)
            found += len(inside)


def _figure(pen: _Pen, figure: Figure, sheet: OrderedPage, caption: str) -> None:
    shows = (figure.says or caption).translate(BRACKETS)
    start = pen.write(f"![{shows}]({figure.name.translate(UNSPACED)})")
    pen.blocks.append(Block("image", (start, pen.at), caption))
    pen.place(start, pen.at, figure, sheet)


def _listing(pen: _Pen, lines: Sequence[PrintedLine], sheet: OrderedPage) -> None:
    """Write program text between fences, its indentation by where its lines begin."""
    left = min(line.left for line in lines)
    letters = sum(len(word.text) for line in lines for word in line.words)
    advance = sum(word.width for line in lines for word in line.words) / max(1, letters)
    pitch = usual_pitch(lines)
    start = pen.write("```\n")
    for before, line in pairwise([lines[0], *lines]):
        pen.write("\n" if before is not line and line.bottom - before.bottom > 1.6 * pitch else "")
        pen.write(" " * round((line.left - left) / advance) if advance > 0 else "")
        at = pen.write(_strip_soft_hyphens(line))
        pen.place(at, pen.at, line, sheet)
        pen.write("\n")
    pen.write("```")
    pen.blocks.append(Block("code", (start, pen.at)))


def _write_paragraph_block(pen: _Pen, lines: Sequence[PrintedLine], sheet: OrderedPage) -> None:
    right = max(line.right for line in lines)
    if lines[0].level:
        pen.write(f"{'#' * lines[0].level} ")
    if lines[0].label:
        pen.write(f"[^{lines[0].label}]: ")
    gaps = [separator(before, line, right) for before, line in pairwise(lines)]
    for line, gap, after in zip(lines, [*gaps, ""], [*lines[1:], None], strict=True):
        fresh = not lines[0].level and (line is lines[0] or pen.parts[-1] == "\n")
        text = linked_text(line.words)
        if fresh:
            text = BULLET.sub("-", text, count=1) if BULLET.match(text) else prose(text)
        start = pen.write(mended(text, after.text if after else "").replace(SOFT_HYPHEN, ""))
        pen.place(start, pen.at, line, sheet)
        if gap:
            pen.write(gap)

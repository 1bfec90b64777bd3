"""Draw pages of real PDFs with what Rove recovered of them, into docs/pictures.

`python docs/reading_pictures.py ../shared/data/files` draws; each line is boxed by what it is, numbered as it is read.
"""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pypdfium2
from PIL import Image, ImageDraw, ImageFont

from rove.load.layout.furniture import without_furniture
from rove.load.layout.headings import with_headings
from rove.load.layout.paragraphs import blocks_of
from rove.load.layout.printed import Area, Item, PrintedLine, PrintedTable, around
from rove.load.pdf import loader as pdf
from rove.records import Source

PICTURES = Path(__file__).parent / "pictures"
SCALE = 1.6
HEADING, PARAGRAPH, TABLE, FIGURE, FURNITURE = "#c2185b", "#1565c0", "#2e7d32", "#ef6c00", "#9e9e9e"
NUMBER_SIZE = 15


@dataclass(frozen=True, slots=True)
class Shown:
    """A page to draw: the file's name, the page's number, and the picture's name."""

    file: str
    page: int
    picture: str


PAGES = (
    Shown("REPAIR-2022-INV-001_multipage.pdf", 1, "reading-tables.png"),
    Shown("multicolumn.pdf", 2, "reading-columns.png"),
    Shown("SPARSE-2024-INV-1234_borderless_table.pdf", 1, "reading-borderless.png"),
)


class Drawing:
    """A page's picture, drawn upon in points."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        self.image = page.render(scale=SCALE).to_pil().convert("RGB")
        self.pen = ImageDraw.Draw(self.image)
        self.font = ImageFont.load_default(NUMBER_SIZE)

    def frame(self, area: Area, color: str, *, width: int = 2) -> None:
        """Draw a box around an area."""
        edges = [SCALE * edge for edge in (area.left - 1, area.top - 1, area.right + 1, area.bottom + 1)]
        self.pen.rectangle(edges, outline=color, width=width)

    def strike(self, area: Area) -> None:
        """Strike out what is left out of the text."""
        self.frame(area, FURNITURE)
        middle = SCALE * (area.top + area.bottom) / 2
        self.pen.line([SCALE * area.left, middle, SCALE * area.right, middle], fill=FURNITURE, width=2)

    def number(self, area: Area, text: str, color: str) -> None:
        """Write a number at the left of an area."""
        width = self.pen.textlength(text, font=self.font) + 6
        left, top = max(0.0, SCALE * area.left - width - 3), SCALE * area.top
        self.pen.rectangle([left, top, left + width, top + NUMBER_SIZE + 4], fill=color)
        self.pen.text((left + 3, top), text, fill="white", font=self.font)

    def save(self, path: Path) -> None:
        """Save with few colours, so that the file is small."""
        self.image.quantize(64, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(path, optimize=True)


def columns_of(block: list[Item]) -> list[list[Item]]:
    """Part a paragraph that goes on in the next column."""
    parts = [block[:1]]
    for before, item in pairwise(block):
        if item.top < before.top:
            parts.append([])
        parts[-1].append(item)
    return parts


def draw_block(drawing: Drawing, block: list[Item], number: int) -> None:
    """Draw one block with its number."""
    first, area = block[0], around(block)
    if isinstance(first, PrintedTable):
        drawing.frame(area, TABLE, width=3)
        for cell in (cell for row in first.rows for cell in row if cell.lines):
            drawing.frame(around(cell.lines), TABLE, width=1)
        drawing.number(area, f"{number} table", TABLE)
    elif not isinstance(first, PrintedLine):
        drawing.frame(area, FIGURE, width=3)
        drawing.number(area, f"{number} figure", FIGURE)
    elif first.level:
        drawing.frame(area, HEADING, width=3)
        drawing.number(area, f"{number} H{first.level}", HEADING)
    else:
        for part in columns_of(block):
            drawing.frame(around(part), PARAGRAPH)
            drawing.number(around(part), str(number), PARAGRAPH)


def draw(path: Path, shown: Shown) -> None:
    """Draw one page of a file."""
    source = Source(str(path), path.name, path.read_bytes(), "pdf")
    with closing(pdf.open_pdf(source)) as opened:
        read = pdf.read_pages(opened, len(opened)).sheets
        kept = with_headings(without_furniture(read), pdf.outline_of(opened))
        with closing(opened[shown.page - 1]) as page:
            drawing = Drawing(page)
    before, after = read[shown.page - 1], kept[shown.page - 1]
    staying = {(item.left, item.top) for item in after.items}
    for item in before.items:
        if (item.left, item.top) not in staying:
            drawing.strike(item)
    for number, block in enumerate(blocks_of(after.items), 1):
        draw_block(drawing, block, number)
    PICTURES.mkdir(exist_ok=True)
    drawing.save(PICTURES / shown.picture)


def main(arguments: list[str]) -> int:
    """Draw all pages from the files under the folder that is named."""
    [folder] = arguments
    for shown in PAGES:
        draw(next(Path(folder).rglob(shown.file)), shown)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

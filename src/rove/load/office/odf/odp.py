"""OpenDocument presentations: a page for each slide, with titles, lists, tables, notes, comments and places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rove.load.office.assemble import assemble
from rove.load.office.compose import PAGE_BREAK, Piece, PiecePlace, heading, note
from rove.load.office.odf.file import DRAW, FO, OFFICE, PRESENTATION, STYLE, SVG, OdfFile
from rove.load.office.odf.text import ContentReader
from rove.load.office.reading_order import reading_order
from rove.load.xmltree import Node
from rove.records import Document, Source
from rove.records.source import MetaValue

FURNITURE = {"header", "footer", "date-time", "page-number", "page"}
LENGTH = re.compile(r"(-?[\d.]{1,12})(cm|mm|in|pt|pc|px)?")
UNITS_CM = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 2.54 / 72, "pc": 2.54 / 6, "px": 2.54 / 96, None: 1.0}
MOVED = re.compile(r"translate\s*\(\s*(\S+?)[\s,]+(\S+?)\s*\)")


class OdpLoader:
    """See `Loader`. `metadata["hidden_slides"]` numbers the slides that a show leaves out; their text is kept."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        deck = _OdpDeck(OdfFile(source))
        properties: dict[str, MetaValue] = dict(deck.file.properties())
        if hidden := deck.hidden():
            properties["hidden_slides"] = hidden
        yield from assemble(source, deck.pieces(), properties, deck.file.missing, paged=True)


class _OdpDeck:
    """The slides of one presentation, in order."""

    def __init__(self, file: OdfFile) -> None:
        self.file = file
        self.slides = file.body("presentation").findall(f"{DRAW}page")
        self.styles = file.named(f"{STYLE}style")
        self.masters = file.named(f"{STYLE}master-page")
        self.layouts = file.named(f"{STYLE}page-layout")

    def hidden(self) -> tuple[str, ...]:
        """Return the numbers of the slides that are not shown."""
        return tuple(str(number) for number, slide in enumerate(self.slides, 1) if self._is_hidden(slide))

    def pieces(self) -> Iterator[Piece]:
        """Yield all slides, each with its notes and comments."""
        reader = ContentReader(self.file)
        for number, slide in enumerate(self.slides, 1):
            if number > 1:
                yield Piece(PAGE_BREAK)
            yield from self._slide(slide, number, reader)
        yield from reader.footnotes()

    def _slide(self, slide: Node, number: int, reader: ContentReader) -> Iterator[Piece]:
        width, height = self._size(slide)
        shapes = [(shape, _odp_shape_place(shape, number, width, height)) for shape in _shapes(slide)]
        shown = [entry for entry in shapes if _odp_shape_class(entry[0]) not in FURNITURE]
        for shape, place in shown:
            if _odp_shape_class(shape) == "title" and (text := reader.plain(shape)):
                yield replace(heading(1, text), place=place)
        others = [entry for entry in shown if _odp_shape_class(entry[0]) != "title"]
        placed = [(shape, place) for shape, place in others if place]
        order = [placed[index] for index in reading_order([place for _, place in placed])]
        for shape, place in [*order, *((shape, place) for shape, place in others if not place)]:
            for piece in reader.pieces([shape]):
                yield replace(piece, place=place)
        for notes in slide.findall(f"{PRESENTATION}notes"):
            texts = (reader.plain(frame) for frame in notes.iter(f"{DRAW}frame") if _odp_shape_class(frame) == "notes")
            if found := note("Note", "", "\n".join(texts)):
                yield found
        for comment in slide.findall(f"{OFFICE}annotation"):
            yield from reader.pieces([comment])

    def _is_hidden(self, slide: Node) -> bool:
        style = self.styles.get(slide.get(f"{DRAW}style-name", ""))
        shown = style.find(f"{STYLE}drawing-page-properties") if style is not None else None
        return shown is not None and shown.get(f"{PRESENTATION}visibility", "") == "hidden"

    def _size(self, slide: Node) -> tuple[float, float]:
        master = self.masters.get(slide.get(f"{DRAW}master-page-name", ""))
        layout = self.layouts.get(master.get(f"{STYLE}page-layout-name", "")) if master is not None else None
        page = layout.find(f"{STYLE}page-layout-properties") if layout is not None else None
        if page is None:
            return 0.0, 0.0
        return _length(page.get(f"{FO}page-width", "")), _length(page.get(f"{FO}page-height", ""))


def _shapes(parent: Node) -> Iterator[Node]:
    for node in parent:
        if node.tag == f"{DRAW}g":
            yield from _shapes(node)
        elif str(node.tag).startswith(DRAW):
            yield node


def _odp_shape_class(shape: Node) -> str:
    return shape.get(f"{PRESENTATION}class", "")


def _odp_shape_place(shape: Node, page: int, width: float, height: float) -> PiecePlace | None:
    if width <= 0 or height <= 0 or not shape.get(f"{SVG}width", ""):
        return None
    moved = MOVED.search(shape.get(f"{DRAW}transform", "")[:256])
    x, y = (moved[1], moved[2]) if moved else (shape.get(f"{SVG}x", ""), shape.get(f"{SVG}y", ""))
    left, top = _length(x), _length(y)
    right, bottom = left + _length(shape.get(f"{SVG}width", "")), top + _length(shape.get(f"{SVG}height", ""))
    edges = (left / width, top / height, right / width, bottom / height)
    return PiecePlace(page, *(round(min(max(edge, 0.0), 1.0), 4) for edge in edges))


def _length(text: str) -> float:
    """A length in centimetres; 0 where it is none."""
    found = LENGTH.match(text)
    try:
        return float(found[1]) * UNITS_CM[found[2]] if found else 0.0
    except ValueError:
        return 0.0

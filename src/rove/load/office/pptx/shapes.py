"""What stands on a slide: its shapes as pieces of canonical text, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rove.load.formula.omml import M, omml_to_latex
from rove.load.office.chart import C, chart_pieces
from rove.load.office.compose import IMAGE, TABLE, Piece, PiecePlace, heading, image_markdown, item, link
from rove.load.office.drawing import DGM, A, diagram_pieces, picture_name
from rove.load.office.numerals import format_numeral
from rove.load.office.opc import Package, R, XmlPart
from rove.load.office.pptx.layout import TITLES, Layouts, P, SlideFrame, frame, level, placeholder
from rove.load.office.reading_order import reading_order
from rove.load.pipe_table import pipe_table
from rove.load.struck import joined_strikes, struck
from rove.load.symbol_fonts import is_symbol_font, with_symbols
from rove.load.xmltree import Node, integer

MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
DECORATIVE = "{http://schemas.microsoft.com/office/drawing/2017/decorative}decorative"
FURNITURE = {"dt", "ftr", "sldNum", "hdr"}
MAX_GROUPS = 50
NUMBERS = {"arabic": "decimal", "alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman",
           "romanUc": "upperRoman", "ea1": "japaneseCounting", "circleNum": "decimalEnclosedCircle"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GroupScale:
    """How the units of a group's inside become those of the slide: x' = x · width + left, and so for y."""

    left: float = 0.0
    top: float = 0.0
    width: float = 1.0
    height: float = 1.0

    def apply(self, inner: SlideFrame) -> SlideFrame:
        """Return the frame in the slide's units."""
        return SlideFrame(
            inner.left * self.width + self.left,
            inner.top * self.height + self.top,
            inner.width * self.width,
            inner.height * self.height,
        )


@dataclass(frozen=True, slots=True)
class Placed:
    """One shape that is no group, and where it stands; None where nothing says."""

    shape: Node
    frame: SlideFrame | None


class SlideReader:
    """Reads the shapes of one slide."""

    def __init__(self, package: Package, layouts: Layouts, slide: XmlPart, number: int, size: SlideFrame) -> None:
        self.package = package
        self.layouts = layouts
        self.slide = slide
        self.number = number
        self.size = size
        self.counts: dict[int, int] = {}

    def pieces(self, title_level: int) -> Iterator[Piece]:
        """Yield the title, then all else in reading order; what has no place comes last."""
        tree = self.slide.root.find(f"{P}cSld/{P}spTree")
        shapes = list(self._shapes(tree, GroupScale(), 0)) if tree is not None else []
        titles = [one for one in shapes if _placeholder_type(one.shape) in TITLES]
        for one in titles:
            if text := self._text(one.shape).strip():
                yield replace(heading(title_level, text), place=self._place(one.frame))
        others = [one for one in shapes if _placeholder_type(one.shape) not in TITLES | FURNITURE]
        placed = [(one, place) for one in others if (place := self._place(one.frame))]
        order = [placed[index][0] for index in reading_order([place for _, place in placed])]
        for one in [*order, *(one for one in others if not self._place(one.frame))]:
            for piece in self._pieces(one.shape):
                yield replace(piece, place=self._place(one.frame))

    def _shapes(self, parent: Node, scale: GroupScale, depth: int) -> Iterator[Placed]:
        if depth > MAX_GROUPS:
            self.package.missing.append(f"groups of shapes more than {MAX_GROUPS} deep on slide {self.number}")
            return
        for node in parent:
            if node.tag == f"{P}grpSp":
                yield from self._shapes(node, _inner(node, scale), depth + 1)
            elif node.tag == f"{MC}AlternateContent":
                choices = (found for way in ("Choice", "Fallback") for found in node.findall(f"{MC}{way}"))
                yield from next(
                    (found for choice in choices if (found := list(self._shapes(choice, scale, depth + 1)))),
                    list[Placed](),
                )
            elif node.tag in (f"{P}sp", f"{P}pic", f"{P}graphicFrame"):
                own = frame(node.find(f"{P}xfrm")) or self.layouts.frame(node, self.slide)
                yield Placed(node, scale.apply(own) if own else None)

    def _pieces(self, shape: Node) -> Iterator[Piece]:
        if shape.tag == f"{P}sp":
            yield from self._paragraphs(shape)
        elif shape.tag == f"{P}pic":
            yield from self._picture(shape)
        else:
            yield from self._framed(shape)

    def _framed(self, shape: Node) -> Iterator[Piece]:
        """A table, a chart, a diagram, or something of another program, which is shown as a picture."""
        table, chart, diagram = (next(shape.iter(tag), None) for tag in (f"{A}tbl", f"{C}chart", f"{DGM}relIds"))
        if table is not None:
            yield Piece(self._table(table), TABLE)
        elif chart is not None:
            yield from chart_pieces(chart, self.slide, self.package)
        elif diagram is not None:
            yield from diagram_pieces(diagram, self.slide, self.package)
        else:
            shown = next(shape.iter(f"{P}pic"), None)
            what = _pptx_shape_alt_text(shape) or next((o.get("name", "") for o in shape.iter(f"{P}oleObj")), "")
            blip = next(shown.iter(f"{A}blip"), None) if shown is not None else None
            if what or blip is not None:
                yield Piece(image_markdown(what, picture_name(blip, self.slide) if blip is not None else ""), IMAGE)

    def _picture(self, shape: Node) -> Iterator[Piece]:
        blip = shape.find(f"{P}blipFill/{A}blip")
        marks = shape.iter(DECORATIVE)
        if blip is not None and not any(mark.get("val", "") in ("1", "true") for mark in marks):
            yield Piece(image_markdown(_pptx_shape_alt_text(shape), picture_name(blip, self.slide)), IMAGE)

    def _paragraphs(self, shape: Node) -> Iterator[Piece]:
        self.counts = {}
        paragraphs = shape.findall(f"{P}txBody/{A}p")
        clicked = next(iter(shape.findall(f"*/{P}cNvPr/{A}hlinkClick")), None) if len(paragraphs) == 1 else None
        for paragraph in paragraphs:
            text = self._line(paragraph).strip()
            if not text:
                continue
            if clicked is not None and "](" not in text:
                text = link(text, self._address(clicked))
            bullet, depth = self.layouts.bullet(paragraph, shape, self.slide), level(paragraph)
            if bullet.kind:
                yield item(depth, self._label(bullet.kind, bullet.start, depth), text)
            else:
                self.counts = {}
                yield Piece(text)

    def _label(self, kind: str, start: int, depth: int) -> str:
        """Count on, and return the number as printed: "b)"; "" for a bullet."""
        self.counts = {at: count for at, count in self.counts.items() if at <= depth}
        if kind == "bullet":
            return ""
        self.counts[depth] = self.counts.get(depth, start - 1) + 1
        way = next((name for name in NUMBERS if kind.startswith(name)), "arabic")
        number = format_numeral(self.counts[depth], NUMBERS[way])
        ends = {"Period": ".", "ParenR": ")", "ParenBoth": ")"}
        end = next((mark for name, mark in ends.items() if kind.endswith(name)), "")
        return f"{'(' if kind.endswith('ParenBoth') else ''}{number}{end}"

    def _text(self, shape: Node) -> str:
        return " ".join(self._line(paragraph) for paragraph in shape.findall(f"{P}txBody/{A}p"))

    def _line(self, paragraph: Node) -> str:
        """The text of a paragraph; runs that link to one address become one link."""
        out: list[str] = []
        target, words = "", ""
        for node in paragraph:
            address = self._address(node.find(f"{A}rPr/{A}hlinkClick")) if node.tag == f"{A}r" else ""
            if address != target:
                out.append(link(words, target) if target else words)
                target, words = address, ""
            words += _pptx_run_text(node)
        text = "".join([*out, link(words, target) if target else words])
        return joined_strikes(text) if paragraph.find(f"{A}r/{A}rPr[@strike]") is not None else text

    def _address(self, click: Node | None) -> str:
        relation = self.slide.relations.get(click.get(f"{R}id", "")) if click is not None else None
        return relation.target if relation and relation.external else ""

    def _table(self, table: Node) -> str:
        rows = [
            [
                "" if "1" in (cell.get("hMerge", ""), cell.get("vMerge", "")) else self._cell(cell)
                for cell in row.findall(f"{A}tc")
            ]
            for row in table.findall(f"{A}tr")
        ]
        return pipe_table(rows) if rows else ""

    def _cell(self, cell: Node) -> str:
        return " ".join(self._line(paragraph) for paragraph in cell.findall(f"{A}txBody/{A}p"))

    def _place(self, at: SlideFrame | None) -> PiecePlace | None:
        if at is None or self.size.width <= 0 or self.size.height <= 0:
            return None
        across, down = (at.left, at.left + at.width), (at.top, at.top + at.height)
        left, right = (min(max(x / self.size.width, 0.0), 1.0) for x in across)
        top, bottom = (min(max(y / self.size.height, 0.0), 1.0) for y in down)
        return PiecePlace(self.number, round(left, 4), round(top, 4), round(right, 4), round(bottom, 4))


def _inner(group: Node, outer: GroupScale) -> GroupScale:
    place = group.find(f"{P}grpSpPr/{A}xfrm")
    at = frame(place)
    offset, size = (place.find(f"{A}chOff"), place.find(f"{A}chExt")) if place is not None else (None, None)
    if at is None or offset is None or size is None:
        return outer
    at = outer.apply(at)
    across = at.width / (integer(size.get("cx", "")) or at.width or 1)
    down = at.height / (integer(size.get("cy", "")) or at.height or 1)
    return GroupScale(
        at.left - integer(offset.get("x", "")) * across, at.top - integer(offset.get("y", "")) * down, across, down
    )


def _pptx_run_text(node: Node) -> str:
    if node.tag == f"{A}br":
        return "\n"
    if node.tag == f"{A}r" or (node.tag == f"{A}fld" and node.get("type", "") != "slidenum"):
        text = node.find(f"{A}t")
        return _apply_run_format(text.text or "", node.find(f"{A}rPr")) if text is not None else ""
    formula = next(node.iter(f"{M}oMathPara", f"{M}oMath"), None)
    return f"${omml_to_latex(formula)}$" if formula is not None else ""


def _apply_run_format(text: str, properties: Node | None) -> str:
    """The text of a run as it is seen: the signs of a font of signs, struck out where it is."""
    if properties is None:
        return with_symbols(text)
    fonts = (properties.find(f"{A}{name}") for name in ("sym", "latin", "cs"))
    font = next((name for node in fonts if node is not None and is_symbol_font(name := node.get("typeface", ""))), "")
    text = with_symbols(text, font)
    return struck(text) if properties.get("strike", "noStrike") != "noStrike" else text


def _placeholder_type(shape: Node) -> str:
    mark = placeholder(shape)
    return mark.get("type", "obj") if mark is not None else ""


def _pptx_shape_alt_text(shape: Node) -> str:
    own = next(iter(shape.findall(f"*/{P}cNvPr")), None)
    return (own.get("descr", "") or own.get("title", "")) if own is not None else ""

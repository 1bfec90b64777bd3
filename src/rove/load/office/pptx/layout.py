"""What a slide's shapes have from its layout and master: where placeholders stand, and which bullets their text has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rove.load.office.drawing import A
from rove.load.office.opc import Package, XmlPart
from rove.load.xmltree import Node, integer

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
TITLES = {"title", "ctrTitle"}
# A master knows five types of placeholder; these of a layout are of its type "body".
BODIES = {"", "obj", "body", "subTitle", "chart", "tbl", "clipArt", "dgm", "media", "pic"}
MAX_CHAIN = 2


@dataclass(frozen=True, slots=True)
class SlideFrame:
    """A rectangle in the units of the slide (EMU)."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Bullet:
    """How a paragraph is marked: `kind` is "" (not at all), "bullet", or the name of a way of numbering."""

    kind: str = ""
    start: int = 1


def placeholder(shape: Node) -> Node | None:
    """Return the mark that makes a shape a placeholder."""
    return next((found for found in shape.findall(f"*/{P}nvPr/{P}ph")), None)


def frame(properties: Node | None) -> SlideFrame | None:
    """Return the rectangle that `a:xfrm` (or `p:xfrm`) under `properties` states."""
    if properties is None:
        return None
    place = properties if str(properties.tag).endswith("}xfrm") else properties.find(f"{A}xfrm")
    offset, size = (place.find(f"{A}off"), place.find(f"{A}ext")) if place is not None else (None, None)
    if offset is None or size is None:
        return None
    return SlideFrame(
        integer(offset.get("x", "")),
        integer(offset.get("y", "")),
        integer(size.get("cx", "")),
        integer(size.get("cy", "")),
    )


class Layouts:
    """The layouts and masters of a presentation, each read once."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.parts: dict[str, XmlPart | None] = {}

    def chain(self, slide: XmlPart) -> list[XmlPart]:
        """Return the slide's layout and master."""
        found: list[XmlPart] = []
        part: XmlPart | None = slide
        for kind in ("slideLayout", "slideMaster"):
            name = part.target(kind) if part else ""
            if name not in self.parts:
                self.parts[name] = self.package.part(name)
            part = self.parts[name]
            found += [part] if part else []
        return found

    def inherited(self, shape: Node, slide: XmlPart) -> Iterator[Node]:
        """Yield the shapes that a placeholder takes after, nearest first."""
        mark = placeholder(shape)
        if mark is None:
            return
        kind, index = mark.get("type", ""), mark.get("idx", "")
        for part in self.chain(slide):
            found = _matching(part.root, kind, index)
            if found is not None:
                yield found
                of_it = placeholder(found)
                kind = of_it.get("type", "") if of_it is not None else kind

    def frame(self, shape: Node, slide: XmlPart) -> SlideFrame | None:
        """Return where a shape stands, by itself or as its placeholder."""
        own = frame(shape.find(f"{P}spPr"))
        others = (frame(found.find(f"{P}spPr")) for found in self.inherited(shape, slide))
        return own or next((other for other in others if other), None)

    def bullet(self, paragraph: Node, shape: Node, slide: XmlPart) -> Bullet:
        """Return how a paragraph is marked: by itself, its shape, the placeholder or the master's style."""
        own = paragraph.find(f"{A}pPr")
        name = f"{A}lvl{min(max(level(paragraph), 0), 8) + 1}pPr"
        styles = [
            own,
            *(found.find(f"{P}txBody/{A}lstStyle/{name}") for found in [shape, *self.inherited(shape, slide)]),
        ]
        mark = placeholder(shape)
        if mark is not None and mark.get("type", "") in BODIES:
            styles += [part.root.find(f"{P}txStyles/{P}bodyStyle/{name}") for part in self.chain(slide)]
        return next((found for style in styles if style is not None and (found := _bullet(style))), Bullet())


def level(paragraph: Node) -> int:
    """Return how deep a paragraph is indented, from 0."""
    own = paragraph.find(f"{A}pPr")
    return integer(own.get("lvl", "")) if own is not None else 0


def _matching(root: Node, kind: str, index: str) -> Node | None:
    """The placeholder with that index, else the first of that type."""
    of_type: Node | None = None
    for shape in root.findall(f"{P}cSld/{P}spTree/*"):
        mark = placeholder(shape)
        if mark is None:
            continue
        if index and mark.get("idx", "") == index:
            return shape
        if of_type is None and _placeholder_family(mark.get("type", "")) == _placeholder_family(kind):
            of_type = shape
    return of_type


def _placeholder_family(kind: str) -> str:
    return "title" if kind in TITLES else "body" if kind in BODIES else kind


def _bullet(style: Node) -> Bullet | None:
    for node in style:
        if node.tag == f"{A}buNone":
            return Bullet()
        if node.tag in (f"{A}buChar", f"{A}buBlip"):
            return Bullet("bullet")
        if node.tag == f"{A}buAutoNum":
            return Bullet(node.get("type", "arabicPeriod"), integer(node.get("startAt", ""), 1))
    return None

"""PowerPoint presentations: a page for each slide, with titles, lists, tables, charts, notes, comments and places."""

from __future__ import annotations

from collections.abc import Iterator

from rove.load.office.assemble import assemble
from rove.load.office.compose import PAGE_BREAK, Piece, heading, note
from rove.load.office.drawing import A
from rove.load.office.opc import Package, R, XmlPart
from rove.load.office.pptx.layout import Layouts, P, SlideFrame, placeholder
from rove.load.office.pptx.shapes import SlideReader
from rove.load.xmltree import Node, integer
from rove.records import Document, Source
from rove.records.source import MetaValue

SIZE = (9144000, 6858000)
P14 = "{http://schemas.microsoft.com/office/powerpoint/2010/main}"


class PptxLoader:
    """See `Loader`. `metadata["hidden_slides"]` numbers the slides that a show leaves out; their text is kept."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        package = Package(source)
        deck = _PptxDeck(package, package.main())
        properties: dict[str, MetaValue] = dict(package.properties())
        if hidden := deck.hidden():
            properties["hidden_slides"] = hidden
        yield from assemble(source, deck.pieces(), properties, package.missing, paged=True)


class _PptxDeck:
    """The slides of one presentation, in order."""

    def __init__(self, package: Package, main: XmlPart) -> None:
        self.package = package
        self.main = main
        self.layouts = Layouts(package)
        size = main.root.find(f"{P}sldSz")
        width, height = (integer(size.get(name, "")) if size is not None else 0 for name in ("cx", "cy"))
        self.size = SlideFrame(0, 0, width or SIZE[0], height or SIZE[1])
        self.ids = main.root.findall(f"{P}sldIdLst/{P}sldId")
        self.slides = [self._slide(node, number) for number, node in enumerate(self.ids, 1)]
        self.authors = self._authors()

    def hidden(self) -> tuple[str, ...]:
        """Return the numbers of the slides that are not shown."""
        slides = enumerate(self.slides, 1)
        return tuple(str(number) for number, slide in slides if slide and slide.root.get("show", "1") in ("0", "false"))

    def pieces(self) -> Iterator[Piece]:
        """Yield all slides: the title of the section that begins, the slide, its notes and comments."""
        sections = self._sections()
        for number, (node, slide) in enumerate(zip(self.ids, self.slides, strict=True), 1):
            if number > 1:
                yield Piece(PAGE_BREAK)
            if title := sections.get(node.get("id", "")):
                yield heading(1, title)
            if slide:
                yield from SlideReader(self.package, self.layouts, slide, number, self.size).pieces(
                    2 if sections else 1
                )
                yield from self._notes(slide)
                yield from self._comments(slide)

    def _slide(self, node: Node, number: int) -> XmlPart | None:
        relation = self.main.relations.get(node.get(f"{R}id", ""))
        known = len(self.package.missing)
        slide = self.package.part(relation.target) if relation else None
        if slide is None and len(self.package.missing) == known:
            self.package.missing.append(f"slide {number}, which is not in the file")
        return slide

    def _sections(self) -> dict[str, str]:
        """Titles of the deck's sections by the id of their first slide; of one alone nothing is said."""
        found: dict[str, str] = {}
        for section in self.main.root.iter(f"{P14}section"):
            first = next(section.iter(f"{P14}sldId"), None)
            if first is not None:
                found[first.get("id", "")] = section.get("name", "")
        return found if len(found) > 1 else {}

    def _notes(self, slide: XmlPart) -> Iterator[Piece]:
        part = self.package.part(slide.target("notesSlide"))
        for shape in part.root.iter(f"{P}sp") if part else ():
            mark = placeholder(shape)
            if mark is not None and mark.get("type", "") == "body" and (found := note("Note", "", _pptx_text(shape))):
                yield found

    def _comments(self, slide: XmlPart) -> Iterator[Piece]:
        """Comments of both kinds: of old (`p:cm` with `p:text`), and threads with replies (`p188:cm`)."""
        part = self.package.part(slide.target("comments"))
        for node in part.root.iter() if part else ():
            if str(node.tag).endswith(("}cm", "}reply")):
                body = next((child for child in node if str(child.tag).endswith(("}text", "}txBody"))), None)
                text = (body.text or "").strip() or _pptx_text(body) if body is not None else ""
                if found := note("Comment", self.authors.get(node.get("authorId", ""), ""), text):
                    yield found

    def _authors(self) -> dict[str, str]:
        parts = (self.package.part(self.main.target(kind)) for kind in ("commentAuthors", "authors"))
        return {node.get("id", ""): node.get("name", "") for part in parts if part for node in part.root}


def _pptx_text(node: Node) -> str:
    lines = ("".join(text.text or "" for text in line.iter(f"{A}t")) for line in node.iter(f"{A}p"))
    return "\n".join(line for line in lines if line.strip())

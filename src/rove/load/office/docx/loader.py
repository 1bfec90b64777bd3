"""Word documents: headings, lists, tables, notes, comments, formulas and pictures as markdown, in document order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rove.errors import InputError
from rove.load.office.assemble import assemble
from rove.load.office.chart import C, chart_pieces
from rove.load.office.compose import (
    CAPTION,
    CODE,
    FORMULA,
    IMAGE,
    PAGE_BREAK,
    PICTURE,
    TABLE,
    Piece,
    heading,
    item,
    note,
)
from rove.load.office.docx.margins import Margins
from rove.load.office.docx.numbers import Numbering
from rove.load.office.docx.styles import (
    Numbered,
    W,
    WordStyle,
    outline_level,
    paragraph_number,
    read_run_styles,
    read_styles,
    value,
)
from rove.load.office.docx.table import WRAPPERS, docx_rows, table_text
from rove.load.office.docx.text import ParagraphReader, is_bold, is_page_number
from rove.load.office.drawing import DGM, diagram_pieces
from rove.load.office.opc import Package, XmlPart
from rove.load.xmltree import Node
from rove.records import Document, Source

MAX_BOLD_CHARS = 120
BLANK = f"{PAGE_BREAK} \t\n"
PLAIN = WordStyle()
CURE = "Open it in a word processor and save it as .docx again."


class DocxLoader:
    """See `Loader`. Pages are those that the word processor last drew; without any there are none."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        package = Package(source)
        main = package.main()
        body = main.root.find(f"{W}body")
        if body is None:
            message = f"{source.name!r} is not a complete .docx file: {main.name} has no body."
            raise InputError(message, cure=CURE, outcome="damaged")
        paged = next(body.iter(f"{W}lastRenderedPageBreak"), None) is not None
        writer = _BodyWriter(package, main)
        yield from assemble(source, writer.whole(body), package.properties(), package.missing, paged=paged)


@dataclass(frozen=True, slots=True)
class _NoteEntry:
    """A note or comment, and the part that it stands in."""

    node: Node
    part: XmlPart


class _BodyWriter:
    """Writes the body of one Word file in pieces."""

    def __init__(self, package: Package, main: XmlPart) -> None:
        self.package = package
        self.main = main
        self.styles = read_styles(self._root("styles"))
        self.numbering = Numbering(self._root("numbering"), self.styles)
        self.notes: dict[tuple[str, str], int] = {}
        self.comments = self._entries("comment")
        self.run_styles = read_run_styles(self._root("styles"))
        self.reader = ParagraphReader(main, self.notes, self.run_styles)
        self.margins = Margins(package, main, package.part(main.target("settings")))
        self.said: set[str] = set()

    def whole(self, body: Node) -> Iterator[Piece]:
        """Yield the body, and under it the notes that it refers to."""
        yield from self._margin(self.margins.heads())
        yield from self.pieces(body)
        yield from self._margin(self.margins.feet())
        written = {"footnote": self._entries("footnote"), "endnote": self._entries("endnote")}
        for (kind, note_id), number in list(self.notes.items()):
            if entry := written[kind].get(note_id):
                yield Piece(f"[^{number}]: {self._plain(entry)}")

    def pieces(self, parent: Node) -> Iterator[Piece]:
        """Yield the paragraphs and tables under `parent`, those in content controls included."""
        for node in parent:
            if node.tag == f"{W}p":
                yield from self._paragraph(node)
                yield from self._hanging()
                if self.reader.part is self.main and node.find(f"{W}pPr/{W}sectPr") is not None:
                    yield from self._margin(self.margins.feet())
                    yield from self._margin(self.margins.heads())
            elif node.tag == f"{W}tbl":
                yield from self._table(node)
                yield from self._hanging()
            elif node.tag in WRAPPERS:
                yield from self.pieces(node)
            elif node.tag == f"{W}altChunk":
                self.package.missing.append("a document of another format that is embedded in it")

    def _paragraph(self, node: Node) -> Iterator[Piece]:
        properties = node.find(f"{W}pPr")
        style = self._style(properties)
        place = self._numbered(properties, style)
        label = self.numbering.label(place) if place.list_id else ""
        raw = self.reader.read(node)
        text = raw.strip()
        if not text.strip(BLANK):
            yield Piece(text.replace("\n", "").replace("\t", "").replace(" ", ""))
            return
        stated = outline_level(properties)
        level = style.level if stated is None else stated
        if level:
            yield heading(level, f"{label} {text}")
        elif style.is_caption:
            yield Piece(f"{label} {text}".strip(), CAPTION)
        elif style.is_code:
            yield Piece(raw.rstrip(), CODE)
        elif place.list_id or style.is_bullet:
            yield item(place.depth, label, text)
        else:
            yield self._prose(node, text)

    def _prose(self, node: Node, text: str) -> Piece:
        bare = text.strip(BLANK)
        if not PICTURE.sub("", bare).strip(BLANK):
            return Piece(text, IMAGE)
        if self.reader.formulas == 1 and bare.startswith("$") and bare.endswith("$") and bare.count("$") == 2:
            return Piece(text.replace("$", "$$"), FORMULA)
        if len(bare) <= MAX_BOLD_CHARS and "\n" not in bare and is_bold(node):
            return Piece(text.replace(bare, f"**{bare}**"))
        return Piece(text)

    def _hanging(self) -> Iterator[Piece]:
        """Yield what hangs beside the text that was read last; that can hang something out again."""
        for node in self.reader.take_hanging():
            if node.tag == f"{W}commentReference":
                yield from self._comment(node.get(f"{W}id", ""))
            elif node.tag == f"{C}chart":
                yield from chart_pieces(node, self.reader.part, self.package)
            elif node.tag == f"{DGM}relIds":
                yield from diagram_pieces(node, self.reader.part, self.package)
            elif node.tag == f"{W}tbl":
                yield from self._table(node)
                yield from self._hanging()
            else:
                yield from self.pieces(node)

    def _margin(self, parts: Iterator[XmlPart]) -> Iterator[Piece]:
        """Yield what stands in heads or feet, each text once; lines that only number the pages are left out."""
        for part in parts:
            before, self.reader = self.reader, ParagraphReader(part, self.notes, self.run_styles, is_margin=True)
            for piece in self.pieces(part.root):
                if piece.text.strip(BLANK) not in self.said and not (
                    self.reader.page_numbers and is_page_number(piece.text)
                ):
                    self.said.add(piece.text.strip(BLANK))
                    yield replace(piece, text=piece.text.replace(PAGE_BREAK, ""))
            self.reader = before

    def _comment(self, comment_id: str) -> Iterator[Piece]:
        entry = self.comments.get(comment_id)
        if entry and (found := note("Comment", entry.node.get(f"{W}author", ""), self._plain(entry))):
            yield found

    def _table(self, node: Node) -> Iterator[Piece]:
        """A table of one cell is a frame, and its content is yielded."""
        rows = docx_rows(node)
        if len(rows) == 1 and len(rows[0]) == 1:
            yield from self.pieces(rows[0][0])
            return
        nested: list[Node] = []
        yield Piece(table_text(node, lambda cell: self._cell(cell, nested)), TABLE)
        self.reader.hanging[:0] = nested

    def _cell(self, cell: Node, nested: list[Node]) -> str:
        """Return the text of a cell on one line; a table in it comes after the table that it stands in."""
        out: list[str] = []
        for node in cell:
            if node.tag == f"{W}p":
                properties = node.find(f"{W}pPr")
                place = self._numbered(properties, self._style(properties))
                out += [self.numbering.label(place) if place.list_id else "", self.reader.read(node)]
            elif node.tag == f"{W}tbl":
                rows = docx_rows(node)
                if len(rows) == 1 and len(rows[0]) == 1:
                    out.append(self._cell(rows[0][0], nested))
                else:
                    nested.append(node)
            elif node.tag in WRAPPERS:
                out.append(self._cell(node, nested))
        return " ".join(" ".join(out).split())

    def _plain(self, entry: _NoteEntry) -> str:
        return _paragraphs_in_one_line(ParagraphReader(entry.part, self.notes, self.run_styles), entry.node)

    def _style(self, properties: Node | None) -> WordStyle:
        return self.styles.get(value(properties, "pStyle"), PLAIN) if properties is not None else PLAIN

    def _numbered(self, properties: Node | None, style: WordStyle) -> Numbered:
        """The paragraph's own list, else that of its style; "0" takes the number away."""
        own = paragraph_number(properties)
        place = own if own.list_id else style.numbered
        return Numbered() if place.list_id == "0" else place

    def _entries(self, kind: str) -> dict[str, _NoteEntry]:
        part = self.package.part(self.main.target(f"{kind}s"))
        return {node.get(f"{W}id", ""): _NoteEntry(node, part) for node in part.root} if part else {}

    def _root(self, kind: str) -> Node | None:
        part = self.package.part(self.main.target(kind))
        return part.root if part else None


def _paragraphs_in_one_line(reader: ParagraphReader, node: Node) -> str:
    """The paragraphs under `node` as one line."""
    return " ".join(" ".join(reader.read(p) for p in node.iter(f"{W}p")).replace(PAGE_BREAK, "").split())

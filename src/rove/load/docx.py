"""Word documents: paragraphs, headings, lists, tables, links and footnotes as markdown, in document order."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Protocol, cast

import docx
from docx.document import Document as WordFile
from docx.opc.exceptions import OpcError
from docx.oxml.exceptions import InvalidXmlError
from docx.oxml.parser import parse_xml
from docx.styles.style import BaseStyle, ParagraphStyle

from rove.errors import InputError
from rove.load.container import open_container
from rove.load.markdown import first_title, markdown_sections
from rove.load.text import clean, identify, require_text, stem
from rove.records import Document, Source
from rove.records.source import MetaValue

MAX_SPAN = 64
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # says the same a second time
SKIPPED = {FALLBACK, f"{W}pPr", f"{W}rPr", f"{W}del", f"{W}moveFrom", f"{W}instrText", f"{W}sdtPr"}
WRAPPERS = {f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}customXml", f"{W}smartTag"}
LITERAL = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
CURE = "Open it in a word processor and save it as .docx again."


class Node(Protocol):
    """The part of an XML element that is used; the library under python-docx has no types."""

    tag: str
    text: str | None

    def get(self, key: str, default: str = "") -> str:
        """Return an attribute."""
        ...

    def find(self, path: str) -> Node | None:
        """Return the first element at that path."""
        ...

    def iter(self, tag: str) -> Iterator[Node]:
        """Yield all elements with that tag, at any depth."""
        ...

    def __iter__(self) -> Iterator[Node]: ...


class DocxLoader:
    """See `Loader`."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        open_container(source).close()
        try:
            word = docx.Document(BytesIO(source.data))
            text = require_text(clean(_Writer(word).text()), source)
        except (OpcError, InvalidXmlError, ValueError, KeyError, SyntaxError, zipfile.BadZipFile) as error:
            raise _damaged(source, str(error)) from error  # a SyntaxError is how the XML parser reports bad XML
        sections = markdown_sections(text, setext=False)
        facts = word.core_properties
        fields: dict[str, MetaValue] = {"author": clean(facts.author), "subject": clean(facts.subject)}
        yield Document(
            document_id=identify(source),
            source=source.uri,
            kind="docx",
            text=text,
            title=clean(facts.title).strip() or first_title(sections) or stem(source),
            metadata={key: value for key, value in fields.items() if value},
            sections=sections,
        )


def _damaged(source: Source, why: str) -> InputError:
    return InputError(f"{source.name!r} is no whole .docx file: {why.rstrip('.')}.", cure=CURE, outcome="damaged")


class _Writer:
    """Writes the body of one Word file as markdown."""

    def __init__(self, word: WordFile) -> None:
        self.relations = word.part.rels
        self.styles = {style.style_id: style for style in word.styles}
        self.levels: dict[str, int] = {}
        self.body = cast("Node", word.element.body)  # pyright: ignore[reportUnknownMemberType]

    def text(self) -> str:
        blocks = [*self.blocks(self.body), *self.footnotes()]
        out: list[str] = []
        for before, block in zip(["", *blocks], blocks, strict=False):
            joint = "\n" if _is_item(before) and _is_item(block) else "\n\n"
            out.append((joint if before else "") + block)
        return "".join(out)

    def blocks(self, parent: Node) -> Iterator[str]:
        """Yield the paragraphs and tables under `parent`, those in content controls included."""
        for node in parent:
            if node.tag == f"{W}p":
                if block := self.paragraph(node):
                    yield block
            elif node.tag == f"{W}tbl":
                yield from self.table(node)
            elif node.tag in WRAPPERS:
                yield from self.blocks(node)

    def paragraph(self, node: Node) -> str:
        text = self.inline(node).strip()
        if not text:
            return ""
        style = node.find(f"{W}pPr/{W}pStyle")
        style_id = style.get(f"{W}val") if style is not None else ""
        if level := self.heading_level(style_id):
            return f"{'#' * level} {' '.join(text.split())}"
        numbering = node.find(f"{W}pPr/{W}numPr")
        if numbering is not None or self.is_list(style_id):
            depth = node.find(f"{W}pPr/{W}numPr/{W}ilvl")
            indent = "  " * min(int(depth.get(f"{W}val", "0")), 8) if depth is not None else ""
            return f"{indent}- {text}"
        return text

    def inline(self, parent: Node) -> str:
        """Return the text under `parent`: runs, insertions, fields, formulas; deletions are gone."""
        out: list[str] = []
        for node in parent:
            if node.tag in (f"{W}t", MATH_TEXT):
                out.append(node.text or "")
            elif node.tag == f"{W}hyperlink":
                out.append(self.link(node))
            elif node.tag == f"{W}footnoteReference":
                out.append(f"[^{node.get(f'{W}id')}]")
            elif node.tag == f"{W}p" and out:  # a text box stands inside a paragraph
                out.append("\n" + self.inline(node))
            elif node.tag in LITERAL:
                out.append(LITERAL[node.tag])
            elif node.tag not in SKIPPED:
                out.append(self.inline(node))
        return "".join(out)

    def link(self, node: Node) -> str:
        text, target = self.inline(node), self.relations.get(node.get(RELATION))
        if not text.strip() or target is None or not target.is_external:
            return text
        return f"[{text}]({target.target_ref})"

    def table(self, node: Node) -> Iterator[str]:
        """Yield a markdown table; a table of one cell is a frame, and its content is yielded."""
        rows = [cells for row in _children(node, f"{W}tr") if (cells := list(_children(row, f"{W}tc")))]
        if len(rows) == 1 and len(rows[0]) == 1:
            yield from self.blocks(rows[0][0])
            return
        texts = [[text for cell in row for text in self.cell(cell)] for row in rows]
        width = max(map(len, texts), default=0)
        if any(text for row in texts for text in row):
            lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in texts]
            yield "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])

    def cell(self, cell: Node) -> list[str]:
        """The cell's text on one line; a cell over several columns is followed by empty ones."""
        merge, span = cell.find(f"{W}tcPr/{W}vMerge"), cell.find(f"{W}tcPr/{W}gridSpan")
        goes_on = merge is not None and merge.get(f"{W}val") != "restart"
        parts = [] if goes_on else [" ".join(self.inline(p).split()) for p in cell.iter(f"{W}p")]
        text = " ".join(part for part in parts if part).replace("|", "\\|")
        return [text] + [""] * (min(int(span.get(f"{W}val", "1")), MAX_SPAN) - 1 if span is not None else 0)

    def footnotes(self) -> Iterator[str]:
        for relation in self.relations.values():
            if relation.reltype.endswith("/footnotes"):
                for note in cast("Node", parse_xml(relation.target_part.blob)):
                    if text := " ".join(self.inline(note).split()):
                        yield f"[^{note.get(f'{W}id')}]: {text}"

    def heading_level(self, style_id: str) -> int:
        """1 to 6, or 0: by the style's name or that of a style which it is based on."""
        if style_id not in self.levels:
            named = (level for style in self.lineage(style_id) if (level := _named_level(style)))
            self.levels[style_id] = next(named, 0)
        return self.levels[style_id]

    def is_list(self, style_id: str) -> bool:
        names = [style.name or "" for style in self.lineage(style_id)]
        return any(name.startswith(("List Bullet", "List Number")) for name in names)

    def lineage(self, style_id: str) -> list[BaseStyle]:
        found: list[BaseStyle] = []
        style = self.styles.get(style_id)
        while style is not None and style not in found and len(found) < 20:
            found.append(style)
            style = style.base_style if isinstance(style, ParagraphStyle) else None
        return found


def _children(node: Node, tag: str) -> Iterator[Node]:
    """Yield the children with that tag, through content controls and tracked insertions."""
    for child in node:
        if child.tag == tag:
            yield child
        elif child.tag in WRAPPERS:
            yield from _children(child, tag)


def _named_level(style: BaseStyle) -> int:
    name = style.name or ""
    if name == "Title":
        return 1
    number = name.removeprefix("Heading ")
    return min(int(number), 6) if number != name and number.isdecimal() else 0


def _is_item(block: str) -> bool:
    return block.lstrip(" ").startswith("- ")

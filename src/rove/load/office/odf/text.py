"""The content of an OpenDocument file in pieces: paragraphs, lists, tables, notes, frames."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from rove.load.formula.mathml import mathml_to_latex
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
    image_markdown,
    item,
    link,
    note,
    paged_table,
)
from rove.load.office.docx.text import is_page_number
from rove.load.office.numerals import format_numeral
from rove.load.office.odf.file import (
    CHART,
    DRAW,
    OFFICE,
    STYLE,
    SVG,
    TEXT,
    XLINK,
    ListLevel,
    OdfFile,
    ParagraphStyle,
    Styles,
)
from rove.load.office.odf.file import TABLE as TABLES
from rove.load.struck import joined_strikes, struck
from rove.load.symbol_fonts import with_symbols
from rove.load.xmltree import Node, integer, local

PLAIN = ParagraphStyle()
STYLED = {f"{TEXT}span", f"{TEXT}p", f"{TEXT}h"}
DC = "{http://purl.org/dc/elements/1.1/}"
MAX_SPACES, MAX_REPEAT, MAX_CELLS = 64, 64, 500_000
SKIPPED = {f"{TEXT}tracked-changes", f"{TEXT}ruby-text", f"{TEXT}note-citation", f"{OFFICE}forms", f"{SVG}title",
           f"{SVG}desc", f"{OFFICE}annotation-end", f"{TEXT}sequence-decls", f"{OFFICE}event-listeners"}  # fmt: skip
NUMBERS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
           "一, 二, 三, ...": "chineseCounting", "①, ②, ③, ...": "decimalEnclosedCircle"}  # fmt: skip


class ContentReader:
    """Reads what a text, a cell, a frame or a slide holds. What hangs beside a paragraph comes after it."""

    def __init__(self, file: OdfFile) -> None:
        self.file = file
        self.styles = Styles(file)
        self.notes: list[str] = []
        self.hanging: list[Node] = []
        self.counts: dict[str, list[int]] = {}
        self.formulas = 0
        self.cells = 0
        self.font = ""
        self.is_margin = False
        self.page_numbers = 0

    def pieces(self, parent: Iterable[Node]) -> Iterator[Piece]:
        """Yield all that stands under `parent`, in order."""
        for node in parent:
            if node.tag in (f"{TEXT}p", f"{TEXT}h"):
                yield from self.paragraph(node)
            elif node.tag == f"{TEXT}list":
                yield from self._list(node, 0, node.get(f"{TEXT}style-name", ""))
            elif node.tag == f"{TABLES}table":
                yield from self._table(node)
            elif node.tag == f"{TEXT}soft-page-break":
                yield Piece(PAGE_BREAK)
            elif str(node.tag).startswith(DRAW) or node.tag == f"{OFFICE}annotation":
                self.hanging.append(node)
                yield from self._hung()
            elif node.tag not in SKIPPED:
                yield from self.pieces(node)

    def footnotes(self) -> Iterator[Piece]:
        """Yield the notes that the text refers to."""
        for number, text in enumerate(self.notes, 1):
            yield Piece(f"[^{number}]: {text}")

    def margins(self, kind: str) -> Iterator[Piece]:
        """Yield the heads ("header") or feet ("footer") of the pages, each line once, without the pages' numbers."""
        said: set[str] = set()
        self.is_margin = True
        for page in self.styles.master_pages():
            for node in page:
                if local(node) not in (kind, f"{kind}-first", f"{kind}-left"):
                    continue
                if node.get(f"{STYLE}display", "true") == "false":
                    continue
                self.page_numbers = 0
                for piece in self.pieces(node):
                    words = piece.text.strip()
                    if words not in said and not (self.page_numbers and is_page_number(words)):
                        said.add(words)
                        yield piece
                    self.page_numbers = 0
        self.is_margin = False

    def paragraph(self, node: Node, label: str = "", depth: int = -1) -> Iterator[Piece]:
        """Yield a paragraph or heading, which is an item of a list where `depth` is not negative."""
        style = self.styles.paragraph(node.get(f"{TEXT}style-name", ""))
        if style.is_hidden:
            return
        formulas = self.formulas
        raw = self.text(node)
        text = raw.strip()
        bare = text.strip(f"{PAGE_BREAK} \n\t")
        if not bare:
            yield Piece(PAGE_BREAK * text.count(PAGE_BREAK))
        elif node.tag == f"{TEXT}h" or style.is_title:
            level = integer(node.get(f"{TEXT}outline-level", ""), 1)
            yield heading(level, f"{label or self._outline(node, level)} {text}")
        elif style.is_caption:
            yield from _odf_caption_pieces(text)
        elif style.is_code:
            yield Piece(raw.rstrip(), CODE)
        elif not PICTURE.sub("", bare).strip():
            yield Piece(text, IMAGE)
        elif self.formulas == formulas + 1 and bare[0] == bare[-1] == "$" and bare.count("$") == 2:
            yield Piece(text.replace("$", "$$"), FORMULA)
        else:
            yield item(depth, label, text) if depth >= 0 else Piece(text)
        yield from self._hung()

    def text(self, parent: Node) -> str:
        """Return the text of a paragraph; a frame's pictures stand in it, its texts hang."""
        style = self.styles.paragraph(parent.get(f"{TEXT}style-name", "")) if parent.tag in STYLED else PLAIN
        before, self.font = self.font, style.font or self.font
        out = [with_symbols(parent.text or "", self.font)]
        for node in parent:
            out.append(self._inline(node))
            out.append(with_symbols(node.tail or "", self.font))
        self.font = before
        text = "".join(out)
        return joined_strikes(struck(text)) if style.is_struck else text

    def plain(self, parent: Node) -> str:
        """Return all paragraphs under `parent` as one line."""
        lines = (self.text(node) for node in parent.iter(f"{TEXT}p", f"{TEXT}h"))
        return " ".join(" ".join(lines).replace(PAGE_BREAK, "").split())

    def _inline(self, node: Node) -> str:
        tag = node.tag
        if tag == f"{TEXT}s":
            return " " * min(integer(node.get(f"{TEXT}c", ""), 1), MAX_SPACES)
        if tag in LITERAL:
            return LITERAL[tag]
        if tag in PAGE_NUMBERS and self.is_margin:
            self.page_numbers += 1
            return ""
        if tag == f"{TEXT}a":
            return link(self.text(node), node.get(f"{XLINK}href", ""))
        if tag == f"{TEXT}note":
            return self._note(node)
        if tag == f"{DRAW}frame":
            return self._frame(node)
        if str(tag).startswith(DRAW) or tag in (f"{OFFICE}annotation", f"{TABLES}table"):
            self.hanging.append(node)
            return ""
        hidden = tag == f"{TEXT}span" and self.styles.paragraph(node.get(f"{TEXT}style-name", "")).is_hidden
        return "" if tag in SKIPPED or hidden else self.text(node)

    def _note(self, node: Node) -> str:
        body = node.find(f"{TEXT}note-body")
        self.notes.append("")
        number = len(self.notes)
        self.notes[number - 1] = self.plain(body) if body is not None else ""
        return f"[^{number}]"

    def _frame(self, frame: Node) -> str:
        """A frame holds one thing, in several forms: the first that can be read is."""
        for node in frame:
            if node.tag == f"{DRAW}text-box" or node.tag == f"{TABLES}table":
                self.hanging.append(node)
                return ""
            if node.tag == f"{DRAW}object":
                root = self.file.part(f"{posixpath.normpath(node.get(f'{XLINK}href', ''))}/content.xml")
                if root is not None and local(root) == "math":
                    self.formulas += 1
                    return f"${latex}$" if (latex := mathml_to_latex(root)) else ""
                if root is not None and next(root.iter(f"{CHART}chart"), None) is not None:
                    self.hanging.append(root)
                    return ""
            if node.tag == f"{DRAW}image":
                return image_markdown(_odf_frame_alt_text(frame), node.get(f"{XLINK}href", "").rpartition("/")[2])
        return ""

    def _hung(self) -> Iterator[Piece]:
        """Yield what hangs beside the text that was read last."""
        taken, self.hanging = self.hanging, []
        for node in taken:
            if node.tag == f"{OFFICE}annotation":
                author = "".join(found.text or "" for found in node.findall(f"{DC}creator"))
                if found := note("Comment", author, self.plain(node)):
                    yield found
            elif node.tag == f"{TABLES}table":
                yield from self._table(node)
            elif node.tag == f"{OFFICE}document-content":
                yield from self._chart(node)
            elif node.tag == f"{DRAW}frame":
                if text := self._frame(node):
                    yield Piece(text, IMAGE)
                yield from self._hung()
            else:
                yield from self.pieces(node)

    def _list(self, node: Node, depth: int, style: str) -> Iterator[Piece]:
        """The items of a list; only the first paragraph of one carries its mark."""
        levels = self.styles.list_levels(style)
        counts = self.counts.setdefault(style, [0] * len(levels))
        if (
            not depth
            and node.get(f"{TEXT}continue-numbering", "") != "true"
            and not node.get(f"{TEXT}continue-list", "")
        ):
            counts[:] = [0] * len(levels)
        for entry in node:
            if entry.tag not in (f"{TEXT}list-item", f"{TEXT}list-header"):
                continue
            marked = entry.tag == f"{TEXT}list-item"
            for child in entry:
                if child.tag == f"{TEXT}list":
                    yield from self._list(child, depth + 1, child.get(f"{TEXT}style-name", "") or style)
                elif child.tag in (f"{TEXT}p", f"{TEXT}h"):
                    label = self._count(counts, levels, depth, entry) if marked else ""
                    yield from self.paragraph(child, label, depth if marked else -1)
                    marked = False
                else:
                    yield from self.pieces([child])

    def _count(self, counts: list[int], levels: list[ListLevel], depth: int, entry: Node) -> str:
        depth = min(depth, len(levels) - 1)
        level = levels[depth]
        start = integer(entry.get(f"{TEXT}start-value", ""), 0)
        counts[depth] = start or max(counts[depth] + 1, level.start)
        counts[depth + 1 :] = [0] * (len(counts) - depth - 1)
        return _odf_list_label(counts, levels, depth)

    def _outline(self, node: Node, level: int) -> str:
        """The number of a heading, by the outline style."""
        depth = min(max(level, 1), len(self.styles.outline)) - 1
        if node.get(f"{TEXT}is-list-header", "") == "true" or not self.styles.outline[depth].kind:
            return ""
        counts = self.counts.setdefault("", [0] * len(self.styles.outline))
        return self._count(counts, self.styles.outline, depth, node)

    def _table(self, table: Node) -> Iterator[Piece]:
        rows = list(self._rows(table))
        nested, self.hanging = self.hanging, []
        if len(rows) == 1 and len(rows[0]) == 1:
            yield Piece(rows[0][0])
        else:
            yield Piece(paged_table(rows), TABLE)
        self.hanging = nested
        yield from self._hung()

    def _rows(self, table: Node) -> Iterator[list[str]]:
        for row in _table_rows(table):
            if row.tag == f"{TEXT}soft-page-break":
                yield [PAGE_BREAK]
                continue
            texts: list[str] = []
            for cell in row:
                if cell.tag not in (f"{TABLES}table-cell", f"{TABLES}covered-table-cell"):
                    continue
                text = self._cell(cell) if cell.tag == f"{TABLES}table-cell" else ""
                texts += [text] * min(max(integer(cell.get(f"{TABLES}number-columns-repeated", ""), 1), 1), MAX_REPEAT)
            self.cells += len(texts)
            if self.cells > MAX_CELLS:
                self.file.missing.append(f"the rest of its tables after {MAX_CELLS} cells")
                return
            repeat = integer(row.get(f"{TABLES}number-rows-repeated", ""), 1) if any(texts) else 1
            for _ in range(min(max(repeat, 1), MAX_REPEAT)):
                yield texts

    def _cell(self, cell: Node) -> str:
        """The text of a cell on one line; a table in it hangs."""
        out: list[str] = []
        for node in cell:
            if node.tag in (f"{TEXT}p", f"{TEXT}h"):
                out.append(self.text(node))
            elif node.tag == f"{TABLES}table":
                self.hanging.append(node)
            else:
                out.append(self._cell(node))
        return " ".join(" ".join(out).split())

    def _chart(self, root: Node) -> Iterator[Piece]:
        """The values of a chart, which it keeps in a table, under its title."""
        title = next((self.plain(node) for node in root.iter(f"{CHART}title")), "")
        table = next(root.iter(f"{TABLES}table"), None)
        if title:
            yield Piece(title)
        if table is not None:
            yield Piece(paged_table(list(self._rows(table))), TABLE, caption=title)


def _table_rows(parent: Node) -> Iterator[Node]:
    """Yield the rows and page breaks, of groups and headers too; those of a table in a table are not among them."""
    for node in parent:
        if node.tag in (f"{TABLES}table-row", f"{TEXT}soft-page-break"):
            yield node
        elif node.tag in ROW_GROUPS:
            yield from _table_rows(node)


def _odf_list_label(counts: list[int], levels: list[ListLevel], depth: int) -> str:
    level = levels[depth]
    if not level.kind:
        return ""
    shown = range(max(0, depth + 1 - max(level.shown, 1)), depth + 1)
    numbers = [
        format_numeral(max(counts[at], 1), NUMBERS.get(levels[at].kind, "decimal")) for at in shown if levels[at].kind
    ]
    return f"{level.before}{'.'.join(numbers)}{level.after}".strip()


def _odf_caption_pieces(text: str) -> Iterator[Piece]:
    """A caption can hold the picture that it belongs to."""
    for found in PICTURE.finditer(text):
        yield Piece(found[0], IMAGE)
    yield Piece(" ".join(PICTURE.sub("", text).split()), CAPTION)


def _odf_frame_alt_text(frame: Node) -> str:
    texts = {
        node.tag: " ".join((node.text or "").split()) for node in frame if node.tag in (f"{SVG}title", f"{SVG}desc")
    }
    return texts.get(f"{SVG}desc", "") or texts.get(f"{SVG}title", "")


LITERAL = {f"{TEXT}tab": "\t", f"{TEXT}line-break": "\n", f"{TEXT}soft-page-break": PAGE_BREAK}
PAGE_NUMBERS = {f"{TEXT}page-number", f"{TEXT}page-count"}
ROW_GROUPS = {f"{TABLES}{name}" for name in ("table-header-rows", "table-rows", "table-row-group")}

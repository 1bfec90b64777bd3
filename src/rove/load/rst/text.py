"""The tree of docutils as canonical text; roles and directives that it does not know (Sphinx's) are read as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import dedent
from typing import cast

from docutils import nodes

from rove.load.pipe_table import pipe_table

ROLE = re.compile(r":(?P<role>[\w:+.-]+):`(?P<text>.*)`|`(?P<last>.*)`:(?P<role2>[\w:+.-]+):", re.DOTALL)
TARGET = re.compile(r"(.*\S)\s*<[^<>]*>", re.DOTALL)
PROSE_ROLES = {
    "ref",
    "doc",
    "term",
    "numref",
    "abbr",
    "dfn",
    "guilabel",
    "menuselection",
    "keyword",
    "pep",
    "rfc",
    "any",
}
DIRECTIVE = re.compile(r"\.\. +(?P<name>[\w:+.-]+)::[ \t]*(?P<line>.*)")
OPTION = re.compile(r":[\w -]+:")
DROPPED = {
    "include", "raw", "literalinclude", "toctree", "contents", "index", "module", "currentmodule", "highlight", "meta",
    "tabularcolumns", "sectionauthor", "moduleauthor", "program", "default-role", "role", "title", "csv-table",
}  # fmt: skip
CODE = {
    "code",
    "code-block",
    "sourcecode",
    "prompt",
    "ipython",
    "parsed-literal",
    "productionlist",
    "testcode",
    "doctest",
}
SAID = {"versionadded", "versionchanged", "deprecated", "versionremoved", "seealso", "todo"}
ADMONITIONS = {"attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"}
SILENT = {"comment", "substitution_definition", "target", "pending", "meta", "decoration", "raw", "label", "docinfo"}
WRAPS = {"emphasis": "*", "strong": "**", "literal": "`", "math": "$"}
MAX_NESTED = 4
FENCES = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class Captioned:
    """A table as it was written, and what the document says it shows."""

    table: str
    caption: str


class Writer:
    """Writes one tree. `parse` reads the text within a directive that docutils does not know."""

    def __init__(self, parse: Callable[[str], nodes.document], nested: int = 0) -> None:
        self.parse = parse
        self.nested = nested
        self.captioned: list[Captioned] = []

    def blocks(self, parent: nodes.Element, level: int = 0) -> Iterator[str]:
        """Yield the paragraphs, lists, tables, … under `parent`; `level` is that of the section which it is in."""
        for child in parent.children:
            if isinstance(child, nodes.Element):
                yield from filter(None, self._block(child, level))

    def _block(self, node: nodes.Element, level: int) -> Iterator[str]:
        kind = node.tagname
        if kind in SILENT:
            return
        write = getattr(self, f"_write_{kind}", None)
        if write is not None:
            yield from cast("Iterator[str]", write(node, level))
        elif kind in ADMONITIONS:
            yield from self._noted(kind.capitalize(), node, level)
        elif isinstance(node, nodes.TextElement):
            yield _escape_block_marker(self.inline(node))
        else:
            yield from self.blocks(node, level)

    def inline(self, node: nodes.Element) -> str:
        """Return the text in a paragraph: emphasis, code, links and notes by their marks."""
        return "".join(
            self._inline(child) if isinstance(child, nodes.Element) else child.astext() for child in node.children
        )

    def _inline(self, node: nodes.Element) -> str:
        kind = node.tagname
        if kind in SILENT or kind == "system_message":
            return ""
        if kind in WRAPS:
            text = node.astext() if kind in {"literal", "math"} else self.inline(node)
            return f"{WRAPS[kind]}{text}{WRAPS[kind]}" if text.strip() else ""
        if kind in {"footnote_reference", "citation_reference"}:
            return f"[^{node.astext()}]"
        if kind == "image":
            return _image(node)
        if kind == "problematic":
            return _role(node.astext())
        text = self.inline(node)
        target = str(node.get("refuri", ""))
        return (
            f"[{text}]({target})" if kind == "reference" and target and target not in {text, f"mailto:{text}"} else text
        )

    def _write_section(self, node: nodes.Element, level: int) -> Iterator[str]:
        yield from self.blocks(node, level + 1)

    def _write_title(self, node: nodes.Element, level: int) -> Iterator[str]:
        yield f"{'#' * min(max(level, 1), 6)} {' '.join(self.inline(node).split())}"

    def _write_subtitle(self, node: nodes.Element, _: int) -> Iterator[str]:
        yield f"**{' '.join(self.inline(node).split())}**"

    def _write_topic(self, node: nodes.Element, level: int) -> Iterator[str]:
        if "contents" not in cast("Sequence[str]", node.get("classes", [])):
            yield from self._noted("", node, level)

    _write_sidebar = _write_admonition = _write_topic

    def _noted(self, name: str, node: nodes.Element, level: int) -> Iterator[str]:
        """A box in the margin, a warning: quoted, so that it is told from the text around it."""
        blocks: list[str] = []
        for child in node.children:
            if isinstance(child, nodes.title):
                name = " ".join(self.inline(child).split())
            elif isinstance(child, nodes.Element):
                blocks += self._block(child, level)
        text = "\n\n".join(block for block in blocks if block)
        yield "\n".join(f"> {line}".rstrip() for line in (f"{name}: {text}" if name else text).split("\n"))

    def _write_block_quote(self, node: nodes.Element, level: int) -> Iterator[str]:
        yield from self._noted("", node, level)

    def _write_literal_block(self, node: nodes.Element, _: int) -> Iterator[str]:
        classes = [
            name for name in cast("Sequence[str]", node.get("classes", [])) if name not in {"code", "literal-block"}
        ]
        yield _rst_code_block(node.astext(), classes[0] if classes else "")

    def _write_doctest_block(self, node: nodes.Element, _: int) -> Iterator[str]:
        yield _rst_code_block(node.astext(), "python")

    def _write_math_block(self, node: nodes.Element, _: int) -> Iterator[str]:
        yield f"$$\n{node.astext().strip()}\n$$"

    def _write_line_block(self, node: nodes.Element, _: int) -> Iterator[str]:
        lines = (self.inline(line) for line in node.findall(nodes.line))
        yield "\n".join(lines)

    def _write_bullet_list(self, node: nodes.Element, level: int) -> Iterator[str]:
        items = (self._item("- ", item, level) for item in _rst_child_elements(node))
        yield "\n".join(filter(None, items))

    def _write_enumerated_list(self, node: nodes.Element, level: int) -> Iterator[str]:
        start = int(str(node.get("start", 1)))
        yield "\n".join(self._item(f"{n}. ", item, level) for n, item in enumerate(_rst_child_elements(node), start))

    def _item(self, mark: str, item: nodes.Element, level: int) -> str:
        first, *rest = [*self.blocks(item, level), ""]
        below = "\n".join(f"  {line}".rstrip() for block in rest for line in block.split("\n") if block)
        return f"{mark}{first}" + (f"\n{below}" if below else "") if first else ""

    def _write_definition_list(self, node: nodes.Element, level: int) -> Iterator[str]:
        for item in _rst_child_elements(node):
            terms = [self.inline(part) for part in _rst_child_elements(item) if part.tagname in {"term", "classifier"}]
            yield f"**{' '.join(' : '.join(terms).split())}**"
            for part in _rst_child_elements(item):
                if part.tagname == "definition":
                    yield from self.blocks(part, level)

    def _write_field_list(self, node: nodes.Element, level: int) -> Iterator[str]:
        pairs = (_rst_child_elements(field) for field in _rst_child_elements(node))
        yield "\n".join(f"- {self.inline(p[0])}: {' '.join(self.blocks(p[1], level))}" for p in pairs if len(p) == 2)

    def _write_option_list(self, node: nodes.Element, level: int) -> Iterator[str]:
        pairs = (_rst_child_elements(item) for item in _rst_child_elements(node))
        yield "\n".join(f"- `{p[0].astext()}`: {' '.join(self.blocks(p[1], level))}" for p in pairs if len(p) == 2)

    def _write_footnote(self, node: nodes.Element, level: int) -> Iterator[str]:
        label = next((part.astext() for part in _rst_child_elements(node) if part.tagname == "label"), "")
        yield f"[^{label}]: {' '.join(' '.join(self.blocks(node, level)).split())}"

    _write_citation = _write_footnote

    def _write_image(self, node: nodes.Element, _: int) -> Iterator[str]:
        yield _image(node)

    def _write_table(self, node: nodes.Element, __: int) -> Iterator[str]:
        caption = " ".join(" ".join(self.inline(title) for title in node.findall(nodes.title)).split())
        head = [self._row(row) for part in node.findall(nodes.thead) for row in part.findall(nodes.row)]
        body = [self._row(row) for part in node.findall(nodes.tbody) for row in part.findall(nodes.row)]
        width = max(map(len, [*head, *body]), default=0)
        names: list[list[str]] = [[] for _ in range(width)]
        for row in head:
            for index, cell in enumerate(row):
                names[index] += [cell] if cell and cell not in names[index] else []
        header = [" ".join(cells) for cells in names]
        table = pipe_table([header, *body])
        if caption:
            self.captioned.append(Captioned(table, caption))
            yield caption
        yield table

    def _row(self, row: nodes.Element) -> list[str]:
        cells: list[str] = []
        for entry in _rst_child_elements(row):
            cells.append(" ".join(self.blocks(entry)))
            cells += [""] * min(int(str(entry.get("morecols", 0))), 100)
        return cells

    def _write_system_message(self, node: nodes.Element, level: int) -> Iterator[str]:
        """What docutils says of a directive that it does not know holds the directive's own text."""
        for literal in node.findall(nodes.literal_block):
            text = literal.astext()
            found = DIRECTIVE.match(text)
            if found and found["name"].rpartition(":")[2] not in DROPPED:
                yield from self._directive(found["name"], found["line"].strip(), text[found.end() :].strip("\n"), level)

    def _directive(self, name: str, argument: str, below: str, level: int) -> Iterator[str]:
        lines = dedent(below).split("\n")
        while lines and OPTION.match(lines[0]):
            lines.pop(0)
        inner = "\n".join(lines)
        if name in CODE:
            yield _rst_code_block(inner, argument.split(" ")[0])
            return
        if name in SAID or name in ADMONITIONS:
            inner = f"{name.capitalize()} {argument}: {inner.lstrip()}".replace(" : ", ": ")
        elif argument:
            yield f"`{argument}`" if "(" in argument or ":" in name else argument
        if self.nested < MAX_NESTED and inner.strip():
            writer = Writer(self.parse, self.nested + 1)
            yield from writer.blocks(self.parse(inner), level)
            self.captioned += writer.captioned


def _rst_child_elements(node: nodes.Element) -> list[nodes.Element]:
    return [child for child in node.children if isinstance(child, nodes.Element)]


def _escape_block_marker(text: str) -> str:
    text = text.strip()
    return "\\" + text if text.startswith(("#", "```", "~~~")) else text


def _image(node: nodes.Element) -> str:
    uri = str(node.get("uri", ""))
    return f"![{' '.join(str(node.get('alt', '')).split())}]({'' if uri.startswith('data:') else uri})"


def _role(text: str) -> str:
    """What a mark that docutils does not know shows: :func:`~os.path.join` is `join`, :ref:`here <x>` is here."""
    found = ROLE.fullmatch(text)
    if not found:
        return text.strip("`_|")
    role = (found["role"] or found["role2"]).rpartition(":")[2]
    shown = found["text"] or found["last"] or ""
    titled = TARGET.fullmatch(shown)
    shown = titled[1] if titled else shown.rpartition(".")[2] if shown.startswith("~") else shown.lstrip("!")
    return shown if titled or role in PROSE_ROLES else f"`{shown}`"


def _rst_code_block(text: str, language: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, FENCES.findall(text)), default=0))
    text = text.strip("\n")
    return f"{fence}{language}\n{text}\n{fence}" if text else ""

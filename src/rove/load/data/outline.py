"""Trees of names and values (JSON, XML) as text that a person reads: headings, lists, and tables of what repeats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rove.load.data.long_table import MAX_PART_CHARS
from rove.load.markdown import markdown_sections
from rove.load.table import pipe_table
from rove.load.text import clean, stem
from rove.records import Document, Source, content_hash

HEADING_DEPTH = 3  # what lies deeper is a list
MAX_DEPTH = 24
MIN_ROWS = 2


@dataclass(frozen=True, slots=True)
class Node:
    """A name with a value, with nodes under it, or both; without a name it is a paragraph or an item of a list."""

    label: str = ""
    text: str = ""
    children: tuple[Node, ...] = ()

    @property
    def size(self) -> int:
        """The characters of its values; 0 where it says nothing."""
        return len(self.text) + sum(child.size for child in self.children)

    @property
    def is_flat(self) -> bool:
        """Whether nothing lies deeper than its children, and no two of them have one name."""
        labels = [child.label for child in self.children]
        return not any(child.children for child in self.children) and len(set(labels)) == len(labels)


def outline(nodes: Sequence[Node], *, level: int = 1) -> str:
    r"""Return the nodes as canonical text, headings from `level` on.

    >>> print(outline([Node("city", "Győr"), Node("map", children=(Node("x", "1"), Node("y", "2")))]))
    - city: Győr
    <BLANKLINE>
    # map
    <BLANKLINE>
    - x: 1
    - y: 2
    """
    return "\n\n".join(_blocks(nodes, level))


def outline_documents(source: Source, title: str, nodes: Iterator[Node]) -> Iterator[Document]:
    """Yield the nodes as one document, or as several where there is much of them; `title` is the heading over all.

    An error of `nodes` is raised after the document of what came before it.
    """
    kept: list[Node] = []
    size = number = 0
    try:
        for node in nodes:
            kept.append(node)
            size += node.size
            if size > MAX_PART_CHARS:
                number += 1
                yield _document(source, title, kept, number)
                kept, size = [], 0
    except Exception:
        if size:
            yield _document(source, title, kept, number and number + 1)
        raise
    if size:
        yield _document(source, title, kept, number and number + 1)


def _document(source: Source, title: str, nodes: list[Node], number: int) -> Document:
    heading = f"# {title}\n\n" if title else ""
    text = clean(f"{heading}{outline(nodes, level=2 if title else 1)}\n")
    part = f"#part={number}" if number else ""
    uri = source.uri + part
    return Document(
        document_id=source.document_id + part if source.document_id else content_hash(uri),
        source=uri,
        kind=source.kind,
        text=text,
        title=f"{stem(source)} ({number})" if number else stem(source),
        sections=markdown_sections(text, setext=False),
    )


def _blocks(nodes: Sequence[Node], level: int) -> Iterator[str]:
    """Lists and tables first, then what has a heading of its own: nothing stands under one that is not in it."""
    listed: list[str] = []
    headed: list[list[Node]] = []
    for label, group in groupby(nodes, key=lambda node: node.label):
        run = list(group)
        table = _table(run)
        if not table and (level > HEADING_DEPTH or all(_is_short(node) for node in run)):
            listed += (line for node in run for line in _items(node, 0))
            continue
        if not table and any(node.children for node in run):
            headed.append(run)
            continue
        if listed:
            yield "\n".join(listed)
            listed = []
        if table:
            yield f"{label}:\n\n{table}" if label else table
        else:
            yield from (f"{label}:\n\n{node.text.strip()}" if label else _line(node.text) for node in run)
    if listed:
        yield "\n".join(listed)
    for run in headed:
        for number, node in enumerate(run, 1):
            yield from _section(node, number if len(run) > 1 else 0, level)


def _section(node: Node, number: int, level: int) -> Iterator[str]:
    label = node.label or "item"
    yield f"{'#' * level} {label} {number}" if number else f"{'#' * level} {label}"
    if node.text:
        yield _line(node.text)
    yield from _blocks(node.children, level + 1)


def _is_short(node: Node) -> bool:
    """Whether the node fits in an item: a value on one line, with attributes at most."""
    if not node.label and not node.children:
        return False
    return "\n" not in node.text.strip() and (not node.children or (bool(node.text) and node.is_flat))


def _items(node: Node, depth: int) -> Iterator[str]:
    indent = "  " * min(depth, MAX_DEPTH)
    text = " ".join(node.text.split())
    if node.text and node.is_flat and node.children:
        facts = ", ".join(f"{child.label}: {' '.join(child.text.split())}" for child in node.children)
        yield f"{indent}- {_named(node.label, text)} ({facts})"
        return
    if text or node.label:
        yield f"{indent}- {_named(node.label, text)}"
    for child in node.children:
        yield from _items(child, depth + 1)


def _named(label: str, text: str) -> str:
    return f"{label}: {text}" if label and text else label or text


def _table(run: Sequence[Node]) -> str:
    """The run as a table where it is one: several nodes, each flat, that share most of their names."""
    if len(run) < MIN_ROWS or not all(node.children and node.is_flat for node in run):
        return ""
    labels = list(dict.fromkeys(child.label for node in run for child in node.children))
    filled = sum(len(node.children) for node in run)
    if 2 * filled < len(labels) * len(run) or not all(labels):
        return ""
    header = [*labels, *([run[0].label or "text"] if any(node.text for node in run) else [])]
    cells = ({child.label: child.text for child in node.children} | {header[-1]: node.text} for node in run)
    if len(header) == len(labels):
        cells = ({child.label: child.text for child in node.children} for node in run)
    return pipe_table([header, *([row.get(name, "") for name in header] for row in cells)])


def _line(text: str) -> str:
    text = text.strip()
    return "\\" + text if text.startswith(("#", "```", "~~~")) else text

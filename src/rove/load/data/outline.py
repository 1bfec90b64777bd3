"""Trees of names and values (JSON, XML) as text that a person reads: headings, lists, and tables of what repeats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rove.load.data.long_table import MAX_PART_CHARS
from rove.load.markdown import markdown_sections
from rove.load.pipe_table import pipe_table
from rove.load.text import clean, stem
from rove.records import Document, Source, content_hash

HEADING_DEPTH = 3  # what lies deeper is a list
MAX_DEPTH = 24
MIN_ROWS = 2


@dataclass(frozen=True, slots=True)
class Branch:
    """A name with a value, with branches under it, or both; without a name it is a paragraph or an item of a list."""

    label: str = ""
    text: str = ""
    children: tuple[Branch, ...] = ()

    @property
    def size(self) -> int:
        """The characters of its values; 0 where it says nothing."""
        return len(self.text) + sum(child.size for child in self.children)

    @property
    def is_flat(self) -> bool:
        """Whether nothing lies deeper than its children, and no two of them have one name."""
        labels = [child.label for child in self.children]
        return not any(child.children for child in self.children) and len(set(labels)) == len(labels)


def outline(branches: Sequence[Branch], *, level: int = 1) -> str:
    r"""Return the branches as canonical text, headings from `level` on.

    >>> print(outline([Branch("city", "Győr"), Branch("map", children=(Branch("x", "1"), Branch("y", "2")))]))
    - city: Győr
    <BLANKLINE>
    # map
    <BLANKLINE>
    - x: 1
    - y: 2
    """
    return "\n\n".join(_outline_blocks(branches, level))


def outline_documents(source: Source, title: str, branches: Iterator[Branch]) -> Iterator[Document]:
    """Yield the branches as one document, or as several where there is much of them; `title` is the heading over all.

    An error of `branches` is raised after the document of what came before it.
    """
    kept: list[Branch] = []
    size = number = 0
    try:
        for branch in branches:
            kept.append(branch)
            size += branch.size
            if size > MAX_PART_CHARS:
                number += 1
                yield _outline_part_document(source, title, kept, number)
                kept, size = [], 0
    except Exception:
        if size:
            yield _outline_part_document(source, title, kept, number and number + 1)
        raise
    if size:
        yield _outline_part_document(source, title, kept, number and number + 1)


def _outline_part_document(source: Source, title: str, branches: list[Branch], number: int) -> Document:
    heading = f"# {title}\n\n" if title else ""
    text = clean(f"{heading}{outline(branches, level=2 if title else 1)}\n")
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


def _outline_blocks(branches: Sequence[Branch], level: int) -> Iterator[str]:
    """Lists and tables first, then what has a heading of its own: nothing stands under one that is not in it."""
    listed: list[str] = []
    headed: list[list[Branch]] = []
    for label, group in groupby(branches, key=lambda branch: branch.label):
        run = list(group)
        table = _branch_table(run)
        if not table and (level > HEADING_DEPTH or all(_can_be_list_item(branch) for branch in run)):
            listed += (line for branch in run for line in _branch_list_items(branch, 0))
            continue
        if not table and any(branch.children for branch in run):
            headed.append(run)
            continue
        if listed:
            yield "\n".join(listed)
            listed = []
        if table:
            yield f"{label}:\n\n{table}" if label else table
        else:
            yield from (
                f"{label}:\n\n{branch.text.strip()}" if label else _escape_block_start(branch.text) for branch in run
            )
    if listed:
        yield "\n".join(listed)
    for run in headed:
        for number, branch in enumerate(run, 1):
            yield from _outline_section(branch, number if len(run) > 1 else 0, level)


def _outline_section(branch: Branch, number: int, level: int) -> Iterator[str]:
    label = branch.label or "item"
    yield f"{'#' * level} {label} {number}" if number else f"{'#' * level} {label}"
    if branch.text:
        yield _escape_block_start(branch.text)
    yield from _outline_blocks(branch.children, level + 1)


def _can_be_list_item(branch: Branch) -> bool:
    """Whether the branch fits in an item: a value on one line, with attributes at most."""
    if not branch.label and not branch.children:
        return False
    return "\n" not in branch.text.strip() and (not branch.children or (bool(branch.text) and branch.is_flat))


def _branch_list_items(branch: Branch, depth: int) -> Iterator[str]:
    indent = "  " * min(depth, MAX_DEPTH)
    text = " ".join(branch.text.split())
    if branch.text and branch.is_flat and branch.children:
        facts = ", ".join(f"{child.label}: {' '.join(child.text.split())}" for child in branch.children)
        yield f"{indent}- {_label_with_text(branch.label, text)} ({facts})"
        return
    if text or branch.label:
        yield f"{indent}- {_label_with_text(branch.label, text)}"
    for child in branch.children:
        yield from _branch_list_items(child, depth + 1)


def _label_with_text(label: str, text: str) -> str:
    return f"{label}: {text}" if label and text else label or text


def _branch_table(run: Sequence[Branch]) -> str:
    """The run as a table where it is one: several branches, each flat, that share most of their names."""
    if len(run) < MIN_ROWS or not all(branch.children and branch.is_flat for branch in run):
        return ""
    labels = list(dict.fromkeys(child.label for branch in run for child in branch.children))
    filled = sum(len(branch.children) for branch in run)
    if 2 * filled < len(labels) * len(run) or not all(labels):
        return ""
    header = [*labels, *([run[0].label or "text"] if any(branch.text for branch in run) else [])]
    cells = ({child.label: child.text for child in branch.children} | {header[-1]: branch.text} for branch in run)
    if len(header) == len(labels):
        cells = ({child.label: child.text for child in branch.children} for branch in run)
    return pipe_table([header, *([row.get(name, "") for name in header] for row in cells)])


def _escape_block_start(text: str) -> str:
    text = text.strip()
    return "\\" + text if text.startswith(("#", "```", "~~~")) else text

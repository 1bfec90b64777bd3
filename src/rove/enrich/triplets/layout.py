"""What the layout of a text says: rows of tables, labels with a value, lists under a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rove.enrich.triplets.said import MOST_CHARS, Said
from rove.language.pipe_rows import table_rows
from rove.language.rendering import render
from rove.records.document import Span

MOST_LABEL, MOST_LABEL_WORDS = 40, 5
MOST_ITEMS = 40
"""A longer list is an index, and tells nothing of its heading."""
_LABEL = re.compile(
    r"^ {0,3}(?:> ?)?(?:[-*+•] )?(?:\*\*|__)?([^\W\d_][^\n:：*|]{1,39}?)"
    r"(?:\*\*|__)?[:：](?:\*\*|__)?[ \t]+(\S[^\n]*)$",
    re.M,
)
_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(\S[^\n]*)$", re.M)
_LETTER = re.compile(r"[^\W\d_]")
_MARKUP = re.compile(r"[*_`\[\]<>\\|]")
_SENTENCE_END = re.compile(r"[.!?…。！？;；:：]\W*\Z|[.!?] |[。！？；]")


class Stated(NamedTuple):
    """What a line says, and where it stands."""

    said: Said
    span: Span


def stated(text: str, kind: str, head: str, about: str, heading: str) -> Iterator[Stated]:
    r"""Yield what a chunk's layout says.

    Args:
        text: of the chunk.
        kind: of the chunk: "code" says nothing.
        head: the header of a table that began before it, "" where none did.
        about: what the document is about; "" if that is not known: then labels and lists say nothing.
        heading: the nearest above the chunk.

    >>> [one.said for one in stated("| City | Mayor |\n| --- | --- |\n| Oslo | Ingrid Dahl |", "table", "", "", "")]
    [Said(subject='Oslo', predicate='Mayor', object='Ingrid Dahl')]
    """
    if kind == "code":
        return
    if "|" in text:
        yield from _table_row_statements(text, head)
    if about:
        yield from _label_statements(text, about)
        yield from _list_item_statements(text, about, heading)


def _table_row_statements(text: str, head: str) -> Iterator[Stated]:
    """Each cell of a row is what its column says of the row's first cell."""
    for row in table_rows(text, head):
        if len(row.names) < 2 or len(row.cells) > len(row.names):
            continue
        subject = _strip_cell_markup(row.cells[0])
        if not _is_thing(subject):
            continue
        for name, cell in zip(row.names[1:], row.cells[1:], strict=False):
            predicate, value = _strip_cell_markup(name), _strip_cell_markup(cell)
            if (
                _LETTER.search(predicate)
                and len(predicate) <= MOST_LABEL
                and 0 < len(value) <= MOST_CHARS
                and value != subject
            ):
                yield Stated(Said(subject, predicate, value), row.span)


def _label_statements(text: str, about: str) -> Iterator[Stated]:
    """A line "Label: value" says something of what the document is about."""
    for match in _LABEL.finditer(text):
        label, value = match[1].strip(), _strip_cell_markup(match[2])
        if len(label.split()) <= MOST_LABEL_WORDS and 0 < len(value) <= MOST_CHARS and not _SENTENCE_END.search(value):
            yield Stated(Said(about, label, value), match.span())


def _list_item_statements(text: str, about: str, heading: str) -> Iterator[Stated]:
    """Short items of a list are what its heading announces."""
    if not heading or heading == about or len(heading.split()) > MOST_LABEL_WORDS or len(heading) > MOST_LABEL:
        return
    items = list(_ITEM.finditer(text))
    if len(items) > MOST_ITEMS or any(_SENTENCE_END.search(match[1]) for match in items):
        return
    for match in items:
        if _is_thing(item := _strip_cell_markup(match[1])):
            yield Stated(Said(about, heading, item), match.span())


def _strip_cell_markup(cell: str) -> str:
    plain = render(cell).line if _MARKUP.search(cell) else cell
    return plain.strip(" \t:：")


def _is_thing(text: str) -> bool:
    return 1 < len(text) <= MOST_CHARS and _LETTER.search(text) is not None

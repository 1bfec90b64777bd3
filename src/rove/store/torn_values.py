"""Texts and JSON in the catalog that are not as they were written: each costs itself, and doctor names it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, LargeBinary, cast, func, select, type_coerce

from rove.errors import ConfigError, count_text
from rove.store import tables
from rove.store.catalog_rows import (
    AnyRow,
    metadata_of,
    read_block,
    read_items,
    read_number,
    read_page,
    read_section,
    read_text_item,
)
from rove.store.database import Database
from rove.store.dialect import within
from rove.store.enriched_tables import metadata, summaries
from rove.store.people_tables import made_keys, people, read_texts
from rove.store.summaries import read_sentences
from rove.store.tables import Table
from rove.store.text_values import String, Text, read_text

READ_AT_ONCE = 1_000
NAMED = 5
"""Values that are named at most."""
AGAIN = "The rest is found. Add these documents again."
RIGHTS = "Who has no rights for that gets them anew: change the person, or revoke the key and make another."
WRONG = (ConfigError, ValueError, TypeError, AttributeError, RecursionError)


def _check_headings_json(text: str) -> None:
    read_items(text, read_text_item)


def _check_json_object(text: str) -> None:
    if type(json.loads(text)) is not dict:
        raise TypeError(text)


READERS: Mapping[str, Mapping[str, Callable[[str], object]]] = {
    tables.documents.name: {
        "metadata": metadata_of,
        "sections": lambda text: read_items(text, read_section),
        "pages": lambda text: read_items(text, read_page),
        "blocks": lambda text: read_items(text, read_block),
    },
    tables.enrichments.name: {"fields": metadata_of},
    tables.chunks.name: {
        "metadata": metadata_of,
        "headings": _check_headings_json,
        "parent": lambda text: read_items(text, read_number),
    },
    summaries.name: {"headings": _check_headings_json, "sentences": lambda text: read_sentences(json.loads(text))},
    tables.walk_events.name: {"event": _check_json_object},
    tables.flow_events.name: {"event": _check_json_object},
    people.name: {"spaces": read_texts, "labels": read_texts},
    made_keys.name: {"spaces": read_texts, "rights": read_texts, "labels": read_texts},
}
"""How the columns are read that hold JSON, by table."""
OF_PEOPLE = {people.name, made_keys.name}


@dataclass(frozen=True, slots=True)
class TornValue:
    """A value of the catalog that cannot be read.

    `document_id`: whose it is, of people and keys their name; "" where it is nobody's.
    """

    table: str
    column: str
    document_id: str

    def __str__(self) -> str:
        place = f"{self.column} in {self.table}"
        return f"{place} of {self.document_id!r}" if self.document_id else place


def torn_values(database: Database) -> list[TornValue]:
    """Read every text of the catalog, and return those that cannot be read, or are cut off. Blocks."""
    with database.snapshot() as connection:
        found = [value for table in metadata.sorted_tables for value in _find_torn_values(connection, table)]
        known = {(value.table, value.document_id) for value in found}
        cut = [TornValue(tables.texts.name, "text", name) for name in _cut_off(connection)]
        return found + [value for value in cut if (value.table, value.document_id) not in known]


def torn_remark(values: Sequence[TornValue]) -> str:
    """Say how many values cannot be read, which, and what to do."""
    shown = ", ".join(map(str, values[:NAMED])) + ", …" * (len(values) > NAMED)
    of_people = {value.table in OF_PEOPLE for value in values}
    cures = [AGAIN] * (False in of_people) + [RIGHTS] * (True in of_people)
    return f"{count_text(len(values), 'value')} cannot be read: {shown}. {' '.join(cures)}"


def _find_torn_values(connection: Connection, table: Table) -> Iterator[TornValue]:
    texts = [column for column in table.columns if isinstance(column.type, String | Text)]
    if not texts:
        return
    owner = table.columns.get("document")
    of_bytes = connection.dialect.name == "sqlite"  # others keep no text that is none
    read = [type_coerce(cast(column, LargeBinary), LargeBinary) if of_bytes else column for column in texts]
    query = select(*([] if owner is None else [owner]), *read)
    found: list[tuple[int | None, str, str]] = []
    at = 0 if owner is None else 1
    names = [column.name for column in texts]
    named = next((one for one in ("document_id", "name") if one in names), "")
    for row in connection.execution_options(yield_per=READ_AT_ONCE).execute(query):
        for name in _unreadable_columns(table.name, names, row[at:]):
            own = read_text(row[at + names.index(named)]) if named else ""
            found.append((row[0] if at else None, own or "", name))
    ids = _document_ids_by_seq(connection, [seq for seq, _, _ in found if seq is not None])
    for seq, own, name in found:
        yield TornValue(table.name, name, own or ids.get(seq, ""))


def _unreadable_columns(table: str, names: Sequence[str], values: Sequence[Any]) -> Iterator[str]:
    readers = READERS.get(table, {})
    for name, value in zip(names, values, strict=True):
        try:
            text = value.decode() if isinstance(value, bytes) else value
            if text and name in readers:
                readers[name](text)
        except WRONG:
            yield name


def _document_ids_by_seq(connection: Connection, seqs: Sequence[int]) -> dict[int | None, str]:
    d = tables.documents.c
    rows = connection.execute(select(d.seq, d.document_id).where(within(d.seq, list(set(seqs))))) if seqs else ()
    return {int(row.seq): str(row.document_id) for row in rows}


def _cut_off(connection: Connection) -> Iterator[str]:
    """Yield the documents whose texts end before their chunks do."""
    c, d, t = tables.chunks.c, tables.documents.c, tables.texts.c
    last = select(c.document, func.max(c.end).label("last")).group_by(c.document).subquery()
    query = select(d.document_id).join(tables.texts, t.document == d.seq).join(last, last.c.document == d.seq)
    rows: Sequence[AnyRow] = connection.execute(query.where(func.length(t.text) < last.c.last)).all()
    yield from (str(row.document_id) for row in rows)

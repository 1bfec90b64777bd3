"""Fields that people set: they win over what a document says of itself, and stay when its file changes.

They are kept by the document's id. A version of it that comes in gets them as an enricher's findings stand beside it,
so that filters, the list and every index read them alike; they go when the document goes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection, delete, select

from rove.records import Prepared
from rove.records.metadata import stored_fields
from rove.records.source import Metadata, MetaValue
from rove.store import tables
from rove.store.catalog_rows import column_json, readable_metadata
from rove.store.database import Database, insert_rows
from rove.store.dialect import within
from rove.store.enriched_tables import set_fields

TAGS = "tags"
NOTHING = "{}"
"""What stands in the place of fields that were all taken back."""


class SetFields:
    """The fields that people have set in one base. Calls block; `tagged` and `put` need the base to be held."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, document_ids: Collection[str]) -> dict[str, dict[str, MetaValue]]:
        """What was set of these documents; one of which nothing was is absent."""
        with self._database.read() as connection:
            return read_fields(connection, document_ids)

    def put(self, fields: Mapping[str, Mapping[str, MetaValue | None]]) -> Mapping[str, Mapping[str, MetaValue | None]]:
        """Set fields of documents, by id; None takes one back. Returned is the same, which `Catalog.enrich` is told."""
        with self._database.write() as connection:
            before = read_fields(connection, list(fields))
            rows = [(name, _merge_fields_json(before.get(name, {}), given)) for name, given in fields.items()]
            insert_rows(connection, set_fields, rows, replace=True)
        return fields

    def tagged(
        self, document_ids: Sequence[str], add: Iterable[str], remove: Iterable[str]
    ) -> Mapping[str, Mapping[str, MetaValue | None]]:
        """Put tags on documents and take others off them: what stands then is set, also where it is none."""
        d, e = tables.documents.c, tables.enrichments
        query = select(d.document_id, d.metadata, e.c.fields).outerjoin(e, e.c.document == d.seq)
        with self._database.read() as connection:
            rows = connection.execute(query.where(within(d.document_id, document_ids), d.revision > 0)).all()
        fresh, gone = list(dict.fromkeys(add)), set(remove)
        changed: dict[str, dict[str, MetaValue | None]] = {}
        for row in rows:
            value = (readable_metadata(row.metadata, row.fields) or {}).get(TAGS, ())
            held = value if isinstance(value, tuple) else (str(value),)
            after = tuple(one for one in dict.fromkeys([*held, *fresh]) if one not in gone)
            if after != held:
                changed[row.document_id] = {TAGS: after}
        return self.put(changed)


def read_fields(connection: Connection, document_ids: Collection[str]) -> dict[str, dict[str, MetaValue]]:
    """See `SetFields.of`."""
    query = select(set_fields).where(within(set_fields.c.document_id, document_ids))
    rows = connection.execute(query.where(set_fields.c.fields != NOTHING))
    return {row.document_id: readable_metadata(row.fields) or {} for row in rows}


def stand_beside(connection: Connection, seqs: Mapping[str, int]) -> None:
    """Let what was set stand beside new versions of documents, whose row numbers are given by their ids."""
    rows = [(seqs[name], column_json(fields), False) for name, fields in read_fields(connection, list(seqs)).items()]
    insert_rows(connection, tables.enrichments, rows, replace=True)


def forget_set(connection: Connection, document_ids: Collection[str]) -> None:
    """Let go of what was set of documents that go."""
    connection.execute(delete(set_fields).where(within(set_fields.c.document_id, document_ids)))


def as_set(database: Database, prepared: Sequence[Prepared]) -> Sequence[Prepared]:
    """Return documents with what people have set of them, as an index is told of it."""
    fields = SetFields(database).of([item.document.document_id for item in prepared])
    if not fields:
        return prepared
    return [_add_set_fields(item, fields.get(item.document.document_id, {})) for item in prepared]


def _add_set_fields(item: Prepared, fields: Metadata) -> Prepared:
    if not fields:
        return item
    return replace(item, chunks=[replace(one, metadata={**one.metadata, **fields}) for one in item.chunks])


def _merge_fields_json(before: Metadata, given: Mapping[str, MetaValue | None]) -> str:
    left = {name: value for name, value in before.items() if name not in given}
    return json.dumps({**left, **stored_fields(given)}, ensure_ascii=False, separators=(",", ":"))

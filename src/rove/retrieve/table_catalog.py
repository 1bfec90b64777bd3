"""The tables that a base describes, read back from its documents of kind "schema", and how their keys join them."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from weakref import WeakKeyDictionary

from rove.language.schema_text import SCHEMA, schema_of
from rove.records import DocumentInfo, Filter
from rove.records.schema import TableSchema
from rove.retrieve.name_evidence import NameEvidence
from rove.store.document_query import DocumentQuery
from rove.store.store import Store

MOST_JOINS = 3
"""Joins on the way between two tables that were found, at most."""
MOST_PARTS = 8
"""Parts of a base that different callers may see, which are kept."""
KEY_ENDINGS = ("id", "key", "code", "cd", "no", "nr", "num", "entry", "number")
"""How the name of a column ends that stands for a key where no foreign key is declared."""


@dataclass(frozen=True, slots=True)
class Catalogued:
    """A table that a document describes."""

    info: DocumentInfo
    schema: TableSchema


@dataclass(frozen=True)
class TableCatalog:
    """Tables by the ids of their documents, and of each the tables that one join leads to."""

    tables: Mapping[str, TableSchema]
    neighbours: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    @classmethod
    def of(cls, tables: Mapping[str, TableSchema]) -> TableCatalog:
        """Work out which tables join: by declared foreign keys; in a database without any, by names of keys."""
        by_database: defaultdict[str, dict[str, TableSchema]] = defaultdict(dict)
        for document_id, table in tables.items():
            by_database[table.database.casefold()][document_id] = table
        joined: defaultdict[str, set[str]] = defaultdict(set)
        for group in by_database.values():
            for one, other in _joins(group):
                joined[one].add(other)
                joined[other].add(one)
        return cls(tables, {document_id: frozenset(found) for document_id, found in joined.items()})

    @cached_property
    def names(self) -> NameEvidence:
        """The names of these tables, looked up by the words of questions."""
        return NameEvidence(self.tables)

    def path(self, start: str, end: str) -> list[str]:
        """The tables on a shortest way of joins between two, without these; [] where none is short enough, or needed.

        Of several that are as short it is the first by id.
        """
        before = {start: ""}
        waiting = deque([(start, 0)])
        while waiting:
            at, joins = waiting.popleft()
            if at == end:
                way = list[str]()
                while (at := before[at]) and at != start:
                    way.append(at)
                return way[::-1]
            if joins < MOST_JOINS:
                for other in sorted(self.neighbours.get(at, ())):
                    if other not in before:
                        before[other] = at
                        waiting.append((other, joins + 1))
        return []


def tables_of(store: Store, access_filter: Filter | None = None) -> TableCatalog:
    """Return the tables that documents of a base describe, those alone that an access filter lets through. Blocks."""
    with _lock:
        held = _held.get(store)
        if held is None or held[0] < store.documents.revision():
            held = _held[store] = (store.documents.revision(), _read_table_catalog(store))
    if access_filter is None:
        return held[1].catalog
    seen = {one.info.document_id: one.schema for one in held[1].found if access_filter.matches(one.info.fields)}
    with _lock:
        parts, key = held[1].parts, frozenset(seen)
        if key not in parts:
            if len(parts) >= MOST_PARTS:
                parts.pop(next(iter(parts)))
            parts[key] = TableCatalog.of(seen)
        return parts[key]


@dataclass(frozen=True, slots=True)
class _Read:
    """All tables of a base; `parts`: those that different callers may see, the last few."""

    found: list[Catalogued]
    catalog: TableCatalog
    parts: dict[frozenset[str], TableCatalog] = field(default_factory=dict[frozenset[str], TableCatalog])


_held: WeakKeyDictionary[Store, tuple[int, _Read]] = WeakKeyDictionary()
_lock = Lock()


def _read_table_catalog(store: Store) -> _Read:
    infos = store.documents.find_documents([DocumentQuery(kind=SCHEMA)])[0]
    texts = store.documents.texts([info.document_id for info in infos])
    found = [Catalogued(info, table) for info in infos if (table := schema_of(texts.get(info.document_id, "")))]
    return _Read(found, TableCatalog.of({one.info.document_id: one.schema for one in found}))


def _joins(group: Mapping[str, TableSchema]) -> Iterable[tuple[str, str]]:
    """The pairs of tables of one database that a key joins."""
    return list(_foreign_key_pairs(group)) or list(_by_names(group))


def _foreign_key_pairs(group: Mapping[str, TableSchema]) -> Iterable[tuple[str, str]]:
    named = {table.name.casefold(): document_id for document_id, table in group.items()}
    for document_id, table in group.items():
        for column in table.columns:
            target, _, _ = column.references.rpartition(".")
            if column.references and (other := named.get((target or column.references).casefold())):
                yield document_id, other


def _by_names(group: Mapping[str, TableSchema]) -> Iterable[tuple[str, str]]:
    """Pairs of which one has a column of the name of the other's key, which is the key of no third."""
    owners: defaultdict[str, list[str]] = defaultdict(list)
    for document_id, table in group.items():
        for column in table.columns:
            if column.is_key and len(column.name) > 3 and column.name.casefold().endswith(KEY_ENDINGS):
                owners[column.name.casefold()].append(document_id)
    for document_id, table in group.items():
        for column in table.columns:
            owner = owners.get(column.name.casefold(), ())
            if len(owner) == 1 and owner[0] != document_id:
                yield document_id, owner[0]

"""Names of the fields that documents have, so that a filter on an unknown field is reported."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection

from sqlalchemy import select

from rove.errors import nearest_name
from rove.records import Filter, Note
from rove.records.filter import BUILT_IN, access_filter_of, fields_named
from rove.store import tables
from rove.store.catalog_rows import readable_metadata
from rove.store.dialect import json_names, within
from rove.store.documents import Documents

CACHED_FILTERS = 16
"""Access filters for which the names of fields are cached."""


class FieldNames:
    """Looks the names up once for each state of the base, and only where a filter names one that was not met before."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self._known: dict[Filter | None, tuple[int, frozenset[str]]] = {}

    async def on(self, where: Filter | None) -> list[Note]:
        """Return a note on each field that a filter names and no document has. See `notes`."""
        names, access_filter = fields_named(where), access_filter_of(where)
        if self.are_known(names, access_filter):
            return []
        return await asyncio.to_thread(self.notes, names, access_filter)

    def are_known(self, names: Collection[str], access_filter: Filter | None) -> bool:
        """Say whether all of these fields have been met before. Costs microseconds."""
        return self._known.get(access_filter, (-1, frozenset[str]()))[1].issuperset(set(names).difference(BUILT_IN))

    def notes(self, names: Collection[str], access_filter: Filter | None) -> list[Note]:
        """Return a note on each of these fields that no visible document has, with the name that may be meant. Blocks.

        What is said is the same whether documents that are hidden have the field or not.
        """
        wanted = sorted(set(names).difference(BUILT_IN))
        at, known = self._known.get(access_filter, (-1, frozenset[str]()))
        revision = self.documents.revision()
        if at != revision and not known.issuperset(wanted):
            known = self._look(access_filter)
            if len(self._known) >= CACHED_FILTERS:
                self._known.clear()
            self._known[access_filter] = (revision, known)
        absent = [name for name in wanted if name not in known]
        return [_unknown_field_note(name, nearest_name(name, (*known, *BUILT_IN))) for name in absent]

    def _look(self, access_filter: Filter | None) -> frozenset[str]:
        d, e, c = tables.documents.c, tables.enrichments.c, tables.chunks.c
        query = select(d.seq, d.document_id, d.source, d.title, d.kind.label("type"), d.language, d.metadata, e.fields)
        query = query.outerjoin(tables.enrichments, e.document == d.seq).where(d.revision > 0)
        names: set[str] = set()
        for part in self.documents.parts:
            visible: list[int] = []
            with part.database.read() as connection:
                for row in connection.execute(query):
                    own = readable_metadata(row.metadata, row.fields) or {}
                    if access_filter is None or access_filter.matches({**own, **row._mapping}):  # pyright: ignore[reportPrivateUsage] - public
                        names.update(own)
                        visible.append(row.seq)
                of_chunks = (
                    select(json_names(c.metadata)).where(c.metadata != "", within(c.document, visible)).distinct()
                )
                for found in connection.execute(of_chunks).scalars():
                    names.update(json.loads(found))
        return frozenset(names)


def _unknown_field_note(name: str, other: str) -> Note:
    return Note("no-field-but", {"name": name, "other": other}) if other else Note("no-field", {"name": name})

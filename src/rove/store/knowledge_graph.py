"""The graph of knowledge as questions see it: what a graph store finds, and the catalog says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import cached_property, partial
from typing import Any, Literal
from uuid import uuid4

from sqlalchemy import func, select

from rove.errors import ServiceError
from rove.records.graph import Relation
from rove.settings import GraphSettings
from rove.store import enriched_tables, tables
from rove.store.catalog import Catalog
from rove.store.catalog_graph import CatalogGraph
from rove.store.catalog_rows import slices
from rove.store.dialect import within
from rove.store.documents import Documents
from rove.store.graph_store import CATALOG, GRAPH_STORES, Edge, End, GraphStore, Touch, firsts
from rove.store.triplets import Triplets

Direction = Literal["out", "in", "both"]
Seen = Callable[[Mapping[str, str]], Collection[str]]
"""Given chunks, each with its document's id, says which of them may be seen."""
BASE, FOLLOWED = "graph-base", "graph-followed"
"""Facts: what tells this base from others in a graph database; and what that held when it last followed."""


@contextmanager
def _explain_erase_failure() -> Generator[None]:
    try:
        yield
    except ServiceError as error:
        message = f"What was erased is gone from the base, but not yet from the graph database. {error.reason}"
        raise ServiceError(message, cure="Once it can be reached: rove doctor", retryable=False) from error


class KnowledgeGraph:
    """Relations by the entities that they speak of.

    A graph store beside the catalog follows it: before a question, once something has changed, and at each erasure.
    What it finds is read from the catalog, so that nothing is shown that is no longer there.
    """

    def __init__(
        self,
        documents: Documents,
        catalog: Catalog,
        settings: GraphSettings,
        writing: Callable[[], AbstractAsyncContextManager[object]],
    ) -> None:
        """`documents`: what is read; `catalog`: what is written, of which the graph store is. `writing` holds it."""
        self.settings = settings
        self._documents = documents
        self._catalog = catalog
        self._writing = writing

    @cached_property
    def store(self) -> GraphStore:
        """What is looked through. Its library is not loaded before it is needed. Blocks."""
        make = GRAPH_STORES.get(self.settings.store)
        return make(database=self._catalog.database, settings=self.settings, base=self._catalog.fact(BASE))

    @cached_property
    def _stores(self) -> Sequence[GraphStore]:
        """What each part is looked through by: the further ones by their own catalogs."""
        plain = GraphSettings()
        others = (CatalogGraph(database=part.database, settings=plain, base="") for part in self._documents.parts[1:])
        return (self.store, *others)

    @cached_property
    def _triplets(self) -> Sequence[Triplets]:
        return [Triplets(part.database) for part in self._documents.parts]

    @property
    def follows(self) -> bool:
        """Whether there is a graph store beside the catalog."""
        return self.settings.store != CATALOG

    def touching(
        self,
        keys: Collection[str],
        *,
        direction: Direction = "both",
        most: int,
        space: str = "",
        only_aliases: bool = False,
        seen: Seen | None = None,
    ) -> list[Relation]:
        """Return relations of entities by their keys: those "out" of it, "in" to it, or both; at most so many of each.

        Other names are in every direction. `space`: of the facts that walks have learned, those of this space. `seen`:
        what may be seen; what may not takes no place of another. Blocks; see `ready`.

        Raises:
            ServiceError: the graph store cannot be reached.
        """
        wanted = frozenset(keys)
        seqs: list[set[int]] = [set() for _ in self._documents.parts]
        ends: tuple[tuple[End, bool], ...] = (("subject", direction == "in"), ("object", direction == "out"))
        for end, against in ends:
            look = partial(self._touches, wanted, end, space=space, only_aliases=only_aliases or against)
            found = look(most=None if seen else most)
            if seen:
                chunks = seen({touch.chunk_id: touch.document_id for touch in found})
                found = [touch for touch in found if touch.chunk_id in chunks]
            for touch in firsts(found, most):
                seqs[touch.part].add(touch.seq)
        relations = (one for part, some in zip(self._triplets, seqs, strict=True) for one in part.relations(some))
        return [one for one in relations if {one.triplet.subject_key, one.triplet.object_key} & wanted]

    def _touches(
        self, keys: Collection[str], end: End, *, space: str, only_aliases: bool, most: int | None
    ) -> list[Touch]:
        """What touches entities, part by part. Walks have learned in the first."""
        found: list[Touch] = []
        for at, hidden in enumerate(self._documents.shadowed()):
            look = partial(self._stores[at].touching, keys, end, spaces=[""] if at else sorted({"", space}))
            touches = look(only_aliases=only_aliases, most=None if hidden else most)
            found += [touch._replace(part=at) for touch in touches if touch.document_id not in hidden]
        return found

    def of_documents(self, document_ids: Collection[str], *, space: str = "") -> list[Relation]:
        """Return what these documents say, in the order of their text. Blocks."""
        return self._of(lambda part, space: part.of_documents(document_ids, space=space), space)

    def of_chunks(self, chunk_ids: Collection[str], *, space: str = "") -> list[Relation]:
        """Return what these chunks say. Blocks."""
        return self._of(lambda part, space: part.of_chunks(chunk_ids, space=space), space)

    def _of(self, look: Callable[[Triplets, str], list[Relation]], space: str) -> list[Relation]:
        found: list[Relation] = []
        for at, (part, hidden) in enumerate(zip(self._triplets, self._documents.shadowed(), strict=True)):
            found += [one for one in look(part, "" if at else space) if one.document_id not in hidden]
        return found

    # -- a graph store beside the catalog --------------------------------------------------------------------------

    async def ready(self) -> None:
        """Let the graph store take over what has changed, if anything has."""
        if self.follows and await asyncio.to_thread(self._is_behind):
            async with self._writing():
                await asyncio.to_thread(self.follow)

    def follow(self, *, thorough: bool = False) -> list[str]:
        """Let the graph store take over what has changed; says what was wrong. Blocks; the caller holds the base.

        `thorough`: hold all that it has against the catalog, even if nothing has changed.
        """
        before, now = self._followed(), self._state()
        settled = before == now or not (before["count"] or now["count"])
        if not self.follows or (settled and not thorough):
            return []
        if not self._catalog.fact(BASE):
            self._catalog.set_fact(BASE, uuid4().hex)
            for made in ("store", "_stores"):
                self.__dict__.pop(made, None)
        gone, missing = dict[int, str](), list[int]()
        if thorough or before["store"] != now["store"] or self._count(before["last"]) != before["count"]:
            held = self.store.held()
            wanted = set(self._seqs(0, now["last"]))
            gone = {seq: key for seq, key in held.items() if seq not in wanted}
            missing = sorted(wanted.difference(held))
            self.store.remove(gone)
        else:
            missing = self._seqs(before["last"], now["last"])
        for edges in self._edges(missing):
            self.store.add(edges)
        self._catalog.set_fact(FOLLOWED, json.dumps(now))
        kinds = ((missing, "missing from the graph store"), (gone, "in the graph store only"))
        return [f"{len(some)} triplets were {words}" for some, words in kinds if some]

    async def let_go(self) -> None:
        """Take out of a graph store beside the catalog what has just been erased. The caller does not hold the base.

        Raises:
            ServiceError: it cannot be reached, and still has it.
        """
        with _explain_erase_failure():
            await self.ready()

    def let_go_held(self) -> None:
        """See `let_go`; the caller holds the base. Blocks."""
        with _explain_erase_failure():
            self.follow()

    def close(self) -> None:
        """Release connections."""
        if "store" in self.__dict__:
            self.store.close()

    def _is_behind(self) -> bool:
        return self._followed() != self._state()

    def _followed(self) -> dict[str, Any]:
        """What the graph store held when it last followed; see `_state`."""
        kept = self._catalog.fact(FOLLOWED)
        return json.loads(kept) if kept else {"store": "", "count": 0, "last": 0}

    def _state(self) -> dict[str, Any]:
        """Tell all triplets by how many there are and the last row number, since none of these comes twice."""
        t = enriched_tables.triplets.c
        with self._catalog.database.read() as connection:
            count, last = connection.execute(select(func.count(), func.max(t.seq))).one()
        return {"store": f"{self.settings.store} {self.settings.url}", "count": count, "last": last or 0}

    def _count(self, last: int) -> int:
        with self._catalog.database.read() as connection:
            query = select(func.count()).where(enriched_tables.triplets.c.seq <= last)
            return int(connection.execute(query).scalar() or 0)

    def _seqs(self, after: int, last: int) -> list[int]:
        t = enriched_tables.triplets.c
        with self._catalog.database.read() as connection:
            return list(connection.execute(select(t.seq).where(t.seq > after, t.seq <= last)).scalars())

    def _edges(self, seqs: list[int]) -> Iterator[list[Edge]]:
        t, d, m = enriched_tables.triplets.c, tables.documents.c, tables.memory_facts.c
        query = select(
            t.seq, t.subject, t.predicate, t.object, t.subject_key, t.object_key, t.chunk_id, d.document_id,
            func.coalesce(m.space, ""),
        )  # fmt: skip
        query = query.join(tables.documents, d.seq == t.document)
        query = query.outerjoin(tables.memory_facts, m.memory_id == t.memory_id)
        for part in slices(seqs, 5_000):
            with self._catalog.database.read() as connection:
                yield [Edge(*row) for row in connection.execute(query.where(within(t.seq, part)))]

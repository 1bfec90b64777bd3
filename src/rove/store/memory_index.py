"""The index of the embedded search: arrays in memory or mapped from a snapshot; the reference for other indexes."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rove.records import Filter
from rove.records.filter import access_filter_of
from rove.records.metadata import stored_fields
from rove.records.source import MetaValue
from rove.settings import StoreSettings
from rove.store import IndexRow, Recalled, Scored, Vector
from rove.store.both_sets import BothSets
from rove.store.document_vectors import Floats
from rove.store.field_columns import Columns, pack_columns, packed_parts
from rove.store.ids import Ids
from rove.store.languages import Languages
from rove.store.name_rows import NameRows
from rove.store.postings import Postings
from rove.store.search_lists import by_frequency, coverage
from rove.store.segments import Ints
from rove.store.snapshot import Mapped, Snapshot
from rove.store.vector_set import VectorSet
from rove.store.visible_rows import Sight, VisibleRows

DEFAULTS = StoreSettings(document_share=0.0)
DECIMALS = 6
"""Decimals of a cosine: beyond them processors differ, and so would the order of ties."""


class MemoryIndex:
    """See `Index`. Exact up to 2,097,152 chunks; beyond, see `Nearest`. About 5 · dimension bytes a chunk, 5 a posting.

    Without settings, chunks are scored by themselves: `StoreSettings.document_share` is 0 then, see `Postings`.
    """

    def __init__(
        self,
        *,
        dimension: int,
        folder: Path | None = None,
        settings: StoreSettings = DEFAULTS,
    ) -> None:
        del folder
        self.dimension = dimension
        self.settings = settings
        self._clear()

    def _clear(self) -> None:
        self._ids = Ids()
        self._restored = 0
        self._alive: NDArray[np.bool_] = np.zeros(0, bool)
        self._vectors = BothSets(self.dimension)
        self._columns = Columns()
        self._languages = Languages()
        self._postings = Postings(k1=self.settings.k1, b=self.settings.b, document_share=self.settings.document_share)
        self._names = NameRows()
        self._sight = Sight()
        self.damaged: dict[str, Mapping[str, MetaValue]] = {}
        """Chunks that are not held since they cannot be read, and what can be read of their fields."""

    def packed(self, revision: int) -> Snapshot:
        """Return the live chunks as arrays: a snapshot of the base at that revision. See `restore`."""
        keep = self._alive
        columns = pack_columns(self._columns, keep)
        languages, codes = self._languages.packed(keep)
        postings = self._postings.packed(keep)
        vectors, totals = self._vectors.packed(keep)
        arrays = {
            **self._ids.packed(keep),
            **vectors,
            **postings,
            **self._names.packed(keep),
            **columns.arrays,
            "language_codes": codes,
        }
        facts = {
            "dimension": self.dimension,
            "languages": languages,
            "columns": columns.described,
            **totals,
        }
        if self.damaged:
            facts["damaged"] = self.damaged
        return Snapshot(revision, arrays, facts)

    def restore(self, kept: Mapped) -> None:
        """Replace everything by what `packed` returned; arrays are taken over without a copy."""
        self._clear()
        self._ids.restore(kept.arrays)
        self._languages.restore(kept.facts["languages"], kept.arrays["language_codes"])
        self._restored = len(self._ids)
        self._alive = np.ones(self._restored, bool)
        shallow = self._vectors.restore(kept.arrays, kept.facts)
        self._vectors.shallow_ids.update(self._ids.of(shallow))
        self._columns = Columns(packed_parts(kept.facts["columns"], kept.arrays))
        self._postings.restore(kept.arrays)
        self._names.restore(kept.arrays)
        self.damaged = {name: stored_fields(fields) for name, fields in kept.facts.get("damaged", {}).items()}

    @property
    def live(self) -> int:
        """Number of chunks that are held."""
        return self._ids.live

    @property
    def shallow(self) -> int:
        """Number of chunks that are held with the stand-in's vector: see `rove.store.shallow`."""
        return len(self._vectors.shallow_ids)

    @property
    def added(self) -> int:
        """Number of rows that were added since `restore`, if any: these are in memory, and not mapped."""
        return len(self._ids) - self._restored

    def ids(self) -> list[str]:
        """The id of every chunk that is held."""
        return self._ids.of(np.flatnonzero(self._alive))

    def recall(self) -> dict[str, Recalled]:
        """See `RecallingIndex.recall`."""
        of = [self._columns.column(name) for name in ("document_id", "source", "title")]
        rows: Counter[tuple[int, ...]] = Counter(
            zip(*(column.codes[self._alive].tolist() for column in of), strict=True)
        )
        found: dict[str, Recalled] = {}
        for codes, count in rows.items():
            document_id, source, title = (str(column.values[code]) for column, code in zip(of, codes, strict=True))
            found[document_id] = Recalled(source, title, count)
        return found

    def held(self, scored: Sequence[Scored]) -> list[Scored]:
        """Return those whose chunk is held."""
        return [one for one in scored if self._ids.row(one[0]) is not None]

    @property
    def dead(self) -> int:
        """Number of rows of forgotten chunks, which cost memory until the index is made anew."""
        return len(self._ids) - self._ids.live

    def extend(self, rows: Sequence[IndexRow]) -> None:
        """Add chunks; one that is there already is replaced, and one that is damaged forgotten. Blocks."""
        latest = {row.chunk_id: row for row in rows}
        if not latest:
            return
        self.discard(latest)
        if damaged := {row.chunk_id: row.fields for row in latest.values() if row.damaged}:
            self.damaged |= damaged
            latest = {chunk_id: row for chunk_id, row in latest.items() if not row.damaged}
            if not latest:
                return
        self._vectors.extend(list(latest.values()), len(self._ids))
        self._columns.extend([row.fields for row in latest.values()])
        self._languages.extend([row.language for row in latest.values()])
        documents = [row.fields.get("document_id", row.chunk_id) for row in latest.values()]
        self._names.extend(list(latest.values()), len(self._ids))
        self._postings.extend([row.terms for row in latest.values()], documents)
        self._alive = np.concatenate([self._alive, np.ones(len(latest), bool)])
        self._ids.extend(latest)

    def discard(self, chunk_ids: Collection[str]) -> None:
        """Forget chunks; unknown ids are ignored. Blocks."""
        for chunk_id in self.damaged.keys() & chunk_ids if self.damaged else ():
            del self.damaged[chunk_id]
        gone = self._ids.discard(chunk_ids)
        if gone:
            alive = self._alive.copy()
            alive[gone] = False
            self._alive = alive
            self._vectors.discard(np.array(gone), chunk_ids)

    def best_keyword(self, terms: Sequence[str], *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.keyword`. Blocks for well under a millisecond per 10,000 chunks."""
        mask = None if where is None else self._columns.mask(where)
        rows, scores = self._postings.best(terms, self._rows(access_filter_of(where)), top_k, mask)
        return self._best(rows, scores, top_k)

    def _rows(self, access_filter: Filter | None) -> NDArray[np.bool_]:
        """The live rows that an access filter lets through: (n,) bool, the same array until something changes."""
        return self._alive if access_filter is None else self._seen(access_filter).rows

    def _seen(self, access_filter: Filter | None) -> VisibleRows:
        return self._sight.of(access_filter, self._alive, self._columns)

    def _mean(self, held: VectorSet, access_filter: Filter | None) -> Floats:
        if access_filter is None:
            return held.mean()
        seen = self._seen(access_filter)
        if held not in seen.means:
            seen.means[held] = held.exact_mean(seen.rows)
        return seen.means[held]

    def seen(self, chunk_ids: Collection[str], access_filter: Filter) -> set[str]:
        """Return those of the chunks that are held and that an access filter lets through."""
        rows = self._seen(access_filter).rows
        asked = list(chunk_ids)
        held = zip(asked, self._ids.rows(asked), strict=True)
        return {chunk_id for chunk_id, row in held if row is not None and rows[row]}

    def depth(self, access_filter: Filter) -> tuple[int, int]:
        """How many chunks an access filter lets through, and how many of them are shallow."""
        rows = self._seen(access_filter).rows
        return int(rows.sum()), len(self.seen(self._vectors.shallow_ids, access_filter))

    def languages(self, access_filter: Filter | None = None) -> list[str]:
        """The languages of the chunks that an access filter lets through, most frequent first; ties by name."""
        seen = self._seen(access_filter)
        if seen.languages is None:
            seen.languages = by_frequency(self._languages.counts(seen.rows))
        return seen.languages

    def languages_of(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """The language of each of the chunks that is held; none where all are in one language."""
        if self._languages.one:
            return {}
        held = {one: row for one, row in zip(chunk_ids, self._ids.rows(chunk_ids), strict=True) if row is not None}
        return dict(zip(held, self._languages.of(list(held.values())), strict=True))

    def best_semantic(self, vector: Vector, *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.semantic`. With an access filter always exact: what is hidden must not change what is found."""
        return self._nearest(self._vectors.deep, vector, top_k, where)

    def best_shallow(self, vector: Vector, *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """Likewise of the chunks that the stand-in alone has reached, by its own vector of what is asked."""
        held = self._vectors.shallow
        return self._nearest(held, vector, top_k, where) if len(vector) == held.dimension else []

    def _nearest(self, held: VectorSet, vector: Vector, top_k: int, where: Filter | None) -> list[Scored]:
        keep = self._alive if where is None else self._alive & self._columns.mask(where)
        rows, scores = held.best(vector, top_k, None if keep.all() else keep, exact=access_filter_of(where) is not None)
        sound = np.isfinite(scores)  # a snapshot's vectors are not looked at when it is read
        return self._best(rows[sound], scores[sound].round(DECIMALS), top_k)

    def nearness(
        self, vector: Vector, chunk_ids: Sequence[str], where: Filter | None = None, *, shallow: bool = False
    ) -> dict[str, float]:
        """Return how near each chunk's whole document is to `vector`. All chunks are held. See `DocumentVectors`.

        Only what the access filter in `where` lets through counts, as for keywords. `shallow`: the chunks are those
        that the stand-in alone has reached, and the vector is its own; otherwise none of them is.
        """
        held = self._vectors.shallow if shallow else self._vectors.deep
        access_filter = access_filter_of(where)
        found = held.nearness(
            vector,
            np.array(self._ids.rows(chunk_ids), np.intp),
            owners=self._postings.owners,
            alive=self._alive,
            seen=self._rows(access_filter),
            mean=self._mean(held, access_filter),
        )
        return dict(zip(chunk_ids, np.nan_to_num(found, posinf=0, neginf=0).tolist(), strict=True))

    def coverage(self, terms: Sequence[str], chunk_id: str) -> float:
        """See `search_lists.coverage`."""
        row = self._ids.row(chunk_id)
        return coverage(terms, [term for term in set(terms) if row is not None and self._postings.has(term, row)])

    def holding(self, names: Collection[str], most: int, access_filter: Filter | None) -> dict[str, list[str]]:
        """The documents whose chunks hold each of these names; of one that more than `most` chunks hold, none."""
        found = self._names.holding(names, self._rows(access_filter))
        return {name: self._documents(rows) for name, rows in found.items() if len(rows) <= most}

    def titles(
        self, texts: Sequence[Sequence[str]], others: Collection[str], most: int, access_filter: Filter | None
    ) -> dict[str, list[str]]:
        """The titles in these texts, given as terms, and among `others`: each with up to `most` documents that have it.

        It is there where the filter lets any chunk of its document through. One of one term is sought in `others` only.
        """
        seen, owners = self._rows(access_filter), self._postings.owners
        keys = self._names.title_keys(texts, others)
        found = self._names.titled(keys, self._alive, seen, owners)
        return {key: self._documents(rows[:most]) for key, rows in found.items() if len(rows)}

    def _documents(self, rows: Ints) -> list[str]:
        """The ids of the documents of these rows, sorted."""
        return sorted({str(name) for name in self._columns.values("document_id", rows)})

    def _best(self, rows: NDArray[np.intp], scores: NDArray[np.float32], top_k: int) -> list[Scored]:
        """Return the `top_k` best of these rows, each with its score."""
        if len(rows) > top_k:
            edge = np.partition(scores, len(scores) - top_k)[len(scores) - top_k]
            near = scores >= edge
            rows, scores = rows[near], scores[near]
        best = sorted(zip((-scores).tolist(), self._ids.of(rows), strict=True))[:top_k]
        return [(chunk_id, -score) for score, chunk_id in best]

    # -- the contract --------------------------------------------------------------------------------------------

    async def add(self, rows: Sequence[IndexRow], *, fresh: bool = False) -> None:
        """See `Index.add`."""
        del fresh
        self.extend(rows)

    async def remove(self, chunk_ids: Collection[str]) -> None:
        """See `Index.remove`."""
        self.discard(chunk_ids)

    async def keyword(self, terms: Sequence[str], *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.keyword`."""
        return self.best_keyword(terms, top_k=top_k, where=where)

    async def semantic(self, vector: Vector, *, top_k: int, where: Filter | None = None) -> list[Scored]:
        """See `Index.semantic`."""
        return self.best_semantic(vector, top_k=top_k, where=where)

    async def chunk_ids(self) -> list[str]:
        """See `Index.chunk_ids`."""
        return self.ids()

    async def count(self) -> int:
        """See `Index.count`."""
        return self.live

    async def check(self) -> None:
        """See `Index.check`: memory does not decay."""

    async def optimize(self) -> None:
        """See `Index.optimize`: there is nothing to do."""

    async def tidy(self) -> None:
        """See `Index.tidy`: there is nothing to do."""

    async def erase(self) -> None:
        """See `Index.erase`: nothing is on a disk."""

    async def rebuild(self, batches: AsyncIterator[Sequence[IndexRow]]) -> None:
        """See `Index.rebuild`."""
        self._clear()
        async for rows in batches:
            self.extend(rows)

    async def close(self) -> None:
        """See `Index.close`."""
        self._clear()

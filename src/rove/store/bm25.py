"""Statistics of BM25 under one access filter: the lengths of texts, and how many of them hold a term."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store.segments import Counts, Ints, Run

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
CACHED_TERMS = 4_096
"""Terms whose statistics by row are cached."""
CACHED_SUMS = 1_000_000
"""Entries of the cache of statistics by document: one for each document of each term."""


@dataclass(frozen=True, slots=True)
class TermWeights:
    """The parameters of BM25, and what share of a row's score is its document's. See `Postings`."""

    k1: float
    b: float
    document_share: float


@dataclass(frozen=True, slots=True)
class Sizes:
    """What BM25 needs of the lengths of texts.

    `texts`: how many there are. `norms`: k1 · (1 - b + b · length / average length) of each, (n,) float32. `least`: the
    smallest of these.
    """

    texts: int
    norms: Floats
    least: float


@dataclass(frozen=True, slots=True)
class TermByDocument:
    """Where a term stands, by document.

    `owners`: the documents that hold it, ascending, (m,). `sums`: how often it stands in each. `most`: the highest
    score that it gives to a row of each, the document's share included.
    """

    owners: Ints
    sums: Floats
    most: Floats


@dataclass(frozen=True, slots=True)
class TermByRow:
    """Where a term stands, by row: `holding` live rows have it, each of them at most `most` times."""

    holding: int
    most: int


class CollectionStatistics:
    """Statistics of the rows that count.

    `alive`: which rows these are, (n,) bool; nobody changes it afterwards. `lengths`: how many terms each row has, (n,)
    float32. `owners`: the number of each row's document, ascending.
    """

    def __init__(self, weights: TermWeights, alive: Mask, lengths: Floats, owners: Ints) -> None:
        self.weights = weights
        self.alive = alive
        self.owners = owners
        self.every = bool(alive.all())
        self.passages = self._sizes(lengths if self.every else lengths[alive], lengths)
        self.documents: Sizes | None = None
        self._by_row: dict[str, TermByRow] = {}
        self._by_document: dict[str, TermByDocument] = {}
        self._held = 0
        count = int(owners[-1]) + 1 if len(owners) else 0
        if weights.document_share and count < len(owners):
            self._sum_up(count, lengths)

    def _sum_up(self, count: int, lengths: Floats) -> None:
        """Count documents too, unless each has one live row only: then they say nothing new."""
        living, owners = (lengths, self.owners) if self.every else (lengths[self.alive], self.owners[self.alive])
        texts = np.bincount(owners, living, count).astype(np.float32)
        there = owners[np.diff(owners, prepend=-1) > 0]
        if len(there) < len(living):
            self.documents = self._sizes(texts[there], texts)

    def _sizes(self, living: Floats, lengths: Floats) -> Sizes:
        k1, b = self.weights.k1, self.weights.b
        average = max(float(living.mean(dtype=np.float64)), 1e-9) if len(living) else 1.0
        norms = k1 * (1 - b + b * lengths / average)
        return Sizes(len(living), norms, float(norms.min(initial=np.inf)))

    def by_row(self, term: str, runs: Sequence[Run]) -> TermByRow:
        """Return where a term stands among the live rows; `runs`: its postings."""
        known = self._by_row.get(term)
        if known is None:
            if len(self._by_row) >= CACHED_TERMS:
                self._by_row.clear()
            most = max((int(counts.max(initial=0)) for _, counts in runs), default=0)
            known = self._by_row[term] = TermByRow(sum(map(self._living, runs)), most)
        return known

    def _living(self, run: Run) -> int:
        return len(run[0]) if self.every else int(np.count_nonzero(self.alive[run[0]]))

    def by_document(self, term: str, runs: Sequence[Run], documents: Sizes) -> TermByDocument:
        """Return where a term stands by document, dead rows left out; `runs`: its postings."""
        known = self._by_document.get(term)
        if known is None:
            if self._held > max(CACHED_SUMS, len(self.owners)):
                self._by_document.clear()
                self._held = 0
            known = self._by_document[term] = self._summed(runs, self.by_row(term, runs).holding, documents)
            self._held += len(known.owners)
        return known

    def _summed(self, runs: Sequence[Run], holding: int, documents: Sizes) -> TermByDocument:
        rows = np.concatenate([np.zeros(0, np.int32), *(rows for rows, _ in runs)])
        counts = np.concatenate([np.zeros(0, np.float32), *(counts for _, counts in runs)], dtype=np.float32)
        if not self.every:
            keep = self.alive[rows]
            rows, counts = rows[keep], counts[keep]
        if not holding:
            return TermByDocument(rows, counts, counts)
        owners = self.owners[rows]
        firsts = np.flatnonzero(np.diff(owners, prepend=-1))
        owners, sums = owners[firsts], np.add.reduceat(counts, firsts)
        share = self.weights.document_share
        own = np.maximum.reduceat(self.gain(holding, counts, self.passages, rows), firsts)
        most = (1 - share) * own + share * self.gain(len(owners), sums, documents, owners)
        return TermByDocument(owners, sums, most.astype(np.float32))

    def weight(self, holding: int, sizes: Sizes) -> np.float64:
        """Return idf · (k1 + 1): no text has a higher score of a term that `holding` texts hold."""
        idf = np.log1p((sizes.texts - holding + 0.5) / (holding + 0.5))
        return idf * (self.weights.k1 + 1)

    def gain(self, holding: int, counts: Counts | Floats, sizes: Sizes, at: NDArray[Any]) -> NDArray[np.float64]:
        """Return a term's scores in the texts `at`, which have it `counts` times; in all, `holding` texts have it."""
        often = counts.astype(np.float32, copy=False)
        return self.weight(holding, sizes) * often / (often + sizes.norms[at])

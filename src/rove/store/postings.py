"""Rows and their BM25 scores: an inverted index, with the lengths of its rows, and the documents that they are of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import ne
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store.blocks import ArrayInParts
from rove.store.bm25 import CollectionStatistics, TermWeights
from rove.store.contiguous import Contiguous
from rove.store.inverted import Inverted
from rove.store.maxscore import best
from rove.store.scoring import AskedTerm, AskedTerms
from rove.store.segments import Ints

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
CACHED_FILTERS = 8
"""Access filters whose statistics are cached."""
FEW = 100_000
"""Rows up to which each is scored; of more, those alone that may be among the best (MaxScore)."""
TRIED = 256
"""Units, at least, that MaxScore scores by all terms early."""
RARE = 32
"""Where a mask keeps one row in so many, or fewer, these are scored."""


class Postings:
    """Scores rows, numbered from 0 in the order they are added, by BM25 as in Lucene (Robertson & Zaragoza 2009).

    score(row) = Σ over query terms of idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average length)),
    idf = ln(1 + (N - df + 0.5) / (df + 0.5)).

    Rows are passages of documents. With a `document_share` of s, a row that has any of the terms scores
    (1 - s) · score(row) + s · score(document). The document is scored as one text of all its rows, among documents:
    what a passage leaves unsaid stands in the rest of its document (Callan, Passage-Level Evidence, SIGIR 1994).

    `alive`, as an argument: the rows that count, (n,) bool. Nobody changes the array afterwards: statistics are cached
    by it.
    """

    def __init__(self, *, k1: float, b: float, document_share: float = 0.0) -> None:
        self.weights = TermWeights(k1, b, document_share)
        self._held = Inverted()
        self._lengths = Contiguous(np.zeros(0, np.float32))
        self._owners = Contiguous(np.zeros(0, np.int32))
        self._last: object = None
        self._cached: list[CollectionStatistics] = []

    @property
    def owners(self) -> Ints:
        """The number of each row's document, ascending."""
        return self._owners.array

    def extend(self, rows: Sequence[str], documents: Sequence[object] | None = None) -> None:
        """Add rows, each given as space-joined terms.

        `documents`: the id of each row's document; None: each row is a document. The rows of a document come one after
        the other; if others stand between them, they count as two documents.
        """
        first = len(self.owners)
        ids = range(first, first + len(rows)) if documents is None else documents
        begins = np.fromiter(map(ne, ids, chain([self._last], ids)), np.int32, len(rows))
        before = self.owners[-1] if first else np.int32(-1)
        self._owners.extend(before + begins.cumsum(dtype=np.int32))
        self._last = ids[-1] if len(ids) else self._last
        lengths = self._held.extend([row.split() for row in rows], first)
        self._lengths.extend(lengths.astype(np.float32))
        self._cached.clear()

    def packed(self, keep: Mask) -> dict[str, NDArray[Any] | ArrayInParts]:
        """Return the arrays that `restore` takes, of the rows to keep, (n,) bool, and of the terms that they have."""
        return {
            **self._held.packed(keep),
            "lengths": self._lengths.array[keep],
            "owners": np.unique(self.owners[keep], return_inverse=True)[1].astype(np.int32),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `packed` returned; nothing was added before. The next rows are of other documents.

        The arrays are neither read through nor copied.
        """
        self._held.restore(arrays)
        self._lengths = Contiguous(arrays["lengths"])
        self._owners = Contiguous(arrays["owners"])

    def scores(self, terms: Sequence[str], alive: Mask) -> Floats:
        """Score every row, (n,) float32; 0 where no term is in common or the row is not alive."""
        return AskedTerms(self._statistics(alive), self._asked(terms), None).every(len(alive))

    def best(
        self, terms: Sequence[str], alive: Mask, top_k: int, mask: Mask | None = None
    ) -> tuple[NDArray[Any], Floats]:
        """Return rows and their scores, unordered: at least the `top_k` best and what ties with the last, or all.

        The scores are to the bit those of `scores`; rows without a term of the question are never among them.
        `mask`: (n,) bool, the rows to choose from; all by default.
        """
        statistics = self._statistics(alive)
        allowed = None if statistics.every else alive
        if mask is not None:
            allowed = mask if allowed is None else allowed & mask
        question = AskedTerms(statistics, self._asked(terms), allowed)
        if len(alive) <= FEW:
            scores = question.every(len(alive))
            if allowed is not None:
                scores[~allowed] = 0
            rows = np.flatnonzero(scores > 0)  # three times as quick as the zeros of floats
            return rows, scores[rows]
        if mask is not None and allowed is not None and RARE * np.count_nonzero(allowed) <= len(allowed):
            return question.these(np.flatnonzero(allowed).astype(np.int32))
        return best(question.parts(), question, top_k, question.units(max(TRIED, 2 * top_k)))

    def _statistics(self, alive: Mask) -> CollectionStatistics:
        """Return the statistics of these rows, from the cache if they are there; the latest stand last in it."""
        for at, known in enumerate(self._cached):
            if known.alive is alive:
                self._cached.append(self._cached.pop(at))
                return known
        del self._cached[: max(len(self._cached) - CACHED_FILTERS + 1, 0)]
        self._cached.append(CollectionStatistics(self.weights, alive, self._lengths.array, self.owners))
        return self._cached[-1]

    def _asked(self, terms: Sequence[str]) -> list[AskedTerm]:
        asked = Counter(terms)
        runs = self._held.runs(asked)
        return [AskedTerm(term, times, runs[term]) for term, times in asked.items() if runs[term]]

    def has(self, term: str, row: int) -> bool:
        """Say whether a row holds a term."""
        return self._held.has(term, row)

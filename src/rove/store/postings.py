"""An inverted index in numpy: which rows hold a term, how often, and their BM25 scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from operator import ne
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store.blocks import ArrayInParts
from rove.store.bm25 import CollectionStatistics, TermWeights
from rove.store.contiguous import Contiguous
from rove.store.maxscore import best
from rove.store.scoring import AskedTerm, AskedTerms
from rove.store.segments import Ints, Kept, Run, Segment, merged, segment, width
from rove.store.term_numbers import TermNumbers

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
CACHED_TERMS = 256
"""Terms whose postings are cached."""
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
        self._terms = TermNumbers()
        self._restored: list[Segment] = []
        self._segments: list[Segment] = []
        self._lengths = Contiguous(np.zeros(0, np.float32))
        self._owners = Contiguous(np.zeros(0, np.int32))
        self._last: object = None
        self._runs: dict[str, list[Run]] = {}
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
        pieces = [row.split() for row in rows]
        lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
        numbers = self._terms.take(set(chain.from_iterable(pieces)))
        flat = np.fromiter(map(numbers.__getitem__, chain.from_iterable(pieces)), np.int64, int(lengths.sum()))
        at = np.repeat(np.arange(len(rows), dtype=np.int64), lengths)
        self._lengths.extend(lengths.astype(np.float32))
        self._runs.clear()
        self._cached.clear()
        self._segments.append(segment(flat, at, first, len(rows)))
        while len(self._segments) > 1 and 2 * len(self._segments[-1].rows) > len(self._segments[-2].rows):
            self._segments[-2:] = [merged(self._segments[-2:])]

    def packed(self, keep: Mask) -> dict[str, NDArray[Any] | ArrayInParts]:
        """Return the arrays that `restore` takes, of the rows to keep, (n,) bool, and of the terms that they have."""
        every = [*self._restored, *self._segments]
        kept = Kept(every, keep)
        held = kept.sizes(len(self._terms))
        words, order = self._terms.packed(held > 0)
        sizes = held[order]
        terms = order.astype(np.int32)

        def read(which: int) -> Iterator[NDArray[Any]]:
            return (run[which] for run in kept.read(terms, sizes))

        total = int(sizes.sum())
        counts = np.result_type(np.uint8, *(width(part.counts) for part in every))
        return {
            **words,
            "starts": np.concatenate([np.zeros(1, np.int64), sizes.cumsum()]),
            "posting_rows": ArrayInParts((total,), np.dtype(np.int32), lambda: read(0)),
            "posting_counts": ArrayInParts((total,), counts, lambda: read(1)),
            "lengths": self._lengths.array[keep],
            "owners": np.unique(self.owners[keep], return_inverse=True)[1].astype(np.int32),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `packed` returned; nothing was added before. The next rows are of other documents.

        The arrays are neither read through nor copied.
        """
        self._terms.restore(arrays)
        terms = np.arange(len(self._terms), dtype=np.int32)
        self._restored = [Segment(terms, arrays["starts"], arrays["posting_rows"], arrays["posting_counts"])]
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
        self._look_up(asked)
        return [AskedTerm(term, times, self._runs[term]) for term, times in asked.items() if self._runs[term]]

    def rows(self, term: str) -> Ints:
        """The rows that hold a term, dead ones too: (n,) int32."""
        runs = self._of(term)
        return runs[0][0] if len(runs) == 1 else np.concatenate([np.zeros(0, np.int32), *(rows for rows, _ in runs)])

    def has(self, term: str, row: int) -> bool:
        """Say whether a row holds a term."""
        return any(_stands(rows, row) for rows, _ in self._of(term))

    def _of(self, term: str) -> list[Run]:
        self._look_up([term])
        return self._runs[term]

    def _look_up(self, terms: Collection[str]) -> None:
        """Cache the postings of these terms: a search asks twice, and words come again."""
        unknown = [term for term in terms if term not in self._runs]
        if not unknown:
            return
        if len(self._runs) + len(unknown) > CACHED_TERMS:
            self._runs.clear()
            unknown = list(terms)
        numbers = np.array(self._terms.find(unknown), np.int32)
        runs = [part.runs(numbers) for part in chain(self._restored, self._segments)]
        self._runs.update((term, [part[at] for part in runs if len(part[at][0])]) for at, term in enumerate(unknown))


def _stands(rows: Ints, row: int) -> bool:
    at = int(rows.searchsorted(np.int32(row)))
    return at < len(rows) and int(rows[at]) == row

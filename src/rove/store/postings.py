"""An inverted index in numpy: which rows hold a term, how often, and their BM25 scores."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
MET = 256
"""Terms that are remembered with the rows that hold them."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings of a run of rows, sorted by term: those of `terms[i]` are rows[starts[i]:starts[i+1]]."""

    terms: Ints
    starts: NDArray[np.int64]
    rows: Ints
    counts: Floats


class Postings:
    """Rows are numbered from 0 in the order they are added. BM25 as in Lucene (Robertson & Zaragoza 2009).

    score(row) = Σ over query terms of idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average length)),
    idf = ln(1 + (N - df + 0.5) / (df + 0.5)).
    """

    def __init__(self, *, k1: float, b: float) -> None:
        self.k1 = k1
        self.b = b
        self._vocabulary: defaultdict[str, int] = defaultdict()
        self._vocabulary.default_factory = self._vocabulary.__len__
        self._segments: list[Segment] = []
        self._norms: Floats = np.zeros(0, np.float32)
        self._lengths: Floats = np.zeros(0, np.float32)
        self._met: dict[str, tuple[Ints, Floats]] = {}
        self._count(np.zeros(0, bool))

    def extend(self, rows: Sequence[str]) -> None:
        """Add rows, each given as space-joined terms."""
        first = len(self._lengths)
        number = self._vocabulary.__getitem__
        pieces = [row.split() for row in rows]
        lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
        flat = np.fromiter(map(number, chain.from_iterable(pieces)), np.int64, int(lengths.sum()))
        owners = np.repeat(np.arange(len(rows), dtype=np.int64), lengths)
        pairs, counts = np.unique(flat * len(rows) + owners, return_counts=True)
        terms = (pairs // max(len(rows), 1)).astype(np.int32)
        rows_of = (pairs % max(len(rows), 1) + first).astype(np.int32)
        self._lengths = np.concatenate([self._lengths, lengths.astype(np.float32)])
        self._met.clear()
        self._segments.append(_segment(terms, rows_of, counts.astype(np.float32)))
        while len(self._segments) > 1 and 2 * len(self._segments[-1].rows) > len(self._segments[-2].rows):
            self._segments.append(_merge(self._segments.pop(-2), self._segments.pop()))

    def scores(self, terms: Sequence[str], alive: NDArray[np.bool_]) -> Floats:
        """Score every row, (n,) float32; 0 where no term is in common. Rows that are not alive do not count.

        `alive`: (n,) bool, which nobody changes afterwards; what depends on it alone is worked out once.
        """
        total = np.zeros(len(self._lengths), np.float32)
        if alive is not self._alive:
            self._count(alive)
        living, norms = self._living, self._norms
        asked = Counter(terms)
        self._look_up(asked)
        for term, times in asked.items():
            rows, counts = self._met[term]
            if living < len(alive):
                keep = alive[rows]
                rows, counts = rows[keep], counts[keep]
            if len(rows):
                idf = times * np.log1p((living - len(rows) + 0.5) / (len(rows) + 0.5))
                total[rows] += (idf * (self.k1 + 1)) * counts / (counts + norms[rows])
        return total

    def _count(self, alive: NDArray[np.bool_]) -> None:
        self._alive = alive
        self._living = int(np.count_nonzero(alive))
        if self._living:
            lengths = self._lengths[alive] if self._living < len(alive) else self._lengths
            average = max(float(lengths.mean()), 1e-9)
            self._norms = self.k1 * (1 - self.b + self.b * self._lengths / average)

    def rows(self, term: str) -> Ints:
        """The rows that hold a term, dead ones too: (n,) int32."""
        return self._of(term)[0]

    def has(self, term: str, row: int) -> bool:
        """Say whether a row holds a term."""
        rows, _ = self._of(term)
        at = int(rows.searchsorted(np.int32(row)))
        return at < len(rows) and int(rows[at]) == row

    def _of(self, term: str) -> tuple[Ints, Floats]:
        """The rows that hold a term, and how often."""
        self._look_up([term])
        return self._met[term]

    def _look_up(self, terms: Collection[str]) -> None:
        """Remember where these terms stand, since a search asks twice and words come again."""
        unknown = [term for term in terms if term not in self._met]
        if not unknown:
            return
        if len(self._met) + len(unknown) > MET:
            self._met.clear()
            unknown = list(terms)
        numbers = np.array([self._vocabulary.get(term, -1) for term in unknown], np.int32)
        found: list[list[tuple[Ints, Floats]]] = [[] for _ in unknown]
        for segment in self._segments:
            firsts = segment.starts[segment.terms.searchsorted(numbers)].tolist()
            ends = segment.starts[segment.terms.searchsorted(numbers, "right")].tolist()
            for runs, first, end in zip(found, firsts, ends, strict=True):
                if first < end:
                    runs.append((segment.rows[first:end], segment.counts[first:end]))
        self._met.update(
            (term, runs[0] if len(runs) == 1 else _joined(runs)) for term, runs in zip(unknown, found, strict=True)
        )


def _joined(runs: Sequence[tuple[Ints, Floats]]) -> tuple[Ints, Floats]:
    if not runs:
        return np.zeros(0, np.int32), np.zeros(0, np.float32)
    return np.concatenate([rows for rows, _ in runs]), np.concatenate([counts for _, counts in runs])


def _segment(terms: Ints, rows: Ints, counts: Floats) -> Segment:
    """Make a segment of postings that are sorted by term, then by row."""
    distinct, starts = np.unique(terms, return_index=True)
    return Segment(distinct.astype(np.int32), np.append(starts, len(terms)), rows, counts)


def _merge(a: Segment, b: Segment) -> Segment:
    terms = np.concatenate([np.repeat(s.terms, np.diff(s.starts)) for s in (a, b)])
    order = np.argsort(terms, kind="stable")
    rows = np.concatenate([a.rows, b.rows])[order]
    return _segment(terms[order], rows, np.concatenate([a.counts, b.counts])[order])

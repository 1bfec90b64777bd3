"""An inverted index in numpy: which rows hold a term, how often, and their BM25 scores."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import ne
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many texts there are, and of each what BM25 adds to a count below the line, (n,) float32."""

    texts: int
    norms: Floats


class Postings:
    """Rows are numbered from 0 in the order they are added. BM25 as in Lucene (Robertson & Zaragoza 2009).

    score(row) = Σ over query terms of idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average length)),
    idf = ln(1 + (N - df + 0.5) / (df + 0.5)).

    Rows are passages of documents. With a `document_share` of s a row that has any of the terms scores
    (1 - s) · score(row) + s · score(its document), which has all its rows' terms and is compared with documents: what
    a passage leaves unsaid stands in the rest of its document (Callan, Passage-Level Evidence, SIGIR 1994).
    """

    def __init__(self, *, k1: float, b: float, document_share: float = 0.0) -> None:
        self.k1 = k1
        self.b = b
        self.document_share = document_share
        self._vocabulary: defaultdict[str, int] = defaultdict()
        self._vocabulary.default_factory = self._vocabulary.__len__
        self._segments: list[Segment] = []
        self._lengths: Floats = np.zeros(0, np.float32)
        self.owners: Ints = np.zeros(0, np.int32)
        """The number of each row's document, ascending."""
        self._last: object = None
        self._spread: NDArray[np.intp] = np.zeros(0, np.intp)
        self._met: dict[str, tuple[Ints, Floats]] = {}
        self._summed: dict[str, tuple[Ints, Floats]] = {}
        self._count(np.zeros(0, bool))

    def extend(self, rows: Sequence[str], documents: Sequence[object] | None = None) -> None:
        """Add rows, each given as space-joined terms, and the id of each one's document; its own if None.

        The rows of a document come one after the other; if others stand between them, they count as two documents.
        """
        first = len(self._lengths)
        ids = range(first, first + len(rows)) if documents is None else documents
        begins = np.fromiter(map(ne, ids, chain([self._last], ids)), np.int32, len(rows))
        before = self.owners[-1] if first else -1
        self.owners = np.concatenate([self.owners, before + begins.cumsum(dtype=np.int32)])
        self._last = ids[-1] if len(ids) else self._last
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

    def packed(self, keep: NDArray[np.bool_]) -> tuple[list[str], dict[str, NDArray[Any]]]:
        """Return what `restore` needs of the rows to keep, (n,) bool: the terms that any of them has, and arrays."""
        none = np.zeros(0, np.int32)
        whole = reduce(_merge, self._segments, _segment(none, none, np.zeros(0, np.float32)))
        among = keep[whole.rows]
        number = np.cumsum(keep, dtype=np.int32) - 1
        used, terms = np.unique(np.repeat(whole.terms, np.diff(whole.starts))[among], return_inverse=True)
        left = _segment(terms.astype(np.int32), number[whole.rows[among]], whole.counts[among])
        words = list(self._vocabulary)
        owners = np.unique(self.owners[keep], return_inverse=True)[1]
        arrays = {
            "starts": left.starts,
            "posting_rows": left.rows,
            "posting_counts": left.counts,
            "lengths": self._lengths[keep],
            "owners": owners.astype(np.int32),
        }
        return [words[term] for term in used.tolist()], arrays

    def restore(self, words: Sequence[str], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Hold what `packed` returned; nothing was added before. The next rows are of other documents."""
        self._vocabulary.update(zip(words, range(len(words)), strict=True))
        terms = np.arange(len(words), dtype=np.int32)
        self._segments = [Segment(terms, arrays["starts"], arrays["posting_rows"], arrays["posting_counts"])]
        self._lengths = arrays["lengths"]
        self.owners = arrays["owners"]

    def scores(self, terms: Sequence[str], alive: NDArray[np.bool_]) -> Floats:
        """Score every row, (n,) float32; 0 where no term is in common. Rows that are not alive do not count.

        `alive`: (n,) bool, which nobody changes afterwards; what depends on it alone is worked out once.
        """
        total = np.zeros(len(self._lengths), np.float32)
        if alive is not self._alive:
            self._count(alive)
        documents = self._documents
        whole = np.zeros(len(documents.norms) if documents else 0, np.float32)
        asked = Counter(terms)
        self._look_up(asked)
        for term, times in asked.items():
            rows, counts = self._among_living(term)
            if not len(rows):
                continue
            total[rows] += times * self._gain(counts, self._passages, rows)
            if documents:
                owners, sums = self._by_document(term, rows, counts)
                whole[owners] += times * self._gain(sums, documents, owners)
        if documents:
            share = np.float32(self.document_share) * (total > 0)
            total += share * (np.repeat(whole, self._spread) - total)
        return total

    def _among_living(self, term: str) -> tuple[Ints, Floats]:
        rows, counts = self._met[term]
        if self._passages.texts == len(self._alive):
            return rows, counts
        keep = self._alive[rows]
        return rows[keep], counts[keep]

    def _by_document(self, term: str, rows: Ints, counts: Floats) -> tuple[Ints, Floats]:
        """The documents of rows that hold a term, and how often each has it; remembered as long as the rows are."""
        if term not in self._summed:
            owners = self.owners[rows]
            firsts = np.flatnonzero(np.diff(owners, prepend=-1))
            self._summed[term] = owners[firsts], np.add.reduceat(counts, firsts)
        return self._summed[term]

    def _gain(self, counts: Floats, sizes: Sizes, at: Ints) -> Floats:
        """What one term gives to the texts that have it."""
        idf = np.log1p((sizes.texts - len(at) + 0.5) / (len(at) + 0.5))
        return (idf * (self.k1 + 1)) * counts / (counts + sizes.norms[at])

    def _count(self, alive: NDArray[np.bool_]) -> None:
        self._alive = alive
        self._summed.clear()
        lengths, owners = (self._lengths, self.owners) if alive.all() else (self._lengths[alive], self.owners[alive])
        self._passages = self._sizes(lengths, self._lengths)
        self._documents: Sizes | None = None
        if self.document_share:
            self._spread = np.bincount(self.owners)
            texts = np.bincount(owners, lengths, len(self._spread)).astype(np.float32)
            living = texts[np.unique(owners)]
            if len(living) < len(lengths):  # else each is one passage, and says nothing new
                self._documents = self._sizes(living, texts)

    def _sizes(self, living: Floats, lengths: Floats) -> Sizes:
        average = max(float(living.mean(dtype=np.float64)), 1e-9) if len(living) else 1.0
        return Sizes(len(living), self.k1 * (1 - self.b + self.b * lengths / average))

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
            self._summed.clear()
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

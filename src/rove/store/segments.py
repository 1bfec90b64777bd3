"""Segments of an inverted index: postings sorted by term, read in place, merged and rewritten block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store.ascending import distinct

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Counts = NDArray[np.unsignedinteger[Any]]
Run = tuple[Ints, Counts]
"""Rows that hold a term, ascending, and how often it stands in each."""
BLOCK = 2_000_000
"""Postings that are moved at once."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings of consecutive rows, sorted by term: `rows[starts[i]:starts[i + 1]]` hold `terms[i]`.

    Counts have the least width that holds them all, one byte nearly always.
    """

    terms: Ints
    starts: Longs
    rows: Ints
    counts: Counts

    def runs(self, terms: Ints) -> list[Run]:
        """The postings of each of these terms, as views; empty where the segment lacks the term."""
        firsts, ends = (bounds.tolist() for bounds in self.bounds(terms))
        return [(self.rows[first:end], self.counts[first:end]) for first, end in zip(firsts, ends, strict=True)]

    def bounds(self, terms: Ints) -> tuple[Longs, Longs]:
        """Where the postings of each of these terms begin and end."""
        return self.starts[self.terms.searchsorted(terms)], self.starts[self.terms.searchsorted(terms, "right")]


def segment(numbers: Longs, rows: Longs, first: int, count: int) -> Segment:
    """Make a segment of occurrences of terms: of each, the term's number and the row.

    `rows` go from 0 to `count` - 1; in the segment they are numbered from `first`.
    """
    pairs, counts = np.unique(numbers * count + rows, return_counts=True)
    terms, starts = np.unique(pairs // max(count, 1), return_index=True)
    rows_of = (pairs % max(count, 1) + first).astype(np.int32)
    return Segment(terms.astype(np.int32), np.append(starts, len(pairs)), rows_of, counts.astype(width(counts)))


def width(counts: NDArray[Any]) -> np.dtype[Any]:
    """The least unsigned type that holds these counts."""
    return np.min_scalar_type(int(counts.max(initial=0)))


def gathered(segments: Sequence[Segment], terms: Ints) -> tuple[Longs, Ints, Counts]:
    """The postings of these different terms, one term after the other: how many each has, their rows, their counts.

    Rows ascend within a term, as they do from segment to segment.
    """
    bounds = [part.bounds(terms) for part in segments]
    sizes = [ends - firsts for firsts, ends in bounds]
    whole: Longs = np.zeros(len(terms), np.int64)
    for own in sizes:
        whole += own
    total = int(whole.sum())
    rows = np.empty(total, np.int32)
    counts = np.empty(total, np.result_type(np.uint8, *(part.counts.dtype for part in segments)))
    begins = whole.cumsum() - whole
    for part, (firsts, _), own in zip(segments, bounds, sizes, strict=True):
        along = np.arange(int(own.sum())) - np.repeat(own.cumsum() - own, own)
        there = along + np.repeat(firsts, own)
        to = along + np.repeat(begins, own)
        rows[to] = part.rows[there]
        counts[to] = part.counts[there]
        begins = begins + own
    return whole, rows, counts


def posting_blocks(sizes: Longs) -> Iterator[slice]:
    """Cut terms into blocks of about `BLOCK` postings; `sizes`: how many each term has."""
    ends = sizes.cumsum()
    first = 0
    while first < len(sizes):
        done = int(ends[first - 1]) if first else 0
        end = max(first + 1, int(ends.searchsorted(done + BLOCK, "right")))
        yield slice(first, end)
        first = end


def merge_segments(segments: Sequence[Segment]) -> Segment:
    """Make one segment of several, whose rows follow one another."""
    terms = distinct(np.concatenate([part.terms for part in segments]))
    sizes = np.zeros(len(terms), np.int64)
    for part in segments:
        sizes[terms.searchsorted(part.terms)] += np.diff(part.starts)
    starts = np.concatenate([np.zeros(1, np.int64), sizes.cumsum()])
    rows = np.empty(int(starts[-1]), np.int32)
    counts = np.empty(len(rows), np.result_type(*(part.counts.dtype for part in segments)))
    for some in posting_blocks(sizes):
        into = slice(int(starts[some.start]), int(starts[some.stop]))
        _, rows[into], counts[into] = gathered(segments, terms[some])
    return Segment(terms, starts, rows, counts)


@dataclass(frozen=True, slots=True)
class Kept:
    """The postings of the rows to keep, (n,) bool, renumbered: read block by block, as often as wanted."""

    segments: Sequence[Segment]
    keep: NDArray[np.bool_]

    def sizes(self, terms: int) -> Longs:
        """In how many of the rows to keep each of the terms 0…terms-1 stands."""
        sizes = np.zeros(terms, np.int64)
        for part in self.segments:
            for some in posting_blocks(np.diff(part.starts)):
                first, end = int(part.starts[some.start]), int(part.starts[some.stop])
                kept = self.keep[part.rows[first:end]]
                sizes[part.terms[some]] += np.add.reduceat(kept, part.starts[some] - first, dtype=np.int64)
        return sizes

    def read(self, terms: Ints, sizes: Longs) -> Iterator[Run]:
        """Yield the postings of these terms, in this order, with the new numbers of the rows; `sizes`: see `sizes`."""
        number = np.cumsum(self.keep, dtype=np.int32) - np.int32(1)
        for some in posting_blocks(sizes):
            _, rows, counts = gathered(self.segments, terms[some])
            kept = self.keep[rows]
            yield number[rows[kept]], counts[kept]

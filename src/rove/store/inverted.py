"""An inverted index in numpy: which rows hold a term, and how often; mapped from a snapshot, later rows in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store.blocks import ArrayInParts
from rove.store.segments import Ints, Kept, Longs, Run, Segment, merge_segments, segment, width
from rove.store.term_numbers import TermNumbers

CACHED_TERMS = 256
"""Terms whose postings are cached."""


class Inverted:
    """Rows are numbered from 0 in the order they are added."""

    def __init__(self) -> None:
        self._terms = TermNumbers()
        self._restored: list[Segment] = []
        self._segments: list[Segment] = []
        self._runs: dict[str, list[Run]] = {}

    def extend(self, rows: Sequence[Sequence[str]], first: int) -> Longs:
        """Add rows, each given as its terms; `first`: the number of the first. Returns how many terms each has."""
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        numbers = self._terms.take(set(chain.from_iterable(rows)))
        flat = np.fromiter(map(numbers.__getitem__, chain.from_iterable(rows)), np.int64, int(lengths.sum()))
        at = np.repeat(np.arange(len(rows), dtype=np.int64), lengths)
        self._runs.clear()
        self._segments.append(segment(flat, at, first, len(rows)))
        while len(self._segments) > 1 and 2 * len(self._segments[-1].rows) > len(self._segments[-2].rows):
            self._segments[-2:] = [merge_segments(self._segments[-2:])]
        return lengths

    def packed(self, keep: NDArray[np.bool_]) -> dict[str, NDArray[Any] | ArrayInParts]:
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
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `packed` returned, without reading it through or copying it; nothing was added before."""
        self._terms.restore(arrays)
        terms = np.arange(len(self._terms), dtype=np.int32)
        self._restored = [Segment(terms, arrays["starts"], arrays["posting_rows"], arrays["posting_counts"])]

    def known(self, terms: Collection[str]) -> set[str]:
        """Those of these terms that a row holds, or has held."""
        asked = list(terms)
        return {term for term, number in zip(asked, self._terms.find(asked), strict=True) if number >= 0}

    def runs(self, terms: Collection[str]) -> dict[str, list[Run]]:
        """The postings of each of these terms, of dead rows too; cached: a search asks twice, and words come again."""
        unknown = [term for term in terms if term not in self._runs]
        if unknown and len(self._runs) + len(unknown) > CACHED_TERMS:
            self._runs.clear()
            unknown = list(terms)
        if unknown:
            numbers = np.array(self._terms.find(unknown), np.int32)
            runs = [part.runs(numbers) for part in chain(self._restored, self._segments)]
            found = ((term, [part[at] for part in runs if len(part[at][0])]) for at, term in enumerate(unknown))
            self._runs.update(found)
        return {term: self._runs[term] for term in terms}

    def rows(self, terms: Collection[str]) -> dict[str, Ints]:
        """The rows that hold each of these terms, dead ones too: (n,) int32, ascending."""
        return {term: _concatenate_run_rows(runs) for term, runs in self.runs(terms).items()}

    def has(self, term: str, row: int) -> bool:
        """Say whether a row holds a term."""
        return any(_has_posting_row(rows, row) for rows, _ in self.runs([term])[term])


def _concatenate_run_rows(runs: Sequence[Run]) -> Ints:
    return runs[0][0] if len(runs) == 1 else np.concatenate([np.zeros(0, np.int32), *(rows for rows, _ in runs)])


def _has_posting_row(rows: Ints, row: int) -> bool:
    at = int(rows.searchsorted(np.int32(row)))
    return at < len(rows) and int(rows[at]) == row

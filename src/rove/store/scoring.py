"""BM25 scores of a question: of every row, of some rows, or as upper bounds for each term (MaxScore)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store.ascending import common
from rove.store.bm25 import CollectionStatistics, Floats, Mask, Sizes
from rove.store.segments import Counts, Ints, Run

ROOM = 1 + 1e-5
"""The factor by which bounds are rounded up."""


@dataclass(frozen=True, slots=True)
class AskedTerm:
    """A term of a question: how often it stands there, and its postings."""

    term: str
    times: int
    runs: Sequence[Run]


class AskedTerms:
    """Scores rows by a question's terms, with the statistics of one access filter. See `Scorer`.

    `allowed`: the rows to choose from, (n,) bool; None: all. A unit is a row or, where documents count, a document.
    """

    def __init__(self, statistics: CollectionStatistics, asked: Sequence[AskedTerm], allowed: Mask | None) -> None:
        self.statistics = statistics
        self.asked = asked
        self.allowed = allowed
        self.count = len((statistics.documents or statistics.passages).norms)

    def every(self, rows: int) -> Floats:
        """Score every row, (rows,) float32; 0 where no term is in common."""
        statistics, documents = self.statistics, self.statistics.documents
        total = np.zeros(rows, np.float32)
        whole = np.zeros(len(documents.norms) if documents else 0, np.float32)
        for term in self.asked:
            holding = statistics.by_row(term.term, term.runs).holding
            for at, counts in term.runs if holding else ():
                total[at] += term.times * statistics.gain(holding, counts, statistics.passages, at)
            if documents:
                held = statistics.by_document(term.term, term.runs, documents)
                whole[held.owners] += term.times * statistics.gain(len(held.owners), held.sums, documents, held.owners)
        if not statistics.every:
            total[~statistics.alive] = 0
        if documents:
            total += self._share(total) * (whole[statistics.owners] - total)
        return total

    def some(self, rows: Ints) -> Floats:
        """Score these live rows, which ascend: to the bit as `every` does."""
        statistics = self.statistics
        total = np.zeros(len(rows), np.float32)
        for term in self.asked:
            holding = statistics.by_row(term.term, term.runs).holding
            for held, counts in term.runs:
                here, there = common(rows, held)
                total[here] += term.times * statistics.gain(holding, counts[there], statistics.passages, rows[here])
        if statistics.documents:
            total += self._share(total) * (self._by_document(rows, statistics.documents) - total)
        return total

    def _by_document(self, rows: Ints, documents: Sizes) -> Floats:
        """The scores of the documents of these rows."""
        owners = self.statistics.owners[rows]
        firsts = np.diff(owners, prepend=-1) > 0
        units = owners[firsts]
        whole = np.zeros(len(units), np.float32)
        for term in self.asked:
            held = self.statistics.by_document(term.term, term.runs, documents)
            here, there = common(units, held.owners)
            gain = self.statistics.gain(len(held.owners), held.sums[there], documents, units[here])
            whole[here] += term.times * gain
        return whole[firsts.cumsum() - 1]

    def _share(self, total: Floats) -> Floats:
        return np.float32(self.statistics.weights.document_share) * (total > 0)

    def scored(self, units: Ints) -> tuple[NDArray[Any], Floats]:
        """See `Scorer`. Units that are rows are allowed ones; of documents, the allowed rows are scored."""
        return self.these(self._rows_of(units) if self.statistics.documents else units)

    def these(self, rows: Ints) -> tuple[NDArray[Any], Floats]:
        """Return those of these live rows, which ascend, that have any of the terms, and their scores."""
        scores = self.some(rows)
        there = scores > 0
        return rows[there], scores[there]

    def _rows_of(self, documents: Ints) -> Ints:
        owners = self.statistics.owners
        firsts, ends = owners.searchsorted(documents), owners.searchsorted(documents, "right")
        sizes = ends - firsts
        rows = np.arange(int(sizes.sum())) + np.repeat(firsts - (sizes.cumsum() - sizes), sizes)
        return (rows if self.allowed is None else rows[self.allowed[rows]]).astype(np.int32)

    def units(self, rows: int) -> int:
        """Return about how many units have so many rows; at least half as many, since documents differ in size."""
        if not self.statistics.documents:
            return rows
        return max(rows // 2, rows * self.count // len(self.statistics.owners))

    def parts(self) -> list[RowPart] | list[DocumentPart]:
        """The scores of each term by itself: see `Part`."""
        if self.statistics.documents:
            return [DocumentPart(self.statistics, self.statistics.documents, term) for term in self.asked]
        return [RowPart(self.statistics, term, self.allowed) for term in self.asked]


class RowPart:
    """See `Part`: the scores of a term in rows, where documents do not count."""

    def __init__(self, statistics: CollectionStatistics, asked: AskedTerm, allowed: Mask | None) -> None:
        self.runs = asked.runs
        self.count = sum(len(rows) for rows, _ in asked.runs)
        self.allowed = allowed
        self.sizes = statistics.passages
        rows = statistics.by_row(asked.term, asked.runs)
        self.weight = np.float32(asked.times * statistics.weight(rows.holding, self.sizes))
        self.bound = float(self.weight) * rows.most / max(rows.most + self.sizes.least, 1e-9) * ROOM

    def above(self, floor: float) -> tuple[Ints, Floats]:
        """See `Part`."""
        found = [self._above(rows, counts, floor) for rows, counts in self.runs]
        if len(found) == 1:
            return found[0]
        rows = np.concatenate([np.zeros(0, np.int32), *(rows for rows, _ in found)])
        return rows, np.concatenate([np.zeros(0, np.float32), *(gains for _, gains in found)])

    def _above(self, rows: Ints, counts: Counts, floor: float) -> tuple[Ints, Floats]:
        if floor >= self.weight:
            return rows[:0], np.zeros(0, np.float32)
        if floor > 0:
            least = floor * self.sizes.least / (float(self.weight) - floor)
            if least > 1:
                often = np.flatnonzero(counts >= least)
                rows, counts = rows[often], counts[often]
        gains = self._gains(rows, counts)
        if floor > 0:
            near = np.flatnonzero(gains >= floor)
            rows, gains = rows[near], gains[near]
        if self.allowed is not None:
            here = np.flatnonzero(self.allowed[rows])
            rows, gains = rows[here], gains[here]
        return rows, gains

    def to(self, units: Ints) -> Floats:
        """See `Part`."""
        gains = np.zeros(len(units), np.float32)
        for rows, counts in self.runs:
            here, there = common(units, rows)
            gains[here] = self._gains(units[here], counts[there])
        return gains

    def _gains(self, rows: Ints, counts: Counts) -> Floats:
        often = counts.astype(np.float32)
        gains = often + self.sizes.norms[rows]
        np.divide(often, gains, out=gains)
        gains *= self.weight
        return gains


class DocumentPart:
    """See `Part`: the score of a term in the best row of each document, the document's share included."""

    def __init__(self, statistics: CollectionStatistics, documents: Sizes, asked: AskedTerm) -> None:
        held = statistics.by_document(asked.term, asked.runs, documents)
        self.owners = held.owners
        self.gains = held.most * np.float32(asked.times)
        self.count = len(held.owners)
        self.bound = float(self.gains.max(initial=0)) * ROOM

    def above(self, floor: float) -> tuple[Ints, Floats]:
        """See `Part`."""
        near = np.flatnonzero(self.gains >= floor)
        return self.owners[near], self.gains[near]

    def to(self, units: Ints) -> Floats:
        """See `Part`."""
        gains = np.zeros(len(units), np.float32)
        here, there = common(units, self.owners)
        gains[here] = self.gains[there]
        return gains

"""The number of each term: mapped from disk, later terms in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store.packed_texts import EMPTY, Directory, PackedTexts, chosen, encoded, joined, packed


class TermNumbers:
    """Terms are numbered from 0: those that were restored as they are sorted, then the others as they come."""

    def __init__(self) -> None:
        self._begun: Directory = EMPTY
        self._later: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._begun) + len(self._later)

    @property
    def restored(self) -> Directory:
        """The terms that were restored, sorted, by number."""
        return self._begun

    def find(self, terms: Sequence[str]) -> list[int]:
        """The number of each term, -1 where it has none."""
        numbers = [self._later.get(term, -1) for term in terms]
        missing = [at for at, number in enumerate(numbers) if number < 0]
        if missing and len(self._begun):
            for at, number in zip(missing, self._begun.find([terms[at] for at in missing]), strict=True):
                numbers[at] = number
        return numbers

    def take(self, terms: Collection[str]) -> dict[str, int]:
        """The number of each of these different terms; one that is new gets the next."""
        asked = list(terms)
        numbers = dict(zip(asked, self.find(asked), strict=True))
        for term, number in numbers.items():
            if number < 0:
                numbers[term] = self._later[term] = len(self)
        return numbers

    def packed(self, used: NDArray[np.bool_]) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64]]:
        """Return what `restore` needs of the terms to keep, (n,) bool, and their numbers in the order that they get."""
        first = len(self._begun)
        later = [encoded(term) for term, number in self._later.items() if used[number]]
        terms = joined(chosen(self._begun.texts, np.flatnonzero(used[:first])), packed(later))
        heads = terms.heads()
        order = terms.order(heads)
        terms = chosen(terms, order)
        arrays = {"words": terms.letters, "word_bounds": terms.bounds, "word_heads": heads[order]}
        return arrays, np.flatnonzero(used)[order]

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Hold what `packed` returned, in place of what is held, without reading it."""
        self._begun = Directory(PackedTexts(arrays["words"], arrays["word_bounds"]), arrays["word_heads"])
        self._later = {}

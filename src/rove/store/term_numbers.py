"""The number of each term: mapped from a snapshot on disk, later terms in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store.packed_texts import EMPTY, Directory, PackedTexts, append_texts, encoded, packed, select_texts


class TermNumbers:
    """Numbers terms from 0: first restored ones, in their sorted order, then others in the order they come."""

    def __init__(self) -> None:
        self._begun: Directory = EMPTY
        self._later: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._begun) + len(self._later)

    def find(self, terms: Sequence[str]) -> list[int]:
        """The number of each term, -1 where it has none."""
        numbers = [self._later.get(term, -1) for term in terms]
        missing = [at for at, number in enumerate(numbers) if number < 0]
        if missing and len(self._begun):
            for at, number in zip(missing, self._begun.find([terms[at] for at in missing]), strict=True):
                numbers[at] = number
        return numbers

    def take(self, terms: Collection[str]) -> dict[str, int]:
        """The number of each of these different terms; a new term gets the next one."""
        asked = list(terms)
        numbers = dict(zip(asked, self.find(asked), strict=True))
        new = [term for term, number in numbers.items() if number < 0]
        numbered = dict(zip(new, count(len(self)), strict=False))
        self._later |= numbered
        return numbers | numbered

    def packed(self, used: NDArray[np.bool_]) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64]]:
        """Return what `restore` takes, of the terms to keep, (n,) bool; and their numbers now, in their new order."""
        first = len(self._begun)
        later = [encoded(term) for term, number in self._later.items() if used[number]]
        terms = append_texts(select_texts(self._begun.texts, np.flatnonzero(used[:first])), packed(later))
        heads = terms.heads()
        order = terms.order(heads)
        terms = select_texts(terms, order)
        arrays = {"words": terms.letters, "word_bounds": terms.bounds, "word_heads": heads[order]}
        return arrays, np.flatnonzero(used)[order]

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Replace all terms by what `packed` returned, without reading it."""
        self._begun = Directory(PackedTexts(arrays["words"], arrays["word_bounds"]), arrays["word_heads"])
        self._later = {}

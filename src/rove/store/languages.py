"""The language of each row, dictionary-encoded, so that those of many rows are counted at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store.contiguous import Contiguous


class Languages:
    """The languages of rows 0…n-1."""

    def __init__(self) -> None:
        self._codes: Contiguous[np.uint16] = Contiguous(np.zeros(0, np.uint16))
        self._code: dict[str, int] = {}

    def extend(self, languages: Sequence[str]) -> None:
        """Add rows at the end."""
        codes = [self._code.setdefault(language, len(self._code)) for language in languages]
        self._codes.extend(np.array(codes, np.uint16))

    def counts(self, among: NDArray[np.bool_]) -> dict[str, int]:
        """Count the languages of the rows of a mask, (n,) bool; one that none of them is in is absent."""
        counts = np.bincount(self._codes.array[among], minlength=len(self._code)).tolist()
        return {language: count for language, count in zip(self._code, counts, strict=True) if count}

    @property
    def one(self) -> bool:
        """Whether all rows, also of what is gone, are in one language."""
        return len(self._code) < 2

    def of(self, rows: Sequence[int]) -> list[str]:
        """Return the languages of rows."""
        names = list(self._code)
        return [names[code] for code in self._codes.array[np.array(rows, np.intp)].tolist()]

    def packed(self, keep: NDArray[np.bool_]) -> tuple[list[str], NDArray[Any]]:
        """Return what `restore` takes, of the rows to keep, (n,) bool: the languages that they are in, and codes."""
        used, codes = np.unique(self._codes.array[keep], return_inverse=True)
        names = list(self._code)
        return [names[code] for code in used.tolist()], codes.astype(np.uint16)

    def restore(self, languages: Sequence[str], codes: NDArray[Any]) -> None:
        """Replace all rows by what `packed` returned."""
        self._code = {language: code for code, language in enumerate(languages)}
        self._codes = Contiguous(codes)

"""Chunk ids by row, and rows by chunk id: mapped from a snapshot on disk, later ones in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.store.blocks import ArrayInParts
from rove.store.packed_texts import EMPTY, Chosen, Directory, PackedTexts, decoded, encoded, packed, sorted_numbers


class Ids:
    """The chunk ids of rows 0…n-1. A discarded row keeps its id, but is no longer found by it."""

    def __init__(self) -> None:
        self._begun: Directory = EMPTY
        self._gone: set[int] = set()
        self._later: list[str] = []
        self._row: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._begun) + len(self._later)

    @property
    def live(self) -> int:
        """How many rows are found by their ids."""
        return len(self._begun) - len(self._gone) + len(self._row)

    def of(self, rows: NDArray[Any]) -> list[str]:
        """The ids of these rows, discarded ones too."""
        first = len(self._begun)
        mapped = iter(self._begun.texts.of(rows[rows < first]))
        return [decoded(next(mapped)) if row < first else self._later[row - first] for row in rows.tolist()]

    def rows(self, chunk_ids: Sequence[str]) -> list[int | None]:
        """The row of each chunk; None where it is not there."""
        rows = [self._row.get(chunk_id) for chunk_id in chunk_ids]
        missing = [at for at, row in enumerate(rows) if row is None]
        if missing and len(self._begun):
            found = self._begun.find([chunk_ids[at] for at in missing])
            for at, row in zip(missing, found, strict=True):
                rows[at] = None if row < 0 or row in self._gone else row
        return rows

    def row(self, chunk_id: str) -> int | None:
        """The row of a chunk; None where it is not there."""
        return self.rows([chunk_id])[0]

    def extend(self, chunk_ids: Collection[str]) -> None:
        """Add rows at the end; none of these chunks may be there already."""
        first = len(self)
        self._row.update((chunk_id, first + at) for at, chunk_id in enumerate(chunk_ids))
        self._later.extend(chunk_ids)

    def discard(self, chunk_ids: Collection[str]) -> list[int]:
        """Forget chunks; returns the rows of those that were there."""
        asked = list(dict.fromkeys(chunk_ids))
        rows = self.rows(asked)
        for chunk_id, row in zip(asked, rows, strict=True):
            if self._row.pop(chunk_id, None) is None and row is not None:
                self._gone.add(row)
        return [row for row in rows if row is not None]

    def packed(self, keep: NDArray[np.bool_]) -> dict[str, NDArray[Any] | ArrayInParts]:
        """Return the arrays that `restore` takes, of the rows to keep, (n,) bool; none of them is discarded."""
        first = len(self._begun)
        before = Chosen(self._begun.texts, np.flatnonzero(keep[:first]))
        later = packed([encoded(self._later[row]) for row in np.flatnonzero(keep[first:]).tolist()])
        heads = np.concatenate([self._begun.heads_by_number()[before.numbers], later.heads()])
        split = len(before.numbers)

        def of(numbers: NDArray[Any]) -> list[bytes]:
            inside = numbers[numbers < split]
            mapped, added = iter(before.of(inside)), iter(later.of(numbers[numbers >= split] - split))
            return [next(mapped if number < split else added) for number in numbers.tolist()]

        order = sorted_numbers(heads, of)
        bounds = np.concatenate([before.bounds, before.bounds[-1] + later.bounds[1:]])
        letters = ArrayInParts((int(bounds[-1]),), np.dtype(np.uint8), lambda: chain(before.parts(), [later.letters]))
        return {"ids": letters, "id_bounds": bounds, "id_heads": heads[order], "id_order": order}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Replace all ids by what `packed` returned, without reading it."""
        self.__init__()
        self._begun = Directory(PackedTexts(arrays["ids"], arrays["id_bounds"]), arrays["id_heads"], arrays["id_order"])

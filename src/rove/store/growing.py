"""An array in blocks that grows at its end: the rows that it holds, mapped from a file or not, are never copied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from rove.store.ascending import distinct

Number = TypeVar("Number", bound=np.generic)
BLOCK = 8_192
"""Rows that are processed at once."""
LEAST, MOST = 1_024, 65_536
"""Bounds of the size of a block that is added, in rows; within them it is as large as all that is there already."""


class Growing(Generic[Number]):
    """Rows of one shape and type, in blocks. May be read while another thread adds rows."""

    def __init__(self, dtype: type[Number], *row: int) -> None:
        """`row`: the shape of one row."""
        self.dtype = dtype
        self._row = row
        self._blocks: list[NDArray[Number]] = []
        self._firsts: list[int] = []
        self._count = 0
        self._room = 0

    def begin(self, rows: NDArray[Number]) -> None:
        """Hold these rows, without a copy, in place of what is held; they are never written to."""
        self._blocks, self._firsts, self._count, self._room = [rows], [0], len(rows), 0

    def extend(self, rows: NDArray[Number]) -> None:
        """Add rows at the end."""
        while len(rows):
            if not self._room:
                self._room = max(len(rows), min(max(self._count, LEAST), MOST))
                self._blocks.append(np.empty((self._room, *self._row), self.dtype))
                self._firsts.append(self._count)
            fit = rows[: self._room]
            at = self._count - self._firsts[-1]
            self._blocks[-1][at : at + len(fit)] = fit
            self._count += len(fit)
            self._room -= len(fit)
            rows = rows[len(fit) :]

    def __len__(self) -> int:
        return self._count

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, as an array has it."""
        return self._count, *self._row

    @overload
    def __getitem__(self, rows: slice) -> NDArray[Number]: ...
    @overload
    def __getitem__(self, rows: NDArray[np.integer[Any]]) -> NDArray[Number]: ...
    def __getitem__(self, rows: slice | NDArray[np.integer[Any]]) -> NDArray[Number]:
        if isinstance(rows, slice):
            first, end, _ = rows.indices(self._count)
            runs = self.runs(first, end)
            return runs[0] if len(runs) == 1 else np.concatenate([np.empty((0, *self._row), self.dtype), *runs])
        if len(self._blocks) == 1:
            return self._blocks[0].take(rows, axis=0)
        return self._gathered(rows)

    def runs(self, first: int, end: int) -> list[NDArray[Number]]:
        """Return the rows from `first` to before `end`, as views of the blocks that they lie in."""
        if self._blocks and end <= len(self._blocks[0]):
            return [self._blocks[0][first:end]] if first < end else []
        found: list[NDArray[Number]] = []
        for start, block in zip(self._firsts, self._blocks, strict=False):
            part = block[max(first - start, 0) : max(end - start, 0)]
            if len(part):
                found.append(part)
        return found

    def _gathered(self, rows: NDArray[np.integer[Any]]) -> NDArray[Number]:
        found = np.empty((len(rows), *self._row), self.dtype)
        of = np.array(self._firsts).searchsorted(rows, "right") - 1
        for at in distinct(of).tolist():
            mine = of == at
            found[mine] = self._blocks[at][rows[mine] - self._firsts[at]]
        return found


def blocks_of(count: int, block: int = BLOCK) -> Iterator[slice]:
    """Cut so many rows into blocks.

    >>> list(blocks_of(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return (slice(first, min(first + block, count)) for first in range(0, count, block))

"""Arrays that are handed over block by block, so that a large one is never whole in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ArrayInParts:
    """An array of `shape` and `dtype`, whose rows `parts` yields in their order, some at a time."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    parts: Callable[[], Iterator[NDArray[Any]]]

    @classmethod
    def of(cls, array: NDArray[Any]) -> Self:
        """Make one of a whole array, which is its only block."""
        return cls(array.shape, array.dtype, lambda: iter([array]))

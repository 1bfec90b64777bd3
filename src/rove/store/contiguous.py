"""A contiguous array that grows at its end without being copied each time."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)


class Contiguous(Generic[Number]):
    """Begins with an array, which may be mapped and is never written to: the first growth copies it."""

    def __init__(self, begun: NDArray[Number]) -> None:
        self._held = begun
        self._count = len(begun)

    @property
    def array(self) -> NDArray[Number]:
        """All that was added."""
        return self._held[: self._count]

    def extend(self, more: NDArray[Number]) -> None:
        """Add at the end."""
        end = self._count + len(more)
        if end > len(self._held):
            grown = np.empty(max(end, len(self._held) * 3 // 2), self._held.dtype)
            grown[: self._count] = self.array
            self._held = grown
        self._held[self._count : end] = more
        self._count = end

"""Vectors in 16 bits a number, as the catalog keeps them and every search compares them.

Each vector has a power of two for its scale: vector = codes · 2^exponent. So nothing but the rounding to whole numbers
is lost, a vector that was rounded once stays as it is, and all who hold it, in memory or on disk, hold the same. A
number of a unit vector moves by less than 2^-16 of the largest, a cosine by some 0.000002.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rove.store.growing import Growing

Floats = NDArray[np.float32]
Shorts = NDArray[np.int16]
Bytes = NDArray[np.int8]
LEVELS = np.float32(32_767)
LEAST_EXPONENT = -126
"""Below, float32 has no room for the scale."""


def fixed(vectors: Floats) -> tuple[Shorts, NDArray[np.int8]]:
    """Return (n, dimension) codes and (n,) exponents of vectors, (n, dimension) float32."""
    largest = np.abs(vectors).max(axis=1, initial=0)
    exponents = np.maximum(np.frexp(largest / LEVELS)[1], LEAST_EXPONENT).astype(np.int8)
    scales = np.ldexp(np.float32(1), -exponents.astype(np.int32))
    return np.rint(vectors * scales[:, None]).astype(np.int16), exponents


def floats(codes: Shorts, exponents: NDArray[np.int8]) -> Floats:
    """Return what `fixed` was given, rounded: (n, dimension) float32."""
    scales = np.ldexp(np.float32(1), exponents.astype(np.int32))
    return np.multiply(codes, scales[:, None], dtype=np.float32)


SCALES = np.ldexp(np.float32(256), np.arange(256, dtype=np.uint8).view(np.int8).clip(max=100).astype(np.int32))
"""What one step of the upper halves is worth, by the exponent as an unsigned byte."""


class FixedVectors:
    """Vectors in rows, which grow at their end. May be read while another thread adds rows.

    The upper and the lower 8 bits of a code lie apart, code = 256 · upper + lower, so that a scan of the upper ones
    reads nothing else, and nothing is kept twice. A row stands at a position: its own, unless an order is given.
    """

    def __init__(self, dimension: int) -> None:
        self.upper = Growing(np.int8, dimension)
        self.lower = Growing(np.uint8, dimension)
        self.exponents = Growing(np.int8)
        self.order: NDArray[np.int32] | None = None
        """The row at each of the first positions; what was added since comes after them in its own order."""
        self._places: NDArray[np.int32] | None = None

    def begin(
        self, upper: Bytes, lower: NDArray[np.uint8], exponents: Bytes, order: NDArray[np.int32] | None = None
    ) -> None:
        """Hold these, by position, without a copy, in place of what is held."""
        self.upper.begin(upper)
        self.lower.begin(lower)
        self.exponents.begin(exponents)
        self.order, self._places = order, None

    def extend(self, vectors: Floats) -> None:
        """Add rows: (n, dimension) float32."""
        codes, exponents = fixed(vectors)
        exponents[~codes.any(axis=1)] = LEAST_EXPONENT  # half a step of a vector of zeros is next to nothing
        self.exponents.extend(exponents)
        self.lower.extend((codes & 255).astype(np.uint8))
        self.upper.extend((codes >> 8).astype(np.int8))

    def __len__(self) -> int:
        return len(self.upper)

    @property
    def shape(self) -> tuple[int, int]:
        """As of an array."""
        return cast("tuple[int, int]", self.upper.shape)

    def __getitem__(self, rows: slice | NDArray[np.integer[Any]]) -> Floats:
        """Return rows: (n, dimension) float32."""
        at = rows if self.order is None else self.positions(rows)
        codes = self.upper[at].astype(np.int16)
        codes <<= 8
        codes |= self.lower[at]
        return floats(codes, self.exponents[at])

    def positions(self, rows: slice | NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """Return the position of each row."""
        rows = np.arange(*rows.indices(len(self))) if isinstance(rows, slice) else rows
        if self.order is None:
            return rows.astype(np.intp, copy=False)
        if self._places is None:
            places = np.empty(len(self.order), np.int32)
            places[self.order] = np.arange(len(self.order), dtype=np.int32)
            self._places = places
        held = rows < len(self._places)
        return np.where(held, self._places.take(np.where(held, rows, 0)), rows).astype(np.intp, copy=False)

    def rows(self, positions: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the row at each position."""
        if self.order is None:
            return positions
        inside = positions < len(self.order)
        return np.where(inside, self.order.take(np.where(inside, positions, 0)), positions).astype(np.intp, copy=False)

    def scales(self, positions: NDArray[np.intp] | None = None) -> Floats:
        """What one step of the upper halves is worth at each of these positions, or of all: (n,) float32."""
        exponents = self.exponents[slice(None) if positions is None else positions]
        return SCALES.take(exponents.view(np.uint8))

    def runs(self, first: int, end: int) -> list[tuple[Bytes, Floats]]:
        """Return the upper halves of the positions from `first` to before `end`, and what a step of each is worth."""
        pairs = zip(self.upper.runs(first, end), self.exponents.runs(first, end), strict=True)
        return [(upper, SCALES.take(exponents.view(np.uint8))) for upper, exponents in pairs]

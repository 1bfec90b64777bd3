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


class FixedVectors:
    """Vectors in rows, which grow at their end. May be read while another thread adds rows."""

    def __init__(self, dimension: int) -> None:
        self.codes = Growing(np.int16, dimension)
        self.exponents = Growing(np.int8)

    def begin(self, codes: Shorts, exponents: NDArray[np.int8]) -> None:
        """Hold these rows, without a copy, in place of what is held."""
        self.codes.begin(codes)
        self.exponents.begin(exponents)

    def extend(self, vectors: Floats) -> Floats:
        """Add rows: (n, dimension) float32; returns them as they are held."""
        codes, exponents = fixed(vectors)
        self.exponents.extend(exponents)
        self.codes.extend(codes)
        return floats(codes, exponents)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def shape(self) -> tuple[int, int]:
        """As of an array."""
        return cast("tuple[int, int]", self.codes.shape)

    def __getitem__(self, rows: slice | NDArray[np.integer[Any]]) -> Floats:
        """Return rows: (n, dimension) float32."""
        return floats(self.codes[rows], self.exponents[rows])

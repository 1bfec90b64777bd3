"""Many texts in a few arrays, mapped from disk where wanted: to open them or to look one up reads little of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
HEAD = 8
"""Bytes of a text that are compared as one number."""
PART = 65_536
"""Texts that are worked on at once."""


def encoded(text: str) -> bytes:
    """Write any text as bytes, half a pair of surrogates too."""
    return text.encode("utf-8", "surrogatepass")


def decoded(text: bytes) -> str:
    """Read what `encoded` wrote."""
    return text.decode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class PackedTexts:
    """Texts one after the other: number i is letters[bounds[i]:bounds[i + 1]], in UTF-8."""

    letters: NDArray[np.uint8]
    bounds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def at(self, number: int) -> bytes:
        """One of the texts."""
        return self.letters[self.bounds[number] : self.bounds[number + 1]].tobytes()

    def of(self, numbers: NDArray[Any]) -> list[bytes]:
        """These of the texts."""
        letters, starts, ends = self.letters, self.bounds[:-1][numbers].tolist(), self.bounds[1:][numbers].tolist()
        return [letters[start:end].tobytes() for start, end in zip(starts, ends, strict=True)]

    def heads(self) -> NDArray[np.uint64]:
        """The first bytes of each text as a number, (n,): in the order of the texts, but for ties."""
        starts, sizes = self.bounds[:-1], np.diff(self.bounds)
        heads = np.zeros(len(self), np.uint64)
        for at in range(HEAD):
            there = np.flatnonzero(sizes > at)
            heads[there] |= self.letters[starts[there] + at].astype(np.uint64) << np.uint64(8 * (HEAD - 1 - at))
        return heads

    def order(self, heads: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The numbers of the texts, sorted by their bytes."""
        order = np.argsort(heads, kind="stable").astype(np.int32)
        alike = np.diff(heads[order]) == 0
        turns = np.flatnonzero(np.diff(alike.astype(np.int8), prepend=0, append=0)).tolist()
        for first, last in zip(turns[::2], turns[1::2], strict=True):
            tied = order[first : last + 1]
            by = self.of(tied)
            order[first : last + 1] = tied[sorted(range(len(by)), key=by.__getitem__)]
        return order


def packed(texts: Sequence[bytes]) -> PackedTexts:
    """Pack texts into arrays.

    >>> packed([b"one", b"", b"two"]).at(2)
    b'two'
    """
    bounds = np.fromiter(accumulate(map(len, texts), initial=0), np.int64, len(texts) + 1)
    return PackedTexts(np.frombuffer(b"".join(texts), np.uint8), bounds)


def chosen(texts: PackedTexts, numbers: NDArray[Any]) -> PackedTexts:
    """Pack these of the texts, in this order."""
    sizes = np.diff(texts.bounds)[numbers]
    bounds = np.concatenate([np.zeros(1, np.int64), sizes.cumsum()])
    letters = np.empty(int(bounds[-1]), np.uint8)
    for first in range(0, len(numbers), PART):
        some = slice(first, first + PART)
        start, end = int(bounds[first]), int(bounds[min(first + PART, len(numbers))])
        shift = texts.bounds[:-1][numbers[some]] - bounds[:-1][some]
        letters[start:end] = texts.letters[np.arange(start, end) + np.repeat(shift, sizes[some])]
    return PackedTexts(letters, bounds)


def joined(a: PackedTexts, b: PackedTexts) -> PackedTexts:
    """Put texts behind others."""
    return PackedTexts(np.concatenate([a.letters, b.letters]), np.concatenate([a.bounds, a.bounds[-1] + b.bounds[1:]]))


@dataclass(frozen=True, slots=True)
class Directory:
    """Finds texts by bisection: `order` sorts them (None: they are sorted), `heads` are those of the sorted texts."""

    texts: PackedTexts
    heads: NDArray[np.uint64]
    order: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.heads)

    def find(self, wanted: Sequence[str]) -> list[int]:
        """The number of each text, -1 where it is not there. Some 2 µs each."""
        if not len(self.heads):
            return [-1] * len(wanted)
        return [self._among(first, end, key) for first, end, key in self._placed(wanted)]

    def begun_by(self, beginnings: Sequence[str]) -> list[bool]:
        """Say of each of these texts whether one that is there begins with it."""
        return [self._begins(first, end, key) for first, end, key in self._placed(beginnings)]

    def _placed(self, wanted: Sequence[str]) -> Iterator[tuple[int, int, bytes]]:
        """Each of these texts in bytes, with the part of the order that has its head."""
        keys = [encoded(text) for text in wanted]
        asked = np.frombuffer(b"".join(key[:HEAD].ljust(HEAD, b"\0") for key in keys), ">u8").astype(np.uint64)
        firsts = self.heads.searchsorted(asked).tolist()
        ends = self.heads.searchsorted(asked, "right").tolist()
        return zip(firsts, ends, keys, strict=True)

    def _among(self, first: int, end: int, key: bytes) -> int:
        """The number of a text that stands in this part of the order, if anywhere."""
        at = bisect_left(range(first, end), key, key=self._sorted) + first if end - first > 1 else first
        return self._number(at) if at < end and self._sorted(at) == key else -1

    def _begins(self, first: int, end: int, key: bytes) -> bool:
        at = bisect_left(range(first, end), key, key=self._sorted) + first
        return at < len(self) and self._sorted(at).startswith(key)

    def _sorted(self, at: int) -> bytes:
        return self.texts.at(self._number(at))

    def _number(self, at: int) -> int:
        return at if self.order is None else int(self.order[at])


NOTHING = PackedTexts(np.zeros(0, np.uint8), np.zeros(1, np.int64))
EMPTY = Directory(NOTHING, np.zeros(0, np.uint64))

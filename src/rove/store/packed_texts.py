"""Many texts in a few arrays that can be mapped from disk: opening them, or looking one up, reads little of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
HEAD = 8
"""The first bytes of a text, which are compared as one number."""
PART = 65_536
"""Texts that are processed at once."""


def encoded(text: str) -> bytes:
    """Encode a text in UTF-8; lone surrogates, which UTF-8 lacks, are let through."""
    return text.encode("utf-8", "surrogatepass")


def decoded(text: bytes) -> str:
    """Decode what `encoded` returned."""
    return text.decode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class PackedTexts:
    """Texts one after the other: number i is letters[bounds[i]:bounds[i + 1]], in UTF-8."""

    letters: NDArray[np.uint8]
    bounds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def at(self, number: int) -> bytes:
        """The text of that number, in UTF-8."""
        return self.letters[self.bounds[number] : self.bounds[number + 1]].tobytes()

    def of(self, numbers: NDArray[Any]) -> list[bytes]:
        """The texts of these numbers, in UTF-8."""
        letters, starts, ends = self.letters, self.bounds[:-1][numbers].tolist(), self.bounds[1:][numbers].tolist()
        return [letters[start:end].tobytes() for start, end in zip(starts, ends, strict=True)]

    def heads(self) -> NDArray[np.uint64]:
        """The first `HEAD` bytes of each text as a big-endian number, (n,): they sort as the texts do, but for ties."""
        starts, sizes = self.bounds[:-1], np.diff(self.bounds)
        heads = np.zeros(len(self), np.uint64)
        for at in range(HEAD):
            there = np.flatnonzero(sizes > at)
            heads[there] |= self.letters[starts[there] + at].astype(np.uint64) << np.uint64(8 * (HEAD - 1 - at))
        return heads

    def order(self, heads: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The numbers of the texts, sorted by their bytes."""
        return sorted_numbers(heads, self.of)


def sorted_numbers(heads: NDArray[np.uint64], of: Callable[[NDArray[Any]], list[bytes]]) -> NDArray[np.int32]:
    """The numbers of texts, sorted by their bytes; `of` gives the texts of numbers, where heads do not decide."""
    order = np.argsort(heads, kind="stable").astype(np.int32)
    alike = np.diff(heads[order]) == 0
    turns = np.flatnonzero(np.diff(alike.astype(np.int8), prepend=0, append=0)).tolist()
    for first, last in zip(turns[::2], turns[1::2], strict=True):
        tied = order[first : last + 1]
        by = of(tied)
        order[first : last + 1] = tied[sorted(range(len(by)), key=by.__getitem__)]
    return order


def packed(texts: Sequence[bytes]) -> PackedTexts:
    """Pack texts into arrays.

    >>> packed([b"one", b"", b"two"]).at(2)
    b'two'
    """
    bounds = np.fromiter(accumulate(map(len, texts), initial=0), np.int64, len(texts) + 1)
    return PackedTexts(np.frombuffer(b"".join(texts), np.uint8), bounds)


class Chosen:
    """Some of the texts, in the order of their `numbers`, to be written part by part."""

    def __init__(self, texts: PackedTexts, numbers: NDArray[Any]) -> None:
        self.numbers = numbers
        self._texts = texts
        self.bounds = np.concatenate([np.zeros(1, np.int64), np.diff(texts.bounds)[numbers].cumsum()])
        """Where each begins, and the last ends."""

    def of(self, places: NDArray[Any]) -> list[bytes]:
        """Those at these places among them."""
        return self._texts.of(self.numbers[places])

    def parts(self) -> Iterator[NDArray[np.uint8]]:
        """Their letters."""
        for first in range(0, len(self.numbers), PART):
            bounds = self.bounds[first : first + PART + 1]
            shift = self._texts.bounds[:-1][self.numbers[first : first + PART]] - bounds[:-1]
            yield self._texts.letters[np.arange(bounds[0], bounds[-1]) + np.repeat(shift, np.diff(bounds))]


def select_texts(texts: PackedTexts, numbers: NDArray[Any]) -> PackedTexts:
    """Pack these of the texts, in this order."""
    made = Chosen(texts, numbers)
    return PackedTexts(np.concatenate([np.zeros(0, np.uint8), *made.parts()]), made.bounds)


def append_texts(a: PackedTexts, b: PackedTexts) -> PackedTexts:
    """Put texts behind others."""
    return PackedTexts(np.concatenate([a.letters, b.letters]), np.concatenate([a.bounds, a.bounds[-1] + b.bounds[1:]]))


@dataclass(frozen=True, slots=True)
class Directory:
    """Finds the number of a text by binary search.

    `order`: the numbers of the texts, sorted by their bytes; None where the texts are sorted. `heads`: in this order.
    """

    texts: PackedTexts
    heads: NDArray[np.uint64]
    order: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.heads)

    def heads_by_number(self) -> NDArray[np.uint64]:
        """The head of each text, by its number."""
        if self.order is None:
            return self.heads
        heads = np.empty_like(self.heads)
        heads[self.order] = self.heads
        return heads

    def find(self, wanted: Sequence[str]) -> list[int]:
        """Return the number of each text, -1 where it is not there. Some 2 µs each."""
        if not len(self.heads):
            return [-1] * len(wanted)
        keys = [encoded(text) for text in wanted]
        asked = np.frombuffer(b"".join(key[:HEAD].ljust(HEAD, b"\0") for key in keys), ">u8").astype(np.uint64)
        firsts = self.heads.searchsorted(asked).tolist()
        ends = self.heads.searchsorted(asked, "right").tolist()
        return [self._among(first, end, key) for first, end, key in zip(firsts, ends, keys, strict=True)]

    def _among(self, first: int, end: int, key: bytes) -> int:
        """Return the number of the text `key`, searched from `first` to before `end` in the order; -1 if absent."""
        at = bisect_left(range(first, end), key, key=self._sorted) + first if end - first > 1 else first
        return self._number(at) if at < end and self._sorted(at) == key else -1

    def _sorted(self, at: int) -> bytes:
        return self.texts.at(self._number(at))

    def _number(self, at: int) -> int:
        return at if self.order is None else int(self.order[at])


NOTHING = PackedTexts(np.zeros(0, np.uint8), np.zeros(1, np.int64))
EMPTY = Directory(NOTHING, np.zeros(0, np.uint64))

"""Arrays in one file, with a checksum of every block of them, so that what is damaged is known before it is used."""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from random import SystemRandom
from threading import Event
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from rove.store.blocks import ArrayInParts

Array = NDArray[Any]
BLOCK_BYTES = 1 << 20
"""Bytes of an array that have a checksum (CRC-32) of their own."""
ALIGNED_BYTES = 64
"""Where an array begins in the file: at a multiple of it."""
MEMORY_BYTES = 64 << 20
"""Files up to this size are read into memory: what another program does to the file then changes nothing."""
SAMPLED_BLOCKS = 4
"""Blocks, drawn anew each time, that are checked of an array that is not checked whole, beside its first and last."""


@dataclass(frozen=True, slots=True)
class ArrayPlace:
    """Where an array lies in the file, and the checksums of its blocks."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    sums: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """How many bytes it has."""
        return int(np.prod(self.shape, dtype=np.int64)) * np.dtype(self.dtype).itemsize

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> ArrayPlace:
        """Read it from JSON."""
        shape, sums = tuple(map(int, described["shape"])), tuple(map(int, described["sums"]))
        return cls(str(described["dtype"]), shape, int(described["offset"]), sums)


class ArrayWriter:
    """Writes arrays into a file one after the other, each part by part."""

    def __init__(self, stream: BinaryIO) -> None:
        self.places: dict[str, ArrayPlace] = {}
        self._stream = stream
        self._at = 0

    def write(self, name: str, array: ArrayInParts) -> Iterator[None]:
        """Write an array; yields after each part."""
        self._put(bytes(-self._at % ALIGNED_BYTES))
        offset, sums = self._at, list[int]()
        for part in array.parts():
            data = np.ascontiguousarray(part, array.dtype).reshape(-1).view(np.uint8).data
            _extend_block_checksums(sums, data, self._at - offset)
            self._put(data)
            yield
        self.places[name] = ArrayPlace(array.dtype.str, tuple(array.shape), offset, tuple(sums))

    def _put(self, data: bytes | memoryview) -> None:
        self._stream.write(data)
        self._at += len(data)


def _extend_block_checksums(sums: list[int], data: memoryview, before: int) -> None:
    """Continue the checksums of an array of which so many bytes were taken in before."""
    at = 0
    while at < len(data):
        room = BLOCK_BYTES - (before + at) % BLOCK_BYTES
        if room == BLOCK_BYTES:
            sums.append(0)
        sums[-1] = crc32(data[at : at + room], sums[-1])
        at += room


class ArrayFile:
    """A file of arrays that is open: a small one lies in memory, a large one is mapped.

    `arrays`: read-only, by name.
    """

    def __init__(self, file: Path, places: Mapping[str, ArrayPlace]) -> None:
        """Open it; nothing is checked yet but its size.

        Raises:
            OSError: it is not there, or cannot be read.
            ValueError: it is longer or shorter than it was.
        """
        self._places = places
        self._fd = os.open(file, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        weakref.finalize(self, os.close, self._fd)
        self._seen = self._stat()
        size = max((place.offset + place.bytes for place in places.values()), default=0)
        if self._seen[0] != size:
            message = f"{file} has {self._seen[0]} bytes; it had {size}."
            raise ValueError(message)
        self._mapped = mmap.mmap(self._fd, 0, access=mmap.ACCESS_READ) if size > MEMORY_BYTES else None
        whole = self._read(size) if self._mapped is None else np.frombuffer(self._mapped, np.uint8)
        self._whole = whole
        self.arrays: Mapping[str, Array] = {
            name: whole[place.offset : place.offset + place.bytes].view(place.dtype).reshape(place.shape)
            for name, place in places.items()
        }

    @property
    def is_mapped(self) -> bool:
        """Whether it is read from the disk as it is used, so that it matters what becomes of the file."""
        return self._mapped is not None

    def is_untouched(self) -> bool:
        """Say whether the file still is as it was opened: as long, and not written to. Takes a microsecond."""
        return self._mapped is None or self._stat() == self._seen

    def is_sound(self, sampled: Collection[str] = (), stop: Event | None = None) -> bool:
        """Hold what was opened against its checksums: all blocks; of the arrays `sampled` a few, if it is mapped.

        `stop`: ends it, and what was not looked at is taken to be sound. With it, little of the file stays in memory.
        """
        buffer = memoryview(bytearray(BLOCK_BYTES))
        for name, place in self._places.items():
            for number in (
                _sample_block_numbers(len(place.sums)) if self._mapped and name in sampled else range(len(place.sums))
            ):
                if stop and stop.is_set():
                    return True
                data = self._block(place, number, buffer if stop else None)
                if crc32(data) != place.sums[number]:
                    return False
        return True

    def let_go(self) -> None:
        """Let the system take back the memory of what was read of a mapped file; it is read again when needed."""
        if self._mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)

    def _block(self, place: ArrayPlace, number: int, buffer: memoryview | None) -> memoryview:
        """Return a block; with a `buffer`, one of a mapped file is read into it, and not into this process's memory."""
        first = place.offset + number * BLOCK_BYTES
        size = min(BLOCK_BYTES, place.offset + place.bytes - first)
        if self._mapped is None or buffer is None or not hasattr(os, "preadv"):
            return self._whole[first : first + size].data
        return buffer[: os.preadv(self._fd, [buffer[:size]], first)]

    def _read(self, size: int) -> NDArray[np.uint8]:
        whole = np.empty(size, np.uint8)
        with FileIO(self._fd, closefd=False) as stream:
            read = stream.readinto(whole.data)
        if read != size:
            message = f"It was cut to {read} bytes while it was read."
            raise ValueError(message)
        whole.flags.writeable = False
        return whole

    def _stat(self) -> tuple[int, int]:
        facts = os.fstat(self._fd)
        return facts.st_size, facts.st_mtime_ns


def _sample_block_numbers(count: int) -> Iterable[int]:
    """Numbers of blocks: the first, the last, and some between."""
    if count <= SAMPLED_BLOCKS + 2:
        return range(count)
    return sorted({0, count - 1, *SystemRandom().sample(range(1, count - 1), SAMPLED_BLOCKS)})

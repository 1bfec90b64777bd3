"""The resident index on disk: arrays that a fresh process maps into memory instead of reading the catalog again.

A snapshot is a folder of `.npy` files and `facts.json`. It is written beside its place, then moved there whole. As any
index it is a projection: one that is torn, damaged or of another catalog is not used.
"""

from __future__ import annotations

import json
import mmap
import os
import secrets
import shutil
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.lib.format import dtype_to_descr, write_array_header_1_0
from numpy.typing import NDArray

from rove.store.blocks import ArrayInParts

Array = NDArray[Any]
FORMAT = 8
FACTS = "facts.json"
PARTS_HELD = 16
"""Parts of an array after which the memory of what was read for them is given back."""
UNCHECKED = {"upper", "lower"}
"""Arrays whose checksums `read` skips: they are most of the bytes, and a wrong byte in them only moves a score."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Arrays and facts of the base as it was at `revision`."""

    revision: int
    arrays: Mapping[str, Array | ArrayInParts]
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mapped(Snapshot):
    """A snapshot as it is read: its arrays are mapped, so that parts that are not used cost no memory."""

    arrays: Mapping[str, Array]
    mark: str

    @property
    def rows(self) -> int:
        """How many chunks it holds."""
        return len(self.arrays["language_codes"])

    def let_go(self) -> None:
        """Let the system take back the memory of what was read; it is mapped still, and read again when needed."""
        for array in self.arrays.values():
            if len(array) and hasattr(mmap, "MADV_DONTNEED"):
                array.base._mmap.madvise(mmap.MADV_DONTNEED)  # pyright: ignore # noqa: SLF001 - numpy has no other way


def write(folder: Path, snapshot: Snapshot, *, source: Mapped | None = None) -> str:
    """Write a snapshot into `folder`, beside those that are there; returns the mark by which `read` knows it.

    `source`: the snapshot that most of the arrays are read from; little of it stays in memory.

    Raises:
        OSError: the disk is full, or cannot be written to; nothing is left behind then.
    """
    place = folder / f"new-{secrets.token_hex(8)}"
    try:
        place.mkdir(parents=True)
        sums: dict[str, int] = {}
        for name, array in snapshot.arrays.items():
            sums[name] = _write_array(place / f"{name}.npy", array, source)
            if source:
                source.let_go()
        facts = {"format": FORMAT, "revision": snapshot.revision, "sums": sums, **snapshot.facts}
        described = json.dumps(facts).encode()
        _write_bytes(place / FACTS, described)
        final = folder / _mark(described)
        if final.exists():  # damaged, perhaps
            shutil.rmtree(final)
        place.rename(final)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return final.name


def sweep(folder: Path, mark: str) -> None:
    """Remove every other snapshot, and unfinished ones of killed processes. A process that has one mapped keeps it."""
    for other in folder.iterdir():
        if other.name != mark:
            shutil.rmtree(other, ignore_errors=True)


def read(folder: Path, mark: str, *, thorough: bool = False) -> Mapped | None:
    """Map the snapshot of that mark; None where it is missing or damaged. Takes milliseconds.

    `thorough`: check the checksum of every array.
    """
    try:
        return _read(folder / mark, mark, frozenset() if thorough else UNCHECKED) if mark else None
    except (OSError, ValueError, KeyError, EOFError):
        return None


def revision(folder: Path, mark: str) -> int:
    """The revision of the snapshot of that mark, -1 where it is missing; its arrays are not looked at.

    One of another version of Rove is as good as missing: it is written anew.
    """
    facts = _facts(folder, mark)
    return int(facts["revision"]) if facts.get("format") == FORMAT else -1


def is_of_another_version(folder: Path, mark: str) -> bool:
    """Say whether there is a snapshot of that mark which another version of Rove has written."""
    return _facts(folder, mark).get("format", FORMAT) != FORMAT


def _facts(folder: Path, mark: str) -> dict[str, Any]:
    """The facts of the snapshot of that mark, none where they are missing or torn."""
    try:
        described = (folder / mark / FACTS).read_bytes() if mark else b""
        return json.loads(described) if mark == _mark(described) else {}
    except (OSError, ValueError):
        return {}


def newest(folder: Path) -> Mapped | None:
    """Map the snapshot of the highest revision that is there: what is left to look at where the catalog is lost."""
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return max(filter(None, (read(folder, name) for name in names)), key=lambda kept: kept.revision, default=None)


def drop(folder: Path) -> None:
    """Take every snapshot away."""
    shutil.rmtree(folder, ignore_errors=True)


def drop_before(folder: Path, since: int) -> None:
    """Take snapshots away that are older than that revision. A process that has one mapped keeps it."""
    with suppress(FileNotFoundError):
        for other in folder.iterdir():
            if 0 <= revision(folder, other.name) < since:
                shutil.rmtree(other, ignore_errors=True)


def _mark(facts: bytes) -> str:
    """Return the name of a snapshot: a hash of its facts, which hold the checksums of all arrays."""
    return sha256(facts).hexdigest()[:32]


def _read(place: Path, mark: str, unchecked: Collection[str]) -> Mapped | None:
    described = (place / FACTS).read_bytes()
    facts = json.loads(described)
    if _mark(described) != mark or facts["format"] != FORMAT:
        return None
    arrays: dict[str, Array] = {}
    for name, checked in facts["sums"].items():
        array = np.asarray(np.load(place / f"{name}.npy", mmap_mode="r", allow_pickle=False))
        if name not in unchecked and crc32(array.data) != checked:
            return None
        arrays[name] = array
    return Mapped(int(facts["revision"]), arrays, facts, mark)


def _write_array(file: Path, array: Array | ArrayInParts, source: Mapped | None) -> int:
    """Write an array so that it is on the disk; returns its checksum."""
    blocks = array if isinstance(array, ArrayInParts) else ArrayInParts.of(array)
    summed = 0
    with file.open("wb") as stream:
        header = {"descr": dtype_to_descr(blocks.dtype), "fortran_order": False, "shape": blocks.shape}
        write_array_header_1_0(stream, header)
        for number, part in enumerate(blocks.parts()):
            if source and number % PARTS_HELD == PARTS_HELD - 1:
                source.let_go()
            whole = np.ascontiguousarray(part, blocks.dtype)
            stream.write(whole.data)
            summed = crc32(whole.data, summed)
        stream.flush()
        os.fsync(stream.fileno())
    return summed


def _write_bytes(file: Path, data: bytes) -> None:
    with file.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())

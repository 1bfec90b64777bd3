"""The resident index on disk: arrays that a fresh process maps into memory instead of reading the catalog again.

A snapshot is a folder of `.npy` files and `facts.json`. It is written beside its place, then moved there whole. As any
index it is a projection: one that is torn, damaged or of another catalog is not used.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Collection, Mapping
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
FORMAT = 4
FACTS = "facts.json"
UNCHECKED = {"vectors", "rounded"}
"""Arrays whose check sums `read` does not look at: most of the bytes, of which a wrong one moves a score, no more."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Arrays and facts of the base as it was at `revision`."""

    revision: int
    arrays: Mapping[str, Array | ArrayInParts]
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mapped(Snapshot):
    """A snapshot as it is read: its arrays are mapped, so that what is not looked at costs no memory."""

    arrays: Mapping[str, Array]


def write(folder: Path, snapshot: Snapshot) -> str:
    """Write a snapshot into `folder`, beside those that are there; returns the mark by which `read` knows it.

    Raises:
        OSError: the disk is full, or cannot be written to; nothing is left behind then.
    """
    place = folder / f"new-{secrets.token_hex(8)}"
    try:
        place.mkdir(parents=True)
        sums = {name: _write_array(place / f"{name}.npy", array) for name, array in snapshot.arrays.items()}
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
    """Take every other snapshot away, and what killed processes have left of theirs; who has one mapped keeps it."""
    for other in folder.iterdir():
        if other.name != mark:
            shutil.rmtree(other, ignore_errors=True)


def read(folder: Path, mark: str, *, thorough: bool = False) -> Mapped | None:
    """Map the snapshot of that mark; None where there is none that is whole. Takes milliseconds.

    `thorough`: look at the check sum of every array.
    """
    try:
        return _read(folder / mark, mark, frozenset() if thorough else UNCHECKED) if mark else None
    except (OSError, ValueError, KeyError, EOFError):
        return None


def newest(folder: Path) -> Mapped | None:
    """Map the snapshot of the highest revision that is there: what is left to look at where the catalog is lost."""
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return max(filter(None, (read(folder, name) for name in names)), key=lambda kept: kept.revision, default=None)


def drop(folder: Path) -> None:
    """Take every snapshot away."""
    shutil.rmtree(folder, ignore_errors=True)


def _mark(facts: bytes) -> str:
    """A snapshot is known by its facts, which have the check sums of all else."""
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
    return Mapped(int(facts["revision"]), arrays, facts)


def _write_array(file: Path, array: Array | ArrayInParts) -> int:
    """Write an array so that it is on the disk; returns its check sum."""
    blocks = array if isinstance(array, ArrayInParts) else ArrayInParts.of(array)
    summed = 0
    with file.open("wb") as stream:
        header = {"descr": dtype_to_descr(blocks.dtype), "fortran_order": False, "shape": blocks.shape}
        write_array_header_1_0(stream, header)
        for part in blocks.parts():
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

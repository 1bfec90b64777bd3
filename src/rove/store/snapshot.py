"""The resident index on disk: arrays that a fresh process maps into memory instead of reading the catalog again.

A snapshot is a folder of `.npy` files and `facts.json`. It is written beside its place, then moved there whole. As any
index it is a projection: one that is torn, damaged or of another catalog is not used.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
FORMAT = 2
FACTS = "facts.json"
UNCHECKED = {"vectors", "rounded"}
"""Arrays whose check sums are not looked at: they are most of the bytes, and a wrong one moves a score, no more."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Arrays and facts of the base as it was at `revision`."""

    revision: int
    arrays: Mapping[str, Array]
    facts: Mapping[str, Any]


def write(folder: Path, snapshot: Snapshot) -> str:
    """Write a snapshot into `folder`, and take the others there away; returns the mark by which `read` knows it.

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
    for other in folder.iterdir():
        if other != final:
            shutil.rmtree(other, ignore_errors=True)
    return final.name


def read(folder: Path, mark: str) -> Snapshot | None:
    """Map the snapshot of that mark; None where there is none that is whole. Takes milliseconds."""
    try:
        return _read(folder / mark, mark) if mark else None
    except (OSError, ValueError, KeyError, EOFError):
        return None


def drop(folder: Path) -> None:
    """Take every snapshot away."""
    shutil.rmtree(folder, ignore_errors=True)


def _mark(facts: bytes) -> str:
    """A snapshot is known by its facts, which have the check sums of all else."""
    return sha256(facts).hexdigest()[:32]


def _read(place: Path, mark: str) -> Snapshot | None:
    described = (place / FACTS).read_bytes()
    facts = json.loads(described)
    if _mark(described) != mark or facts["format"] != FORMAT:
        return None
    arrays: dict[str, Array] = {}
    for name, checked in facts["sums"].items():
        array = np.asarray(np.load(place / f"{name}.npy", mmap_mode="r", allow_pickle=False))
        if name not in UNCHECKED and crc32(array.data) != checked:
            return None
        arrays[name] = array
    return Snapshot(int(facts["revision"]), arrays, facts)


def _write_array(file: Path, array: Array) -> int:
    """Write an array so that it is on the disk; returns its check sum."""
    array = np.ascontiguousarray(array)
    with file.open("wb") as stream:
        np.save(stream, array, allow_pickle=False)
        stream.flush()
        os.fsync(stream.fileno())
    return crc32(array.data)


def _write_bytes(file: Path, data: bytes) -> None:
    with file.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())

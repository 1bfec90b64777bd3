"""Versions of a LanceDB table: each write leaves one, and some files. When they are too many, and which of them go."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from time import time

TIDY_VERSIONS, ROWS_A_VERSION = 48, 64
"""Versions from which on a table is tidied, and one more for so many rows: the larger it is, the longer that takes."""
GRACE, GRACE_VERSIONS = timedelta(minutes=10), 12
"""How long old versions are kept for readers that still use them, and how many; a reader that loses one asks again."""


def versions_of(table: Path) -> list[float]:
    """When each version that is still there was written, in seconds since the epoch. Blocks."""
    with os.scandir(table / "_versions") as entries:
        return [entry.stat().st_mtime for entry in entries]


def indices_of(table: Path) -> int:
    """A number that changes when an index of the table is made or goes, whichever process does it; 0 without any."""
    try:
        return (table / "_indices").stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def too_many(versions: Sequence[float], rows: int) -> bool:
    """Say whether a table of so many rows is to be tidied."""
    return len(versions) >= TIDY_VERSIONS + rows // ROWS_A_VERSION


def grace(versions: Sequence[float]) -> timedelta:
    """How old a version must be to go: older than those that are kept, which are few where many are written."""
    kept = sorted(versions, reverse=True)[:GRACE_VERSIONS]
    return min(GRACE, timedelta(seconds=max(time() - kept[-1], 0.0))) if kept else GRACE

"""Puts a new catalog in the place of a broken one, which is kept aside, never deleted."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Collection
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from rove.store.files import sync_folder
from rove.store.presence import CATALOG, HEADER, ORIGINALS

FILES = (CATALOG, f"{CATALOG}-wal", f"{CATALOG}-shm")


def swap(folder: Path, made: Path, claimed: Collection[str]) -> list[Path]:
    """Move the catalog `made` into a base's folder; returns what was moved aside, under names with the time. Blocks.

    The caller has the base alone, see `base_alone`. Originals that no document of the new catalog was read from and
    that are not `claimed` go aside too: a sweep would take them off the disk.
    """
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    with closing(sqlite3.connect(made)) as catalog, catalog:
        # A catalog that was never used is refused beside an index; this one may have saved nothing.
        catalog.execute("INSERT OR IGNORE INTO facts VALUES ('revision', '1')")
        held = {str(row[0]) for row in catalog.execute("SELECT digest FROM originals WHERE kept_bytes > 0")}
    aside: list[Path] = []
    for name in reversed(FILES):  # the log first: beside the new catalog it would be taken for its own
        kept = folder / f"{CATALOG}.lost-{stamp}{name.removeprefix(CATALOG)}"
        if (folder / name).exists():
            shutil.copy2(folder / name, kept)
            aside.append(kept)
        if name != CATALOG:
            (folder / name).unlink(missing_ok=True)
    made.replace(folder / CATALOG)
    sync_folder(folder)
    away = folder / f"{ORIGINALS}.lost-{stamp}"
    stray = [file for file in (folder / ORIGINALS).glob("*") if file.name not in {*held, *claimed}]
    for file in stray:
        away.mkdir(mode=0o700, exist_ok=True)
        file.rename(away / file.name)
    return [*aside, away] if stray else aside


def catalog_in(place: Path) -> Path | None:
    """The catalog that a backup is: a folder that holds one, or the file itself."""
    file = place / CATALOG if place.is_dir() else place
    if not file.is_file():
        return None
    with file.open("rb") as held:
        return file if held.read(len(HEADER)) == HEADER else None

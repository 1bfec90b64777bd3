"""Tells whether a folder holds a base, what is left of one whose catalog is lost, and which folder was meant."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from rove.errors import ConfigError

CATALOG, INDEX, RESIDENT, LOCK, TURNS, ORIGINALS, INCOMING, EVALUATIONS, SHARDS = (
    "catalog.sqlite",
    "index",
    "resident",
    "write.lock",
    "write.turns",
    "originals",
    "incoming",
    "evaluations",
    "shards",
)
WAL = f"{CATALOG}-wal"
SERVING = "serving.json"
"""As `rove.serve.local_calls.invitation` has it: where a server answers the command line."""
SMALLEST_DATABASE = 512  # bytes of the smallest page: SQLite takes a shorter file for an empty database
HEADER = b"SQLite format 3\0"
REBUILD = "rove doctor --rebuild-from SOURCE"
CURE = (
    f"Run: {REBUILD}, where SOURCE is an export, a backup, or `here` for what this folder still holds. "
    "What is broken is moved aside and kept."
)


@dataclass(frozen=True, slots=True)
class Remains:
    """What a folder holds of a base beside its catalog."""

    index_bytes: int
    originals: int
    jobs: int
    wal_bytes: int
    written: bool

    @property
    def any(self) -> bool:
        """True where a base was here once: its catalog is made before all of these."""
        return bool(self.index_bytes or self.originals or self.jobs or self.wal_bytes or self.written)

    def __str__(self) -> str:
        said = (
            (self.index_bytes, f"an index of {self.index_bytes:,} bytes"),
            (self.originals, f"{self.originals} original files"),
            (self.jobs, f"{self.jobs} uploads that wait"),
            (self.wal_bytes, f"a write-ahead log of {self.wal_bytes:,} bytes"),
        )
        return ", ".join(words for there, words in said if there) or "the lock file of its writers"


def remains_of(folder: Path) -> Remains:
    """Look at what lies in the folder of a base; nothing is opened."""
    wal = folder / WAL
    return Remains(
        index_bytes=_folder_byte_count(folder / INDEX) + _folder_byte_count(folder / RESIDENT),
        originals=_folder_entry_count(folder / ORIGINALS),
        jobs=_folder_entry_count(folder / INCOMING),
        wal_bytes=wal.stat().st_size if wal.is_file() else 0,
        written=(folder / LOCK).exists(),
    )


def holds_chunks(folder: Path) -> bool:
    """Say whether a snapshot or an index on disk has ever been given a chunk, by its files alone."""
    return any((folder / RESIDENT).glob("*/*")) or any((folder / INDEX).glob("*/data/*"))


def check_not_lost(folder: Path) -> None:
    """Look at a catalog before SQLite does, which would make an empty database of one that is gone or cut to nothing.

    A process that is killed while it makes a base leaves nothing but the catalog, so that such a folder is let through.

    Raises:
        ConfigError: there was a base here, and its catalog is missing or holds nothing.
    """
    file = folder / CATALOG
    size = file.stat().st_size if file.is_file() else -1
    if size < SMALLEST_DATABASE and (remains := remains_of(folder)).any:
        raise lost(folder, f"{CATALOG} is missing" if size < 0 else f"{CATALOG} has {size} bytes", remains)


def lost(folder: Path, what: str, remains: Remains | None = None) -> ConfigError:
    """Make the error that says: here is a base without a catalog that could be used."""
    left = remains or remains_of(folder)
    there = f"Beside it there is {left}." if left.any else "Nothing else of the base is there."
    return ConfigError(f"The base {folder} has lost its catalog: {what}. {there}", cure=CURE)


def check_there(folder: Path) -> None:
    """Look whether there is a base to read from; nothing is made.

    Raises:
        ConfigError: there is none, or its catalog is lost.
    """
    check_not_lost(folder)
    if not (folder / CATALOG).is_file():
        raise _no_such_base_error(folder, f"There is no base in {folder}.")


def check_folder(folder: Path) -> None:
    """Look whether there is a folder to serve from: a base, or an empty folder that somebody has made for one.

    Raises:
        ConfigError: there is no such folder, or its base has lost its catalog.
    """
    check_not_lost(folder)
    if not folder.is_dir():
        raise _no_such_base_error(folder, f"There is no folder {folder} to serve.")


def _no_such_base_error(folder: Path, message: str) -> ConfigError:
    near = _nearest_base_folder(folder)
    ask = f"Did you mean {near}? " if near else ""
    return ConfigError(message, cure=f"{ask}A base is made by: rove add SOURCE --kb {folder}")


def _nearest_base_folder(folder: Path) -> Path | None:
    """The base beside this folder, or in it, whose name is the most like it."""
    beside = folder.absolute().parent
    if not beside.is_dir():
        return None
    names = {path.parent.name: path.parent for path in sorted(beside.glob(f"*/{CATALOG}"))}
    within = [path.parent for path in sorted(folder.glob(f"*/{CATALOG}"))] if folder.is_dir() else []
    near = get_close_matches(folder.name, names, n=1, cutoff=0.5)
    found = names[near[0]] if near else (within or list(names.values()))[0] if len(within or names) == 1 else None
    return found and (found if folder.is_absolute() else folder.parent / found.relative_to(beside))


def _folder_entry_count(folder: Path) -> int:
    return sum(1 for _ in folder.iterdir()) if folder.is_dir() else 0


def _folder_byte_count(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0

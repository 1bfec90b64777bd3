"""How a SQLite catalog is opened: beside others, by a log and memory that all share; and where nothing can be written.

A reader in WAL mode needs a file that all map, and makes it where nobody has: on a full disk, and where nothing may be
written, that fails, and reading with it. But there is only something to share where somebody else has it open.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rove.store.sqlite_file import READ_ALONE, CatalogFile
from rove.store.text_values import read_bytes

UNWRITABLE = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}
"""SQLite's codes for what an opening raises that would have to write and cannot."""
PRIMARY = 0xFF
BUSY_TIMEOUT_MS, SOON_MS = 60_000, 2_000


@dataclass(frozen=True, slots=True)
class Way:
    """A way of opening a file: what is put behind its address, and what each connection is told first.

    `shares`: others may have it open, and write to it. `writes`: this process may.
    """

    query: str
    pragmas: tuple[str, ...]
    shares: bool = False
    writes: bool = False


SHARED = Way(
    "",
    (
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "secure_delete=ON",
    ),
    shares=True,
    writes=True,
)
LOOKING = Way("", (f"busy_timeout={BUSY_TIMEOUT_MS}", "query_only=ON"), shares=True)
"""Beside others, without a write of this process's own."""
AS_IT_LIES = Way(READ_ALONE, ("query_only=ON",))
"""Where there is no log: nobody has it open, and it changes only once somebody opens it."""
ALONE = Way("?vfs=unix-excl", (f"busy_timeout={SOON_MS}", "query_only=ON"))
"""Where a process that was killed has left a log: this one alone has it open, and needs no memory to share."""


@dataclass(frozen=True, slots=True)
class OpenedCatalog:
    """A catalog that is open: the way, the file, and a connection that only looks at the revision."""

    way: Way
    file: CatalogFile
    watch: sqlite3.Connection


def open_catalog(file: Path, *, writes: bool = True) -> OpenedCatalog:
    """Open a catalog, or make its file; where that would have to write and cannot, so that it can be read.

    Without `writes` it is only read in any case.

    Raises:
        sqlite3.DatabaseError: it can be opened in no way; what the first one said.
    """
    try:
        return _open_catalog_file(file, SHARED if writes else LOOKING)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & PRIMARY not in UNWRITABLE or not _file_size_or_zero(file):
            raise
        return _open_catalog_for_reading(file, error)


def connect(file: Path, way: Way) -> sqlite3.Connection:
    """Open one more connection."""
    timeout = BUSY_TIMEOUT_MS / 1000
    opened = sqlite3.connect(f"{file.as_uri()}{way.query}", uri=True, check_same_thread=False, timeout=timeout)
    opened.text_factory = read_bytes
    return opened


def _open_catalog_for_reading(file: Path, refused: sqlite3.OperationalError) -> OpenedCatalog:
    try:
        if _file_size_or_zero(Path(f"{os.path.realpath(file)}-wal")):
            with closing(connect(file, ALONE)) as last:  # which takes the log into the file as it closes, if it can
                _probe_connection(last)
        left = _file_size_or_zero(Path(f"{os.path.realpath(file)}-wal"))
        return _open_catalog_file(file, ALONE if left else AS_IT_LIES)
    except sqlite3.OperationalError:
        raise refused from None


def _open_catalog_file(file: Path, way: Way) -> OpenedCatalog:
    watch = connect(file, way)
    try:
        _probe_connection(watch)
    except sqlite3.OperationalError:
        watch.close()
        raise
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        pass  # it is torn, which is said by who reads it
    return OpenedCatalog(way, CatalogFile(file), watch)


def _probe_connection(connection: sqlite3.Connection) -> None:
    connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()


def _file_size_or_zero(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0

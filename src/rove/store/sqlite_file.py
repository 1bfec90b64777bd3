"""The file of a SQLite catalog that is open: whether it is still the one of its name, and holds what was written to it.

A file that is moved, deleted or replaced lives on for who has it open: SQLite goes on reading and writing it, and what
is written is gone when the last process closes it.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Lock
from time import sleep

from rove.errors import CatalogReplacedError

IDENTITY = "identity"
"""The fact that tells a catalog from every other; its copies have the same."""
READ_ALONE = "?immutable=1"
"""How SQLite reads a file as it lies there: without its log, and without a lock."""
LOOKS, APART_S = 5, 0.02
"""How often a file is read that another process may be moving its log into, and how long between two looks."""
MOVED, BEGUN = 96, 128
"""Where the index of SQLite's log counts the frames that were moved into the file, and those that were begun with."""
READ_COUNTS = f"import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read({BEGUN + 4}))"
REOPEN = "Open the base again; a server does so by itself."
PUT_BACK = "Put it back where it was, or restart what has the base open."
RESTORE = "Stop every process that has it open, and run: rove doctor --rebuild-from BACKUP"


class CatalogFile:
    """A catalog's file, and its log, as they were when this process opened them. `check` costs microseconds."""

    def __init__(self, file: Path) -> None:
        """Look at the file, which is open by now."""
        self._path = str(file.absolute())
        self._wal = f"{os.path.realpath(self._path)}-wal"  # noqa: PTH118 - SQLite follows links likewise
        self._shm = f"{os.path.realpath(self._path)}-shm"  # noqa: PTH118
        found = os.stat(self._path)  # noqa: PTH116 - twice as quick
        self._place = found.st_dev, found.st_ino
        self._wal_place: tuple[int, int] | None = None
        self._seen = _state(found)
        self._log = _state_of(self._wal)
        self._known = self._facts()
        self._overwritten = False
        self._looking = Lock()

    def has_changed(self) -> bool:
        """Whether somebody has written to the file, or begun to. Raises as `check` does."""
        return _state(self.look()) != self._seen or _state_of(self._wal) != self._log

    def check(self, *, writes: bool = False) -> None:
        """See that all is as it was; `writes`: a transaction writes to it, so that its log is there.

        Raises:
            CatalogReplacedError: it was moved, deleted, replaced or overwritten.
        """
        found = self.look()
        if writes:
            self._check_log()
        if self._overwritten or (_state(found) != self._seen and self._is_overwritten()):
            message = f"The catalog {self._path} was overwritten while this process had it open."
            raise CatalogReplacedError(message, cure=RESTORE)

    def look(self) -> os.stat_result:
        """Look at the file of that name, and see that it is the one that is open. Raises as `check` does."""
        try:
            found = os.stat(self._path)  # noqa: PTH116
        except OSError as error:
            message = f"The catalog {self._path} is gone: it was moved or deleted while this process had it open."
            raise CatalogReplacedError(message, cure=PUT_BACK) from error
        if (found.st_dev, found.st_ino) != self._place:
            message = f"The catalog {self._path} was replaced while this process had it open."
            raise CatalogReplacedError(message, cure=REOPEN, reopens=found.st_size > 0)
        return found

    def _check_log(self) -> None:
        """See that the log is the one that is written to."""
        try:
            found = os.stat(self._wal)  # noqa: PTH116
        except OSError:
            now = None
        else:
            now = found.st_dev, found.st_ino
        if self._wal_place is None:
            self._wal_place = now
        elif now != self._wal_place:
            message = f"The log of the catalog {self._path} was deleted while this process had it open."
            raise CatalogReplacedError(message, cure=PUT_BACK)

    def _is_overwritten(self) -> bool:
        """Look into a file that has changed. SQLite moves its log into it now and then; then it never goes back.

        Where it could not move all of it (the disk is full), the file alone is no catalog, and tells nothing.
        """
        with self._looking:
            for _ in range(LOOKS):
                state, found = _state(os.stat(self._path)), self._facts()  # noqa: PTH116
                if found and (not self._known or (found[0] >= self._known[0] and self._known[1] in {"", found[1]})):
                    self._seen, self._known = state, found
                    return False
                if not found and (not self._known or self._is_half_moved()):
                    return False
                sleep(APART_S)
            self._overwritten = True
            return True

    def _is_half_moved(self) -> bool:
        """Whether SQLite has begun to move its log into the file, and has not come to an end.

        Another process reads it: who closes a file lets go of all locks that its process has on it, SQLite's too.
        """
        reading = [sys.executable or "python3", "-I", "-S", "-c", READ_COUNTS, self._shm]
        try:
            counts = subprocess.run(reading, capture_output=True, check=False).stdout
        except OSError:  # no process can be begun: nothing is known
            return False
        moved, begun = (int.from_bytes(counts[at : at + 4], sys.byteorder) for at in (MOVED, BEGUN))
        return begun > moved

    def _facts(self) -> tuple[int, str] | None:
        """The revision and the identity as the file alone has them; None where it has none that can be read."""
        try:
            with closing(sqlite3.connect(f"{Path(self._path).as_uri()}{READ_ALONE}", uri=True)) as alone:
                query = "SELECT name, value FROM facts WHERE name IN ('revision', ?)"
                facts = dict(alone.execute(query, (IDENTITY,)).fetchall())
                return int(facts.get("revision") or "0"), str(facts.get(IDENTITY) or "")
        except (sqlite3.DatabaseError, ValueError, UnicodeDecodeError):
            return None


def _state(found: os.stat_result) -> tuple[int, int]:
    return found.st_mtime_ns, found.st_size


def _state_of(path: str) -> tuple[int, int]:
    try:
        return _state(os.stat(path))  # noqa: PTH116
    except OSError:
        return 0, 0

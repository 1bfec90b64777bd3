"""A base that lives in a folder of this machine: a SQLite file, and all else beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rove.store.database import Database
from rove.store.dialect import Dialect
from rove.store.files import FolderFiles
from rove.store.news import NoNews
from rove.store.presence import CATALOG, ORIGINALS, check_folder, check_not_lost, check_there
from rove.store.private import make_folder
from rove.store.sqlite import SqliteDialect
from rove.store.team import Alone
from rove.store.write_queue import WriteQueue


@dataclass(frozen=True, slots=True)
class FolderHome:
    """See `Home`."""

    folder: Path
    mark: str = "resident"
    is_shared: bool = False

    def __str__(self) -> str:
        return str(self.folder)

    def check_there(self) -> None:
        """Look at the folder."""
        check_there(self.folder)

    def check_served(self) -> None:
        """Look at the folder; an empty one will do."""
        check_folder(self.folder)

    def dialect(self) -> SqliteDialect:
        """Open the SQLite file."""
        check_not_lost(self.folder)
        make_folder(self.folder)
        return SqliteDialect(self.folder / CATALOG)

    def turns(self, dialect: Dialect) -> WriteQueue:
        """Return a queue of locked files."""
        del dialect
        return WriteQueue(self.folder)

    def files(self, database: Database) -> FolderFiles:
        """Return the folder of originals."""
        del database
        return FolderFiles(self.folder.absolute() / ORIGINALS)

    def news(self, dialect: Dialect) -> NoNews:
        """Return none."""
        del dialect
        return NoNews()

    def team(self, database: Database) -> Alone:
        """Return none but this one."""
        del database
        return Alone()

    def board(self, database: Database) -> None:
        """Return none."""
        del database

"""Where a base lives: what its catalog is kept in, how its writers take turns, and where its files are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rove.errors import ConfigError
from rove.installing import install_cure
from rove.registry import load
from rove.store.folder_home import FolderHome

if TYPE_CHECKING:
    from rove.settings import Address
    from rove.store.database import Database
    from rove.store.dialect import Dialect
    from rove.store.files import Files
    from rove.store.job_board import JobBoard
    from rove.store.news import News
    from rove.store.team import Team
    from rove.store.write_queue import Turns


class Home(Protocol):
    """Where one base lives. Calls block; nothing is opened or made before it is asked for."""

    @property
    def folder(self) -> Path:
        """This machine's folder for the base: what a search starts from, uploads that wait, work under way."""
        ...

    @property
    def mark(self) -> str:
        """The fact that names this machine's snapshot."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether other machines may write to the base, and have snapshots of their own."""
        ...

    def check_there(self) -> None:
        """Look whether there is a base to read from; nothing is made.

        Raises:
            ConfigError: there is none, or its catalog is lost.
            ServiceError: that cannot be found out now.
        """
        ...

    def check_served(self) -> None:
        """Look whether there is a base, or a place that somebody has made for one. Raises as `check_there` does."""
        ...

    def dialect(self) -> Dialect:
        """Open the catalog's database, or make it.

        Raises:
            ConfigError: it is lost or damaged.
            ServiceError: it cannot be reached.
        """
        ...

    def turns(self, dialect: Dialect) -> Turns:
        """Return what the writers of the base take turns by; `dialect` is what this process has opened."""
        ...

    def files(self, database: Database) -> Files:
        """Return where the originals are kept."""
        ...

    def news(self, dialect: Dialect) -> News:
        """Return what tells that others have written to the base; `dialect` is what this process has opened."""
        ...

    def team(self, database: Database) -> Team:
        """Return the servers of the base, as one that is yet to join them."""
        ...

    def board(self, database: Database) -> JobBoard | None:
        """Return where servers tell one another how far their jobs are; None where one server is enough."""
        ...


def home_of(place: Path | Address) -> Home:
    """Return the home of a base in a folder, or at an address.

    Raises:
        ConfigError: the extra that reaches the database is not installed.
    """
    if isinstance(place, Path):
        return FolderHome(place)
    try:
        return load("rove.store.postgres_home:PostgresHome")(place)
    except ModuleNotFoundError as error:
        message = f"A base in Postgres needs {error.name!r}, which is not installed."
        raise ConfigError(message, cure=install_cure("postgres", error.name or "")) from error

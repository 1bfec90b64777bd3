"""A base that lives in a Postgres database: its rows, its files and its locks are there for every machine."""

from __future__ import annotations

from functools import cached_property
from secrets import token_hex

from rove.errors import ConfigError
from rove.settings import Address
from rove.store.database import Database
from rove.store.dialect import Dialect
from rove.store.files import write_whole
from rove.store.job_board import JobBoard
from rove.store.postgres import PostgresDialect
from rove.store.postgres_files import PostgresFiles
from rove.store.postgres_news import PostgresNews
from rove.store.postgres_team import PostgresTeam
from rove.store.postgres_turns import PostgresTurns
from rove.store.presence import ORIGINALS

MACHINE = "machine"


class PostgresHome:
    """See `Home`."""

    is_shared = True

    def __init__(self, address: Address) -> None:
        """Take the address; nothing is reached or made."""
        self.address = address
        self.folder = address.folder

    def __str__(self) -> str:
        return str(self.address)

    @cached_property
    def mark(self) -> str:
        """The fact of this machine's snapshot, by a name that the folder keeps."""
        file = self.folder / MACHINE
        if not file.is_file():
            self._make_folder()
            write_whole(file, [token_hex(8).encode()])
        return f"resident of {file.read_text('ascii')}"

    def check_there(self) -> None:
        """Look whether there is such a schema."""
        dialect = PostgresDialect(self.address, create=False)
        dialect.close()
        if dialect.is_new:
            message = f"There is no base in {self}."
            raise ConfigError(message, cure=f"A base is made by: rove add SOURCE --kb '{self}'")

    def check_served(self) -> None:
        """Look whether the database can be reached: a schema is made in it."""
        PostgresDialect(self.address, create=False).close()

    def dialect(self) -> PostgresDialect:
        """Reach the database, and make the schema and this machine's folder."""
        dialect = PostgresDialect(self.address)
        self._make_folder()
        return dialect

    def turns(self, dialect: Dialect) -> PostgresTurns:
        """Return turns by a lock of the database."""
        assert isinstance(dialect, PostgresDialect)  # noqa: S101 - `dialect` has made it
        return PostgresTurns(dialect)

    def files(self, database: Database) -> PostgresFiles:
        """Return a table of files; those that are looked at are copied to this machine's folder."""
        return PostgresFiles(database, self.folder / ORIGINALS)

    def news(self, dialect: Dialect) -> PostgresNews:
        """Return what listens to the database."""
        assert isinstance(dialect, PostgresDialect)  # noqa: S101 - `dialect` has made it
        return PostgresNews(dialect)

    def team(self, database: Database) -> PostgresTeam:
        """Return the servers that have joined in the database."""
        assert isinstance(database.dialect, PostgresDialect)  # noqa: S101 - `dialect` has made it
        return PostgresTeam(database.dialect, database)

    def board(self, database: Database) -> JobBoard:
        """Return a table."""
        return JobBoard(database)

    def _make_folder(self) -> None:
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        self.folder.mkdir(mode=0o700, exist_ok=True)

"""Where a base keeps its files: in its home, or in the object store that it remembers from the settings."""

from __future__ import annotations

from secrets import token_hex

from sqlalchemy import select

from rove.errors import ConfigError
from rove.registry import load
from rove.store import tables
from rove.store.database import Database, get_fact, set_fact
from rove.store.files import Files
from rove.store.home import Home

FILES_AT, FILES_OF = "files at", "files of"
"""The facts that say in which object store the files are, and what the base is called there."""
COPIES = "copies"


def files_of(home: Home, database: Database, wanted: str) -> Files:
    """Return the files of a base; `wanted`: the object store that the settings name, "" for the one it has, or none.

    Raises:
        ConfigError: the base has files elsewhere, or `wanted` is no such address.
        ServiceError: the object store cannot be reached.
    """
    with database.read() as connection:
        had, called = get_fact(connection, FILES_AT), get_fact(connection, FILES_OF)
        o = tables.originals.c
        kept = connection.execute(select(o.document).where(o.kept_bytes > 0).limit(1)).first()
    at = wanted or had
    if not at:
        return home.files(database)
    if kept and _bucket(had) != _bucket(at):
        message = f"The files of this base are in {_bucket(had) or str(home)}, and store.files is {_bucket(at)!r}."
        raise ConfigError(message, cure="Leave it as it was; or export the base, and import it into a new one.")
    called = called or token_hex(16)
    files: Files = load("rove.store.object_files:ObjectFiles")(at, called, home.folder / COPIES)
    if at != had:
        with database.write() as connection:
            set_fact(connection, FILES_AT, at)
            set_fact(connection, FILES_OF, called)
    return files


def _bucket(address: str) -> str:
    return address.partition("?")[0].rstrip("/")

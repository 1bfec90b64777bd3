"""The catalog keeps its contract in every database that Rove has a dialect for."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import postgres_server
from rove.settings import Address
from rove.store.folder_home import FolderHome
from rove.store.postgres import PostgresDialect
from rove.store.sqlite import SqliteDialect
from rove.testing import CatalogContract


class TestSqlite(CatalogContract):
    def make(self, folder: Path) -> SqliteDialect:
        return FolderHome(folder).dialect()


class TestPostgres(CatalogContract):
    """A schema for each folder. A process that a test starts is told by the environment where the database is."""

    def make(self, folder: Path) -> PostgresDialect:
        return PostgresDialect(Address(postgres_server.base(f"rove_{sha256(str(folder).encode()).hexdigest()[:16]}")))

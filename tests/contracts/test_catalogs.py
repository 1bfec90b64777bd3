"""The catalog keeps its contract in every database that Rove has a dialect for."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import postgres_server
from postgres_dialect import PostgresDialect
from rove.store.presence import CATALOG
from rove.store.sqlite import SqliteDialect
from rove.testing import CatalogContract

ADDRESS = "ROVE_TEST_POSTGRES"


class TestSqlite(CatalogContract):
    def make(self, folder: Path) -> SqliteDialect:
        return SqliteDialect(folder / CATALOG)


class TestPostgres(CatalogContract):
    """A schema for each folder. A process that a test starts is told by the environment where the database is."""

    def make(self, folder: Path) -> PostgresDialect:
        address = os.environ.get(ADDRESS) or os.environ.setdefault(ADDRESS, postgres_server.address())
        return PostgresDialect(address, f"rove_{sha256(str(folder).encode()).hexdigest()[:16]}")

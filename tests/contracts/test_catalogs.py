"""The catalog keeps its contract in every database that Rove has a dialect for."""

from __future__ import annotations

from pathlib import Path

from rove.store.presence import CATALOG
from rove.store.sqlite import SqliteDialect
from rove.testing import CatalogContract


class TestSqlite(CatalogContract):
    def make(self, folder: Path) -> SqliteDialect:
        return SqliteDialect(folder / CATALOG)

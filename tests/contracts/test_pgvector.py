"""The index in Postgres keeps its contract, in a real server: without an index of vectors, and with one."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

import postgres_server
from rove.settings import StoreSettings
from rove.store import Index
from rove.store.servers import pgvector
from rove.testing import IndexContract
from rove.testing.durable_indexes import LastingIndexContract


class InPostgres(IndexContract):
    name = "pgvector"

    def make(self, folder: Path) -> Index:
        name = f"t{sha256(bytes(folder)).hexdigest()[:20]}"
        server = {"url": postgres_server.address(), "name": name}
        settings = StoreSettings.model_validate({"document_share": 0.0, "server": server})
        return self.registered()(folder=folder, dimension=self.dimension, settings=settings)


class TestPgvector(LastingIndexContract, InPostgres):
    """As it is for 50,000 rows and fewer."""


class TestLargePgvector(InPostgres):
    """With an index of vectors, which it has from 50,000 rows on, and with it for filters that many pass."""

    @pytest.fixture(autouse=True)
    def large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pgvector, "VECTOR_INDEX_FROM", 1_500)
        monkeypatch.setattr(pgvector, "COMPARED_ROWS", 100)

"""Every registered index keeps its contract; LanceDB also with its structures for large tables."""

from __future__ import annotations

import pytest

from rove.store import lance
from rove.testing import DurableIndexContract, IndexContract


class TestMemory(IndexContract):
    name = "memory"


class TestLance(DurableIndexContract):
    name = "lancedb"


class TestLargeLance(IndexContract):
    """With a vector index, which LanceDB has from 65,536 rows on."""

    name = "lancedb"

    @pytest.fixture(autouse=True)
    def large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(lance, "VECTOR_INDEX_FROM", 1_500)

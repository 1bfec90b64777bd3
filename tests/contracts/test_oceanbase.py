"""OceanBase keeps the contract of an index that compares vectors and lasts; also with its index of vectors."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

import oceanbase_server
from rove.settings import StoreSettings
from rove.store import VectorIndex
from rove.store.servers import oceanbase
from rove.testing import LastingIndexContract

pytestmark = pytest.mark.servers


class TestOceanBase(LastingIndexContract):
    name = "oceanbase"

    def make(self, folder: Path) -> VectorIndex:
        settings = StoreSettings.model_validate(oceanbase_server.store())
        server = settings.server.model_copy(update={"name": f"t{sha256(str(folder).encode()).hexdigest()[:20]}"})
        settings = settings.model_copy(update={"server": server})
        return self.registered()(folder=folder, dimension=self.dimension, settings=settings)


class TestLargeOceanBase(TestOceanBase):
    """With an index of vectors, which OceanBase has from 65,536 rows on."""

    @pytest.fixture(autouse=True)
    def large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(oceanbase, "VECTOR_INDEX_FROM", 30)

"""Milvus keeps the contract of an index that compares vectors and lasts."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

import milvus_server
from rove.settings import StoreSettings
from rove.store import VectorIndex
from rove.testing import LastingIndexContract

pytestmark = pytest.mark.servers


class TestMilvus(LastingIndexContract):
    name = "milvus"

    def make(self, folder: Path) -> VectorIndex:
        settings = StoreSettings.model_validate(milvus_server.store())
        server = settings.server.model_copy(update={"name": f"t{sha256(str(folder).encode()).hexdigest()[:20]}"})
        settings = settings.model_copy(update={"server": server})
        return self.registered()(folder=folder, dimension=self.dimension, settings=settings)

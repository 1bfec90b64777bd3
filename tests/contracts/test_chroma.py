"""The index in Chroma keeps its contract, in a real server."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

import chroma_server
from rove.settings import StoreSettings
from rove.store import VectorIndex
from rove.testing.durable_indexes import LastingIndexContract

pytestmark = pytest.mark.servers


class TestChroma(LastingIndexContract):
    name = "chroma"

    def make(self, folder: Path) -> VectorIndex:
        name = f"t{sha256(bytes(folder)).hexdigest()[:20]}"
        server = {"url": chroma_server.address(), "name": name}
        settings = StoreSettings.model_validate({"server": server})
        return self.registered()(folder=folder, dimension=self.dimension, settings=settings)

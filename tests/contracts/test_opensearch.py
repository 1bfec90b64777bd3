"""The index in OpenSearch keeps its contract on its real node, with the k-NN plug-in: see `opensearch_server`."""

from __future__ import annotations

from pathlib import Path

import pytest

import lucene_wire
from rove.settings import StoreSettings
from rove.store import Index
from rove.testing import IndexContract, LastingIndexContract


@pytest.mark.long
class TestOpenSearch(IndexContract):
    name = "opensearch"

    def make(self, folder: Path) -> Index:
        settings = StoreSettings.model_validate(lucene_wire.store("opensearch", folder))
        return self.registered()(folder=folder, dimension=self.dimension, settings=settings)


@pytest.mark.servers
class TestLastingOpenSearch(TestOpenSearch, LastingIndexContract):
    """Killed between the catalog and the node: each case starts Rove anew, which takes its time."""

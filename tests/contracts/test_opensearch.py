"""The index in OpenSearch keeps its contract: on the wire, and on a real node where one is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import lucene_wire
from rove.settings import StoreSettings
from rove.store import Index
from rove.testing import IndexContract, LastingIndexContract


class TestOpenSearch(IndexContract):
    """On the wire only: see `lucene_wire`. How it lasts is the code of Elasticsearch, whose suite runs each time."""

    name = "opensearch"
    version = "2.19.0"

    def make(self, folder: Path) -> Index:
        settings = StoreSettings.model_validate(lucene_wire.store("opensearch", folder, self.version))
        return self.registered()(folder=folder, dimension=self.dimension, settings=settings)


@pytest.mark.servers
class TestLastingOpenSearch(TestOpenSearch, LastingIndexContract):
    version = "3.1.0"


@pytest.mark.servers
@pytest.mark.skipif(lucene_wire.REAL["opensearch"] not in os.environ, reason="needs a node of OpenSearch")
class TestRealOpenSearch(TestLastingOpenSearch):
    version = ""

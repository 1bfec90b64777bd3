"""The index in Elasticsearch keeps its contract: on the wire, and on a real node where one is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import lucene_wire
import noida_server
from rove.settings import StoreSettings
from rove.store import INDEXES, Index
from rove.testing import IndexContract, LastingIndexContract


class TestElasticsearch(LastingIndexContract, IndexContract):
    """On the wire only: see `lucene_wire`."""

    name = "elasticsearch"
    version = "9.1.0"

    def make(self, folder: Path) -> Index:
        settings = StoreSettings.model_validate(lucene_wire.store("elasticsearch", folder, self.version))
        return self.registered()(folder=folder, dimension=self.dimension, settings=settings)


@pytest.mark.servers
@pytest.mark.skipif(lucene_wire.REAL["elasticsearch"] not in os.environ, reason="needs a node of Elasticsearch")
class TestRealElasticsearch(TestElasticsearch):
    version = ""


@pytest.mark.servers
@pytest.mark.skipif(not noida_server.BINARY, reason="needs requirements/servers.txt")
class TestNoida(IndexContract):
    """On a double that others have written, by Elasticsearch's own tests of its REST interface."""

    def make(self, folder: Path) -> Index:
        told = lucene_wire.store("elasticsearch", folder, "9", url=noida_server.address())
        settings = StoreSettings.model_validate(told)
        return INDEXES.get("elasticsearch")(folder=folder, dimension=self.dimension, settings=settings)

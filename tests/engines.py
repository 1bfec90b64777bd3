"""Every index that can be named, and how the tests reach it: its server is started where need be."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import chroma_server
import lucene_wire
import milvus_server
import oceanbase_server
import postgres_server

Table = dict[str, object]


def _alone(index: str, **server: object) -> Table:
    return {"index": index, "resident_chunks": 0, "server": server}


def _lucene(product: str, version: str = "") -> Table:
    return lucene_wire.store(product, Path(tempfile.mkdtemp(prefix=f"rove-{product}-")), version)


QUICK: dict[str, Callable[[], Table]] = {
    "lancedb": lambda: _alone("lancedb"),
    "pgvector": lambda: _alone("pgvector", url=postgres_server.address()),
    "elasticsearch": lambda: _lucene("elasticsearch", "9.1.0"),
}
SLOW: dict[str, Callable[[], Table]] = {
    "chroma": lambda: _alone("chroma", url=chroma_server.address()),
    "milvus": milvus_server.store,
    "oceanbase": oceanbase_server.store,
    "opensearch": lambda: _lucene("opensearch"),
}
"""Those whose servers take long to start: only where `-m servers` is asked for."""


def store_of(name: str) -> Table:
    """The settings table `store` by which a base is searched in that index alone."""
    return {**QUICK, **SLOW}[name]()


def named() -> list[object]:
    """The names, as parameters of a test."""
    return [*QUICK, *(pytest.param(name, marks=pytest.mark.servers) for name in SLOW)]

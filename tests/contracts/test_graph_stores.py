"""The packaged graph stores, each run through the suite that their plug-ins' authors run too; and how one follows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import insert, select

from arcadedb import server
from rove import Rove, Text
from rove.errors import ConfigError, ServiceError
from rove.retrieve.explore import Reach
from rove.settings import GraphSettings
from rove.store import enriched_tables, tables
from rove.store.bolt_graph import BoltGraph
from rove.store.catalog import Catalog
from rove.store.catalog_graph import CatalogGraph
from rove.store.database import Database, insert_rows
from rove.store.folder_home import FolderHome
from rove.store.graph_store import Edge, GraphStore
from rove.store.tugraph import TuGraph
from rove.testing import GraphStoreContract
from rove.testing.catalogs import prepared

NOWHERE = {"store": "bolt", "url": "bolt://localhost:1", "timeout_s": 1}
TEXTS = (
    Text("Marie Curie was born in Warsaw. Marie Curie discovered Polonium.", id="curie", title="Marie Curie"),
    Text("Polonium was named after Poland. Marie Curie (MC) led the institute.", id="polonium", title="Polonium"),
    Text("杜甫写了《春望》。杜甫出生于巩县。", id="dufu", title="杜甫"),
)
VECTOR = np.array([1.0, 0.0], np.float32)


def fact(space: str) -> dict[str, object]:
    texts = ("quote", "text", "terms", "next_source", "expected_info", "question", "walk_id", "stamp", "created_at")
    return {
        **dict.fromkeys(texts, "x"), "memory_id": space, "space": space, "document": 1, "chunk_id": "d0:0", "start": 0,
        "end": 1, "page": None, "vector": b"", "asked": b"", "relevance": 1.0, "used": False, "edited": False,
    }  # fmt: skip


class Written(CatalogGraph):
    """The catalog's own graph, with a writer: its triplets are those of documents and of facts."""

    def __init__(self, database: Database) -> None:
        super().__init__(database=database, settings=GraphSettings(), base="")

    def add(self, edges: Sequence[Edge]) -> None:
        known = self.held()
        with self._database.write() as connection:
            d = tables.documents.c
            rows = {row.document_id: row.seq for row in connection.execute(select(d.document_id, d.seq))}
            triplets = [
                (
                    edge.seq, rows[edge.document_id], edge.chunk_id, 0, 1, edge.subject, edge.predicate, edge.object,
                    edge.subject_key, edge.object_key, edge.space or None,
                )
                for edge in edges
                if edge.seq not in known
            ]  # fmt: skip
            insert_rows(connection, enriched_tables.triplets, triplets)

    def remove(self, edges) -> None:
        t = enriched_tables.triplets
        with self._database.write() as connection:
            connection.execute(t.delete().where(t.c.seq.in_(list(edges))))


class TestCatalog(GraphStoreContract):
    name = "catalog"

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def make(self, base: str) -> GraphStore:
        there = (self.folder / base).exists()
        catalog = Catalog(FolderHome(self.folder / base).dialect())
        if not there:
            made = [prepared(f"d{number}", f"text {number}", "en") for number in range(7)]
            vectors = {item.vector_keys[0]: VECTOR for item in made}
            catalog.publish(catalog.stage(made, vectors, {}))
            with catalog.database.write() as connection:
                for space in ("anna", "béla"):
                    connection.execute(insert(tables.memory_facts).values(**fact(space)))
        return Written(catalog.database)


class TestBolt(GraphStoreContract):
    name = "bolt"

    def make(self, base: str) -> GraphStore:
        return BoltGraph(database=None, settings=server().settings(), base=base)


class TestTuGraph(GraphStoreContract):
    """Its queries, on a server that needs no declared labels: no TuGraph can be had here."""

    name = "tugraph"

    def make(self, base: str) -> GraphStore:
        return TuGraph(database=None, settings=server().settings(store="tugraph"), base=base)


def base(folder: Path, *, fresh: bool = True, **graph: object) -> Rove:
    kb = Rove.open(folder, embedder={"name": "fake"}, store={"graph": graph or settings()})
    if fresh:
        kb.add(*TEXTS)
        kb.enrich("graph")
    return kb


def settings() -> dict[str, object]:
    own = server().settings()
    return {**own.model_dump(), "password": own.password.get_secret_value()}


def said(kb: Rove, name: str) -> list[tuple[str, str, str]]:
    graph = kb.explore(name, reach=Reach(depth=3))
    names = {entity.key: entity.name for entity in graph.entities}
    return sorted((names[link.subject], link.predicate, names[link.object]) for link in graph.links)


def held(kb: Rove) -> set[int]:
    """What the graph database has of this base, whatever the catalog says."""
    return set(kb._kb.store.graph.store.held())


def test_a_graph_database_answers_as_the_catalog_does(tmp_path: Path) -> None:
    with base(tmp_path / "bolt") as kb, base(tmp_path / "catalog", store="catalog") as plain:
        for name in ("Marie Curie", "MC", "Polonium", "杜甫", "nobody"):
            assert said(kb, name) == said(plain, name)
        assert ("Marie Curie", "discovered", "Polonium") in said(kb, "MC")
        for question in ("What did MC discover?", "杜甫出生于哪里？"):
            assert kb.search(question, mode="graph") == plain.search(question, mode="graph")
        assert held(kb) and not held(kb) - held(plain)


def test_what_is_erased_leaves_the_graph_database(tmp_path: Path) -> None:
    with base(tmp_path) as kb:
        said(kb, "杜甫")
        before = held(kb)
        kb.delete("dufu")
        assert held(kb) < before
        assert said(kb, "杜甫") == []
        kb.add(Text("Marie Curie was born in Kraków.", id="curie", title="Marie Curie"))
        kb.enrich("graph")
        assert ("Marie Curie", "was born in", "Kraków") in said(kb, "Marie Curie")
        assert ("Marie Curie", "was born in", "Warsaw") not in said(kb, "Marie Curie")
        assert len(held(kb)) == kb.graph_size()[0]


def test_what_was_lost_there_is_brought_back(tmp_path: Path) -> None:
    """Somebody has emptied the graph database, or put back an old copy of it."""
    with base(tmp_path) as kb:
        before = said(kb, "Marie Curie")
        store = kb._kb.store.graph.store
        store.remove(store.held())
        store.add([Edge(9_999, "Marie Curie", "was", "a spy", "mari_curi", "spi", "no chunk", "no document")])
        assert ("Marie Curie", "was", "a spy") not in said(kb, "Marie Curie")
        health = kb.doctor()
        assert "triplets were missing from the graph store" in " ".join(health.problems)
        assert "1 triplets were in the graph store only" in " ".join(health.problems)
        assert said(kb, "Marie Curie") == before
        assert kb.doctor().ok


def test_a_graph_database_that_is_not_there_is_said(tmp_path: Path) -> None:
    """It stops no writing; what asks for the graph says so, and so does an erasure, which is done all the same."""
    with base(tmp_path, **NOWHERE) as kb:
        with pytest.raises(ServiceError, match="bolt://localhost:1 says: Couldn't connect") as raised:
            kb.explore("Marie Curie")
        assert 'store.graph.store to "catalog"' in raised.value.cure
        with pytest.raises(ServiceError, match="gone from the base, but not yet from the graph database"):
            kb.delete("dufu")
        kb.add(Text("A late text.", id="late"))
        assert {info.document_id for info in kb.documents()} == {"curie", "polonium", "late"}
        assert not kb.search("杜甫", mode="keyword")
    with base(tmp_path, fresh=False) as kb:  # the same base, with one that is there
        assert said(kb, "杜甫") == []
        assert len(held(kb)) == kb.graph_size()[0]


def test_wrong_names_and_passwords_are_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="store.graph.store is 'blot'.*"):
        base(tmp_path / "a", store="blot")
    with base(tmp_path / "b", **{**settings(), "password": "wrong-password"}) as kb:
        with pytest.raises(ServiceError, match="Authentication failed") as raised:
            kb.explore("Marie Curie")
        assert "ROVE_STORE__GRAPH__PASSWORD" in raised.value.cure
        assert "wrong-password" not in str(raised.value)
    with (
        base(tmp_path / "c", store="bolt", url="gopher://x") as kb,
        pytest.raises(ConfigError, match="store.graph.url"),
    ):
        kb.explore("Marie Curie")

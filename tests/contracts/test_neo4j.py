"""Neo4j's own server: the contract of graph stores, kill -9, and 100,000 triplets."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

import maven
import neo4j_server
from contracts.test_graph_stores import base, held, said
from rove import Rove, Text
from rove.errors import ServiceError
from rove.retrieve.explore import Reach
from rove.store.bolt_graph import BoltGraph
from rove.store.graph_store import Edge, GraphStore
from rove.testing import GraphStoreContract
from rove.testing.graph_stores import Look

pytestmark = pytest.mark.servers
MANY, SEEDS = 100_000, int(os.environ.get("ROVE_KILLS", "3"))


class TestNeo4j(GraphStoreContract):
    name = "bolt"

    def make(self, base: str) -> GraphStore:
        return BoltGraph(database=None, settings=neo4j_server.server().settings(), base=base)


@pytest.fixture
def kb(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Rove]:
    own = neo4j_server.server().settings(timeout_s=getattr(request, "param", 5))
    with base(tmp_path, **{**own.model_dump(), "password": own.password.get_secret_value()}) as opened:
        yield opened


@pytest.fixture
def server() -> Iterator[neo4j_server.Server]:
    """The one that all use, which a test may kill."""
    yield (server := neo4j_server.server())
    if server.process is None:
        server.start()


def test_answers_are_those_of_the_catalog(tmp_path: Path, kb: Rove) -> None:
    with base(tmp_path / "plain", store="catalog") as plain:
        for name in ("Marie Curie", "MC", "Polonium", "杜甫", "nobody"):
            assert said(kb, name) == said(plain, name)
        for question in ("What did MC discover?", "杜甫出生于哪里？"):
            assert kb.search(question, mode="graph") == plain.search(question, mode="graph")
    assert held(kb)


def test_an_erasure_is_followed_after_a_kill(kb: Rove, server: neo4j_server.Server) -> None:
    assert said(kb, "杜甫")
    server.stop()
    with pytest.raises(ServiceError, match="gone from the base, but not yet from the graph database"):
        kb.delete("dufu")
    server.start()
    assert said(kb, "杜甫") == []
    assert len(held(kb)) == kb.graph_size()[0]
    assert said(kb, "Marie Curie")


def test_a_server_that_stands_still_is_given_up(kb: Rove, server: neo4j_server.Server) -> None:
    """The server says how long it may be silent: two minutes, by its own settings."""
    before = said(kb, "Marie Curie")
    with (
        maven.still(server.folder),
        pytest.raises(ServiceError, match="bolt://localhost:.* says") as told,
    ):
        kb.explore("Marie Curie")
    assert told.value.retryable
    assert said(kb, "Marie Curie") == before


def test_a_certificate_that_is_not_trusted(
    tmp_path: Path, server: neo4j_server.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(scheme: str) -> Rove:
        own = server.settings(url=f"{scheme}://localhost:{server.port}", timeout_s=5)
        place = tmp_path / str(len(list(tmp_path.iterdir())))
        return base(place, **{**own.model_dump(), "password": own.password.get_secret_value()})

    with opened("bolt+s") as kb, pytest.raises(ServiceError, match="trusted: self-signed certificate") as told:
        kb.explore("Marie Curie")
    assert not told.value.retryable and "SSL_CERT_FILE" in told.value.cure
    with opened("bolt+ssc") as kb:
        assert said(kb, "Marie Curie")
    monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
    with opened("bolt+s") as kb:
        assert said(kb, "Marie Curie")


@pytest.mark.parametrize("kb", [2], indirect=True, ids=["gives up soon"])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_killed_amid_writes_nothing_is_lost_or_double(kb: Rove, server: neo4j_server.Server, seed: int) -> None:
    """Killed at a moment of its own while triplets are written and erased; what was cut off is finished after."""
    chance, gone = random.Random(seed), seed % 40
    added = [Text(f"Anna Berg was born in Town{n}. Town{n} is a part of Land{n}.", id=f"t{n}") for n in range(40)]
    kb.add(*added)
    kb.enrich("graph")
    thread = Thread(target=lambda: (time.sleep(chance.random() * 0.4), server.stop()))
    thread.start()
    for ask in (lambda: kb.explore("Anna Berg"), lambda: kb.delete(f"t{gone}"), lambda: kb.explore("Anna Berg")):
        try:
            ask()
        except ServiceError as error:
            assert "graph database" in str(error)
    thread.join()
    server.start()
    links = kb.explore("Anna Berg", reach=Reach(fan=100, limit=500)).links
    assert {link.object for link in links} == {f"town{n}" for n in range(40) if n != gone}
    assert len(held(kb)) == kb.graph_size()[0]
    assert kb.doctor().ok


def test_a_hundred_thousand_triplets(server: neo4j_server.Server) -> None:
    """Some entities are in thousands, most in few; the server is killed in the midst, and all is written again."""
    chance = random.Random(49)
    names = [f"entity {int(chance.paretovariate(0.6)) % 20_000}" for _ in range(2 * MANY)]
    every = [
        Edge(n, names[2 * n], "is near", names[2 * n + 1], names[2 * n], names[2 * n + 1], f"c{n}", f"d{n % 999}")
        for n in range(MANY)
    ]
    store = BoltGraph(database=None, settings=server.settings(), base="many")
    store.add(every[: MANY // 2])
    server.stop()
    with pytest.raises(ServiceError):
        store.held()
    server.start()
    store.add(every[MANY // 2 - 5_000 :])  # what was on its way is written once more
    assert store.held() == {edge.seq: edge.subject_key for edge in every}
    for keys, most in ((frozenset({"entity 1"}), 20), (frozenset(names[:50]), 20), (frozenset(names[-9:]), None)):
        look = Look(keys, "subject", ("",), most=most)
        assert look.at(store) == look.among(every)
    gone = {edge.seq: edge.subject_key for edge in every if edge.seq % 2}
    store.remove(gone)
    assert len(store.held()) == MANY // 2
    store.remove(store.held())
    store.close()

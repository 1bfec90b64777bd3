"""A node of OpenSearch that is full, takes no writes, or stands still: it is said, nothing is lost, and all goes on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

import pytest

import maven
import opensearch_server
import own_server
from opensearch_server import Server
from rove import Rove, Text
from rove.errors import ServiceError

pytestmark = pytest.mark.servers
DISK = "cluster.routing.allocation.disk"
LOOKED_AT_S = 60
BOTH = {"flood-stage", "create-index"}
TEXTS = [Text(f"The number of this text is {number}.", id=str(number)) for number in range(60)]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = opensearch_server.new()
    yield server
    own_server.ended(server)


def fill(server: Server, mark: str, *, full: bool) -> None:
    """Let the disk be too full from a share on that is used, or an amount that is free; the node looks every 10 s."""
    marks = {f"{DISK}.watermark.{name}": mark for name in ("low", "high", "flood_stage")}
    own = {**marks, f"{DISK}.threshold_enabled": True, "cluster.info.update.interval": "10s"}
    server.ask("PUT", "/_cluster/settings", {"transient": own})
    end = time.monotonic() + LOOKED_AT_S
    while BOTH - blocked(server) if full else "flood-stage" in blocked(server):
        assert time.monotonic() < end, blocked(server)
        time.sleep(0.5)


def blocked(server: Server) -> set[str]:
    """Which writes the node takes no more."""
    found = str(server.ask("GET", "/_cluster/state/blocks")["blocks"])
    return {name for name in BOTH if name in found}


def opened(folder: Path, server: Server, name: str, **other: object) -> Rove:
    return Rove.open(folder, embedder={"name": "fake"}, store=server.table(name=name, retries=1, **other))


def test_writes_that_somebody_has_forbidden(tmp_path: Path, server: Server) -> None:
    """It is no matter of passwords, nor of the chunks: none is refused, and all go in when the block is away."""
    name = f"t{token_hex(8)}"
    with opened(tmp_path, server, name) as kb:
        kb.add(TEXTS[:20])
        server.ask("PUT", f"/{name}-1/_settings", {"index.blocks.write": True})
        with pytest.raises(ServiceError, match="403, cluster_block_exception: .*index write") as told:
            kb.add(TEXTS[20:])
        assert told.value.retryable and "block" in told.value.cure
        server.ask("PUT", f"/{name}-1/_settings", {"index.blocks.write": None})
        assert kb.add(TEXTS).ok
        assert len(kb.search(TEXTS[30].text, mode="semantic", top_k=100)) == len(TEXTS)
        assert kb.doctor().ok


def test_a_node_that_stands_still(tmp_path: Path, server: Server) -> None:
    """Its machine takes connections, and nothing answers: each call ends by its time limit."""
    with opened(tmp_path, server, f"t{token_hex(8)}", timeout_s=5) as kb:
        kb.add(TEXTS[:20])
        with maven.still(server.folder):
            for ask in (lambda: kb.search(TEXTS[0].text, mode="semantic"), lambda: kb.add(TEXTS[20:40])):
                with pytest.raises(ServiceError, match=r"no reply within 5 s.*timeout_s") as told:
                    ask()
                assert told.value.retryable
        server.wait()
        assert kb.add(TEXTS[40:]).ok
        found = {hit.chunk.text for hit in kb.search(TEXTS[30].text, mode="semantic", top_k=100)}
        assert found == {text.text for text in TEXTS}
        assert kb.doctor().ok


def test_a_full_disk(tmp_path: Path, server: Server) -> None:
    name = f"t{token_hex(8)}"
    with opened(tmp_path / "kb", server, name) as kb, opened(tmp_path / "new", server, f"{name}_new") as new:
        kb.add(TEXTS[:20])
        fill(server, "1%", full=True)
        with pytest.raises(ServiceError, match="cluster_block_exception"):
            kb.delete("7")
        with pytest.raises(ServiceError, match="429, cluster_block_exception: .*disk usage") as told:
            kb.add(TEXTS[20:40])
        assert told.value.retryable and "room" in told.value.cure
        with pytest.raises(ServiceError, match="index_create_block_exception: .*create-index blocked") as told:
            new.add(TEXTS)
        assert told.value.retryable and "room" in told.value.cure
        assert {hit.chunk.document_id for hit in kb.search(TEXTS[7].text, mode="semantic", top_k=60)} == {
            str(number) for number in range(20) if number != 7
        }
        fill(server, "1b", full=False)
        kb.add(TEXTS[20:])
        found = {hit.chunk.text for hit in kb.search(TEXTS[30].text, mode="semantic", top_k=100)}
        assert found == {text.text for text in TEXTS if text.id != "7"}
        assert kb.doctor().ok

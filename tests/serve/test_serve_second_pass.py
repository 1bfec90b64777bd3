"""Two speeds in a server: what is handed in can be found at once, and the embedder follows in the background."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

import httpx
import pytest

import postgres_server
import rove.serve.documents.second_pass as second_pass
from rove import AsyncRove, Text
from rove.errors import ServiceError
from rove.models.fake import FakeEmbedder
from rove.serve.spaces import Spaces
from rove.settings import read_settings
from rove.store.shallow import Depth
from rove.store.store import Store
from serve.conftest import Opener, Town, settled

TWO_SPEEDS = {"embedder": {"name": "fake", "first": "static"}}
TEXTS = [Text(f"Town {i} keeps {i} letters about ships and the weather.", id=f"t{i}") for i in range(30)]
FILES = [("files", (f"{i}.md", f"# Town {i}\n\nThe harbour of town {i} is closed.".encode())) for i in range(5)]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_pass, "LOOK_S", 0.05)
    monkeypatch.setattr(second_pass, "RETRY_S", 0.05)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Until it is set, the embedder gives no passage back."""
    opened, passages = asyncio.Event(), FakeEmbedder.passages

    async def held(self: FakeEmbedder, texts: Any) -> Any:
        await opened.wait()
        return await passages(self, texts)

    monkeypatch.setattr(FakeEmbedder, "passages", held)
    return opened


async def until(state: str, client: httpx.AsyncClient, job_id: str) -> dict[str, Any]:
    async with asyncio.timeout(20):
        while True:
            job = (await client.get(f"/v1/spaces/hr/jobs/{job_id}")).json()
            if job["state"] == state:
                return job
            await asyncio.sleep(0.02)


async def reached(that: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not that():  # noqa: ASYNC110 - the base is looked at
            await asyncio.sleep(0.02)


def kb_of(town: Town) -> AsyncRove:
    return town.spaces._spaces["hr"].kb


async def test_a_job_is_searchable_before_it_is_done(open_town: Opener, gate: asyncio.Event) -> None:
    async with open_town(filled=False, **TWO_SPEEDS) as town, town.client("anna") as client:
        reply = await client.post("/v1/spaces/hr/uploads", files=FILES)
        assert reply.status_code == 202
        job = await until("searchable", client, reply.json()["job_id"])
        assert (job["ended"], job["chunks"], job["shallow"], job["under_way"]) == (5, 5, 5, [])
        found = await client.post("/v1/spaces/hr/search", json={"question": "town 3", "mode": "keyword"})
        assert found.json()["hits"][0]["source"] == "3.md"
        assert not list((kb_of(town).settings.path / "incoming").glob("*/*/")), "what was handed in is in the base"
        events = asyncio.create_task(settled(client, "hr", reply))
        await asyncio.sleep(0.1)
        assert not events.done()
        gate.set()
        done = await events
        assert (done["state"], done["shallow"], done["trouble"]) == ("done", 0, "")
        assert kb_of(town).store.catalog.depth() == Depth(5, 0)
        assert (await kb_of(town).doctor()).ok


async def test_what_is_searchable_takes_no_place_among_those_that_wait(open_town: Opener, gate: asyncio.Event) -> None:
    async with open_town(filled=False, serve={"max_queued": 1}, **TWO_SPEEDS) as town, town.client("anna") as client:
        for number in range(3):
            body = {"text": f"The harbour of town {number} is closed.", "name": f"n{number}"}
            reply = await client.post("/v1/spaces/hr/documents", json=body)
            assert reply.status_code == 202, reply.text
            await until("searchable", client, reply.json()["job_id"])
        gate.set()


async def test_the_next_server_goes_on(open_town: Opener, gate: asyncio.Event) -> None:
    async with open_town(filled=False, **TWO_SPEEDS) as town, town.client("anna") as client:
        reply = await client.post("/v1/spaces/hr/uploads", files=FILES)
        await until("searchable", client, reply.json()["job_id"])
    gate.set()
    async with open_town(filled=False) as town:  # without the setting, too
        await reached(lambda: kb_of(town).store.catalog.depth() == Depth(5, 0))


async def test_where_the_embedder_fails_the_job_says_so_and_it_is_tried_again(
    open_town: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    passages, failing = FakeEmbedder.passages, True

    async def failed(self: FakeEmbedder, texts: Any) -> Any:
        if failing:
            raise ServiceError("Gone.", cure="Wait.")
        return await passages(self, texts)

    monkeypatch.setattr(FakeEmbedder, "passages", failed)
    async with open_town(filled=False, **TWO_SPEEDS) as town, town.client("anna") as client:
        job_id = (await client.post("/v1/spaces/hr/uploads", files=FILES)).json()["job_id"]
        await until("searchable", client, job_id)
        await reached(lambda: bool(town.spaces._spaces["hr"].jobs._known[job_id].trouble))
        assert "Gone." in (await client.get(f"/v1/spaces/hr/jobs/{job_id}")).json()["trouble"]
        failing = False
        assert (await until("done", client, job_id))["trouble"] == ""


async def test_how_far_it_is_is_told_of_what_a_key_lets_see(open_town: Opener, gate: asyncio.Event) -> None:
    async with open_town(filled=False, **TWO_SPEEDS) as town:
        labelled = [Text(f"Town {i} is closed.", id=f"l{i}", metadata={"access": ("staff",)}) for i in range(3)]
        await kb_of(town).add(*labelled, *TEXTS, deep=False)
        wanted = {
            "lara": {"chunks": 3, "shallow": 3, "share": 0.0},
            "anna": {"chunks": 33, "shallow": 33, "share": 0.0},
        }
        for holder, told in wanted.items():
            async with town.client(holder) as client:
                assert (await client.get("/v1/spaces/hr/depth")).json() == told
        async with town.client("root") as client:
            assert 'rove_shallow_chunks{space="hr"} 33.0' in (await client.get("/metrics")).text
            gate.set()
            await reached(lambda: not kb_of(town).store.catalog.has_shallow())
            assert (await client.get("/v1/spaces/hr/depth")).json() == {"chunks": 33, "shallow": 0, "share": 1.0}
            assert 'rove_shallow_chunks{space="hr"} 0.0' in (await client.get("/metrics")).text
            assert (await client.post("/v1/spaces/hr/doctor")).json()["shallow"] == 0
        async with town.client("lara") as client:
            assert (await client.get("/v1/spaces/hr/depth")).json() == {"chunks": 3, "shallow": 0, "share": 1.0}


@asynccontextmanager
async def served(base: str) -> AsyncIterator[Spaces]:
    spaces = Spaces.open(read_settings(base, **TWO_SPEEDS), Path())
    try:
        await spaces.start()
        yield spaces
    finally:
        await spaces.close()


@pytest.mark.long
async def test_of_servers_that_share_a_base_one_embeds_and_another_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: asyncio.Event
) -> None:
    monkeypatch.chdir(tmp_path)
    base = postgres_server.base(f"s{token_hex(8)}")
    begun = list[Store]()
    deepen_all = second_pass.deepen_all

    async def noted(store: Store, *more: Any) -> Any:
        begun.append(store)
        return await deepen_all(store, *more)

    monkeypatch.setattr(second_pass, "deepen_all", noted)
    async with served(base) as first, served(base) as second:
        spaces = {one._spaces["default"].kb.store: one._spaces["default"] for one in (first, second)}
        await first._spaces["default"].kb.add(TEXTS, deep=False)
        await reached(lambda: len(begun) == 1)
        await asyncio.sleep(0.5)
        assert len(begun) == 1, "both embed the same"
        await spaces[begun[0]].jobs.stop(0)
        await reached(lambda: len(begun) == 2)
        assert begun[0] is not begun[1]
        gate.set()
        await reached(lambda: begun[1].catalog.depth() == Depth(30, 0))

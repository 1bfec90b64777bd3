"""The status over HTTP: what runs, how full the disk is, what failed; for administrators of every space alone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rove.serve.administration import status_routes
from serve.conftest import SECRET, Opener, Town, hold


async def test_it_says_what_runs(town: Town, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with town.client() as client, town.client("nobody") as nobody:
        await nobody.post("/v1/spaces/hr/search", json={"question": "Who?"})
        await client.get("/nowhere")
        gate = hold(monkeypatch, 0)
        waiting = asyncio.create_task(client.post("/v1/spaces/hr/search", json={"question": "Who approves?"}))
        await asyncio.sleep(0.2)
        reply = await client.get("/v1/status")
        told = reply.json()
        gate.set()
        await waiting
    assert reply.status_code == 200, reply.text
    spaces = {one["name"]: one for one in told["spaces"]}
    assert (spaces["hr"]["documents"], spaces["hr"]["chunks"], spaces["hr"]["shallow"]) == (3, 3, 0)
    assert spaces["hr"]["disk_bytes"] > spaces["hr"]["disk_free_bytes"] > 0
    assert spaces["hr"]["index"] is None
    assert told["requests"] == 2  # the search that waits, and this one
    failures = {(one["status"], one["route"]): one for one in told["failures"]}
    assert failures[403, "/v1/spaces/{space}/search"]["count"] == 1
    assert failures[404, "unknown"]["request"]
    assert told["replies"]["4xx"] == 2
    assert told["process"]["cpu_s"] > 0
    assert told["machine"]["cores"] >= 1
    assert {"name": "serve.streams", "value": 128, "used": 0} in told["limits"]
    assert str(tmp_path) not in reply.text
    assert SECRET not in reply.text


async def test_jobs_are_told_until_they_are_done(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = asyncio.Event()
    kb = town.spaces.bases["it"]
    add = kb.add

    async def held(*given: object, **more: object) -> object:
        await gate.wait()
        return await add(*given, **more)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(kb, "add", held)
    async with town.client() as client:
        for text in ("one", "two"):
            await client.post("/v1/spaces/it/documents", json={"text": f"This is the text {text}."})
        await asyncio.sleep(0.2)
        jobs = (await client.get("/v1/status")).json()["jobs"]
        assert [(job["space"], job["caller"], job["state"]) for job in jobs] == [
            ("it", "root", "running"),
            ("it", "root", "queued"),
        ]
        gate.set()
        for _ in range(200):
            if not (jobs := (await client.get("/v1/status")).json()["jobs"]):
                break
            await asyncio.sleep(0.05)
        assert jobs == []


async def test_an_index_that_does_not_answer_is_told(open_town: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status_routes, "INDEX_S", 0.5)
    server = {"index": "elasticsearch", "server": {"url": "http://127.0.0.1:9", "retries": 0, "timeout_s": 1}}
    async with open_town(store=server, filled=False) as town, town.client() as client:
        reply = await client.get("/v1/status")
    assert reply.status_code == 200, reply.text
    index = reply.json()["spaces"][0]["index"]
    assert index["works"] is False
    assert index["detail"]


async def test_it_is_for_administrators_of_every_space(open_town: Opener) -> None:
    holders = {
        "root": {"spaces": ("*",), "rights": ("read", "add", "delete", "admin")},
        "boss": {"spaces": ("hr",), "rights": ("read", "add", "delete", "admin")},
        "lara": {"spaces": ("*",), "rights": ("read",), "labels": ("staff",)},
    }
    async with open_town(holders=holders, filled=False) as town:
        for holder in ("boss", "lara"):
            async with town.client(holder) as client:
                reply = await client.get("/v1/status")
                assert reply.status_code == 403
                assert "'admin'" in reply.json()["detail"]

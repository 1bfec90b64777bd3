"""Lists over HTTP come in pages, each reader's own, and are made one at a time beside the event loop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import httpx
import msgspec
import pytest

from rove.flow import read_flow
from rove.flow.definition import flow_json
from rove.flow.journal import Ended, Started
from rove.records import History, LedgerEntry
from rove.records.walk_events import WalkInfo
from rove.serve.evaluations.schema import EvaluationOut
from rove.store.flow_log import FlowLog
from rove.store.walk_log import WalkLog, owner_fact
from serve.conftest import HOLDERS, Opener, Town

HR = "/v1/spaces/hr"
COUNT = 5
LISTS = {
    f"{HR}/ledger?state=failed": "entries",
    f"{HR}/documents": "documents",
    f"{HR}/walks": "walks",
    f"{HR}/evaluations": "evaluations",
    f"{HR}/conversations": "conversations",
    "/v1/people": "people",
    "/v1/keys": "keys",
}
QUICK = {"/v1/keys", f"{HR}/conversations"}
"""Made of what is in memory, or of one page that the database gives."""
BARE = {f"{HR}/flows/runs": "run_id", f"{HR}/corrections?document_id=policy": "number"}
"""Lists without anything around them: a page that is not full is the last."""


async def fill(town: Town, client: httpx.AsyncClient) -> None:
    """Put five of everything into the space; of walks and runs, of three owners."""
    space = town.spaces._spaces["hr"]
    catalog = space.kb.store.catalog
    space.kb.store.ledger.put(
        [
            LedgerEntry(f"f{at}", "failed", outcome="damaged", reason="It is torn.", cure="Correct it.")
            for at in range(COUNT)
        ]
    )
    flow = flow_json(read_flow("simple"))
    folders = space.evaluations.folders
    for at in range(COUNT):
        owner = json.dumps([["root", "anna", "lara"][at % 3], ["staff"] if at % 3 == 2 else None])
        walk_id = f"{at:010x}"
        info = WalkInfo(walk_id, f"Who approves {at}?", "walk", "done", 1, 1, 1, "", "")
        WalkLog(catalog.database).append(info, 1, ["{}"])
        catalog.set_fact(owner_fact(walk_id), owner)
        started = Started(flow, msgspec.Raw(b'{"question": "Who?"}'), "", History(), owner)
        lines = [msgspec.json.encode(one).decode() for one in (started, Ended("done"))]
        FlowLog(catalog.database).append(f"{at:010x}", 1, lines)
        kept = EvaluationOut(
            evaluation_id=f"{at:016x}",
            by="root",
            name=str(at),
            began_at=f"2026-01-0{at + 1}T00:00:00+00:00",
            configurations=(),
            metrics=(),
            state="done",
        )
        (folders.folder / kept.evaluation_id).mkdir(parents=True)
        folders.keep(kept)
        await client.post(f"{HR}/conversations", json={"title": f"talk {at}"})
        first = {"role": "administrator", "spaces": ["*"]} if not at else {"role": "reader", "spaces": ["hr"]}
        assert (await client.post("/v1/people", json={"name": f"person{at}", **first})).status_code == 201
    for before, after in (("Remote", "Distant"), ("Distant", "Far"), ("Far", "Home")):
        given = {"document_id": "policy", "span": [0, len(before)], "before": before, "text": after}
        assert (await client.post(f"{HR}/corrections", json=given)).status_code == 204


async def paged(client: httpx.AsyncClient, path: str, part: str, limit: int) -> list[Any]:
    """Follow a list to its end, by pages of so many."""
    found: list[Any] = []
    cursor: int | None = 0
    while cursor is not None:
        reply = await client.get(path, params={**query_of(path), "cursor": cursor, "limit": limit})
        assert reply.status_code == 200, reply.text
        told = reply.json()
        assert len(told[part]) <= limit
        assert cursor == 0 or told[part], "a page was announced that holds nothing"
        found += told[part]
        cursor = told["next_cursor"]
    return found


def query_of(path: str) -> Mapping[str, str]:
    return dict(pair.split("=") for pair in path.partition("?")[2].split("&") if pair)


async def test_pages_hold_what_the_whole_holds(town: Town) -> None:
    async with town.client() as client:
        await fill(town, client)
        for path, part in LISTS.items():
            whole = (await client.get(path)).json()
            assert len(whole[part]) >= 3, path
            assert whole["next_cursor"] is None
            for limit in (1, 2, len(whole[part])):
                assert await paged(client, path, part, limit) == whole[part], (path, limit)
            assert (await client.get(path, params={**query_of(path), "cursor": 10**6})).json()[part] == []
            for odd in ({"limit": 0}, {"limit": 10**6}, {"cursor": -1}, {"cursor": 10**30}):
                assert (await client.get(path, params={**query_of(path), **odd})).status_code == 422
        assert (await client.get(f"{HR}/ledger?state=failed&limit=2")).json()["total"] == COUNT
        for path, key in BARE.items():
            whole = (await client.get(path)).json()
            pages = [
                (await client.get(path, params={**query_of(path), "cursor": at, "limit": 2})).json()
                for at in range(0, len(whole) + 2, 2)
            ]
            assert [one[key] for page in pages for one in page] == [one[key] for one in whole]
            assert len(whole) >= 3, path


async def test_what_is_ones_own_is_paged_alone(town: Town) -> None:
    async with town.client() as root, town.client("anna") as anna, town.client("lara") as lara:
        await fill(town, root)
        for client, own in ((anna, (1, 4)), (lara, (2,))):
            walks = await paged(client, f"{HR}/walks", "walks", 1)
            assert sorted(one["walk_id"] for one in walks) == [f"{at:010x}" for at in own]
            runs = (await client.get(f"{HR}/flows/runs")).json()
            assert sorted(one["run_id"] for one in runs) == [f"{at:010x}" for at in own]
            assert len((await client.get(f"{HR}/flows/runs?limit=1")).json()) == 1
            for path in ("walks", "flows/runs"):
                assert (await client.get(f"{HR}/{path}/{0:010x}")).status_code == 404
                assert (await client.get(f"{HR}/{path}/{9:010x}")).status_code == 404
                assert (await client.get(f"{HR}/{path}/{own[0]:010x}")).status_code != 404
        for path in ("walks", "flows/runs"):
            assert (await root.get(f"{HR}/{path}/{9:010x}")).status_code == 404
            assert (await root.get(f"{HR}/{path}/{1:010x}")).status_code != 404


@pytest.mark.parametrize("path", [*sorted(set(LISTS) - QUICK), *BARE, f"{HR}/chunks?document_id=policy", f"{HR}/words"])
async def test_a_search_waits_for_no_list(open_town: Opener, path: str) -> None:
    """However many ask for a list, one is made at a time, and a search has the other threads."""
    async with open_town(holders={"root": HOLDERS["root"]}) as town, town.client() as client:
        async with town.app.state.server_context.long_replies:
            waiting = [asyncio.create_task(client.get(path)) for _ in range(50)]
            reply = await client.post(f"{HR}/search", json={"question": "Who approves remote work?"})
            assert reply.json()["hits"]
            assert not any(task.done() for task in waiting)
        assert {one.status_code for one in await asyncio.gather(*waiting)} == {200}


async def test_a_run_that_cannot_be_read_hides_no_other(town: Town) -> None:
    broken = ('{"type":"Finished","key":', "null", '{"type":"of another version"}', "\x00", '{"type":"Started"}')
    async with town.client() as root, town.client("anna") as anna:
        await fill(town, root)
        log = FlowLog(town.spaces._spaces["hr"].kb.store.catalog.database)
        before = (await anna.get(f"{HR}/flows/runs")).json()
        for run, line in zip(["a" * 10, "b" * 10, "c" * 10, "d" * 10, "e" * 10], broken, strict=True):
            log.append(run, 1, [log.events(f"{1:010x}")[0], line])
        for run, line in zip(["f" * 10, "0a" * 5], broken, strict=False):
            log.append(run, 1, [line])  # whose it was is not known
        after = (await anna.get(f"{HR}/flows/runs")).json()
        assert [one for one in after if one["status"] != "unreadable"] == before
        lost = {one["run_id"]: one["flow"] for one in after if one["status"] == "unreadable"}
        assert lost == dict.fromkeys(["a" * 10, "b" * 10, "c" * 10, "d" * 10, "e" * 10], before[0]["flow"])
        for run in lost:
            assert (await anna.get(f"{HR}/flows/runs/{run}")).status_code == 400
            assert (await anna.delete(f"{HR}/flows/runs/{run}")).status_code == 204
        assert (await anna.get(f"{HR}/flows/runs")).json() == before

"""Walks over HTTP: told as they go, steered, taken up after a restart, and each its maker's."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from serve.conftest import Opener, Town, listening, settled

WALKS = "/v1/spaces/hr/walks"
QUESTION = {"question": "Who approves the merger with Nordwind, and who approves remote work?"}
POINTER = "Remote work: see the chapter “Nordwind”. Remote work is approved as it says there."


def told(text: str) -> list[tuple[str, dict[str, Any]]]:
    blocks = [block.split("\n") for block in text.strip().split("\n\n") if block.startswith("event: ")]
    assert all(len(lines) == 2 for lines in blocks)
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


async def walked(client: httpx.AsyncClient, body: dict[str, Any] | None = None) -> tuple[str, list[Any]]:
    reply = await client.post(WALKS, json=body or QUESTION)
    assert reply.status_code == 200, reply.text
    events = told(reply.text)
    assert events[0][0] == "WalkStarted"
    return events[0][1]["walk_id"], events


async def test_a_walk_is_told_to_its_answer_and_again(town: Town) -> None:
    async with town.client("anna") as client:
        walk_id, events = await walked(client)
        names = [name for name, _ in events]
        assert names[-1] == "Answered"
        assert {"RoundStarted", "ChunkSeen", "FactFound", "Stopped"} <= set(names)
        again = told((await client.get(f"{WALKS}/{walk_id}/events")).text)
        assert again == [event for event in events if event[0] != "FactDelta"]
        kept = (await client.get(f"{WALKS}/{walk_id}")).json()["events"]
        assert [(one["event"], one["data"]) for one in kept] == again
        (listed,) = (await client.get(WALKS)).json()["walks"]
        assert listed["walk_id"] == walk_id
        assert "where" not in events[0][1]


async def test_what_is_erased_is_erased_from_walks(town: Town) -> None:
    async with town.client("root") as client:
        walk_id, events = await walked(client)
        assert "November" in json.dumps(events)
        await client.delete("/v1/spaces/hr/document", params={"document_id": "merger"})
        kept = json.dumps((await client.get(f"{WALKS}/{walk_id}")).json())
        assert "November" not in kept
        assert '"Erased"' in kept


async def test_no_walk_shows_what_is_hidden(town: Town) -> None:
    async with town.client("root") as root, town.client("mira") as mira, town.client("lara") as lara:
        for text in (POINTER, POINTER.replace("Remote", "Home")):
            body = {"text": text, "access": ["staff"]}
            await settled(root, "hr", await root.post("/v1/spaces/hr/documents", json=body))
        _, seen = await walked(mira)  # what she finds is remembered, and is none of Lara's
        assert "November" in json.dumps(seen)
        for body in (QUESTION, {**QUESTION, "where": {"field": "access", "op": "==", "value": "board"}}):
            _, hidden = await walked(lara, body)
            text = json.dumps(hidden).replace(QUESTION["question"], "")
            assert "November" not in text
            assert '"document_id": "merger"' not in text


async def test_a_place_is_told_to_those_who_see_it_and_is_nowhere_for_others(open_town: Opener) -> None:
    """What is hidden and what is not there are answered alike."""
    leads: dict[str, list[dict[str, Any]]] = {}
    async with open_town(walk={"memory": False}) as town:
        async with town.client("root") as root:
            for name in ("Nordwind", "Südsturm"):
                body = {"text": f"Remote work is approved by the dean of {name}: see “{name}”.", "access": ["staff"]}
                await settled(root, "hr", await root.post("/v1/spaces/hr/documents", json=body))
        for holder in ("mira", "lara"):
            async with town.client(holder) as client:
                _, events = await walked(client, {"question": "Which dean approves remote work?"})
            leads[holder] = [data["lead"] for name, data in events if name == "LeadFound"]
    assert "merger" in {lead["document_id"] for lead in leads["mira"]}
    assert {lead["document_id"] for lead in leads["lara"]} == {""}
    hidden, absent = (
        {(lead["text"].replace(name, ""), lead["kind"], lead["span"]) for lead in leads["lara"] if name in lead["text"]}
        for name in ("Nordwind", "Südsturm")
    )
    assert hidden == absent != set()


async def test_a_walk_is_its_makers(town: Town) -> None:
    calls = [
        ("GET", "", None),
        ("GET", "/events", None),
        ("POST", "/pause", None),
        ("POST", "/resume", None),
        ("POST", "/stop", None),
        ("POST", "/edit", {"question": "x"}),
        ("POST", "/fork", {}),
        ("DELETE", "", None),
    ]
    async with town.client("mira") as mira, town.client("lara") as lara, town.client("anna") as anna:
        walk_id, _ = await walked(mira)
        for client in (lara, anna):
            assert (await client.get(WALKS)).json()["walks"] == []
            for name in (walk_id, walk_id[:5], "last"):
                for method, action, body in calls:
                    reply = await client.request(method, f"{WALKS}/{name}{action}", json=body)
                    assert reply.status_code == 404, (name, action)
        async with town.client("root") as root:
            assert (await root.get(f"{WALKS}/{walk_id}")).status_code == 200
        assert (await mira.delete(f"{WALKS}/{walk_id}")).status_code == 204
        assert (await mira.get(f"{WALKS}/{walk_id}")).status_code == 404


async def test_steering(town: Town) -> None:
    async with town.client("anna") as client:
        walk_id, events = await walked(client)
        forked = (await client.post(f"{WALKS}/{walk_id}/fork", json={"at": 2})).json()["walk_id"]
        assert forked != walk_id
        assert (await client.post(f"{WALKS}/{forked}/pause")).status_code == 204
        paused = told((await client.get(f"{WALKS}/{forked}/events")).text)
        assert paused[-1][0] == "Paused"
        edit = {"question": "Wer genehmigt den Urlaub?", "leads": [{"text": "Urlaub Vorstand"}]}
        assert (await client.post(f"{WALKS}/{forked}/edit", json=edit)).status_code == 204
        assert (await client.post(f"{WALKS}/{forked}/resume")).status_code == 204
        gone_on = told((await client.get(f"{WALKS}/{forked}/events")).text)
        assert gone_on[-1][0] == "Answered"
        assert "Vorstand" in gone_on[-1][1]["answer"]["text"]
        fact = next(data["fact"] for name, data in events if name == "FactFound")
        dropped = {"dropped": [fact["fact_id"]]}
        assert (await client.post(f"{WALKS}/{walk_id}/edit", json=dropped)).status_code == 204
        assert (await client.post(f"{WALKS}/{walk_id}/edit", json={"dropped": ["nothing"]})).status_code == 400
        place = {"leads": [{"text": "x", "document_id": "merger", "span": [0, 10]}]}
        assert (await client.post(f"{WALKS}/{walk_id}/edit", json=place)).status_code == 422


@pytest.mark.parametrize("restart", [False, True])
async def test_who_stops_listening_can_go_on(open_town: Opener, restart: bool) -> None:
    async with open_town() as town, listening(town) as address:
        headers = {"authorization": f"Bearer {town.keys['anna']}"}
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=30) as client:
            async with client.stream("POST", WALKS, json=QUESTION) as reply:
                first = await anext(reply.aiter_lines())
                assert first == "event: WalkStarted"
            async with asyncio.timeout(10):
                while town.app.state.server_context.listened.walks:  # noqa: ASYNC110 - the server lets go of it
                    await asyncio.sleep(0.02)
            (info,) = (await client.get(WALKS)).json()["walks"]
            if not restart:
                rest = told((await client.get(f"{WALKS}/{info['walk_id']}/events")).text)
    if restart:
        async with open_town(filled=False) as town, town.client("anna") as client:
            rest = told((await client.get(f"{WALKS}/{info['walk_id']}/events")).text)
    names = [name for name, _ in rest]
    assert names[0] == "WalkStarted"
    assert names[-1] == "Answered"
    assert names.count("WalkStarted") == names.count("Answered") == 1

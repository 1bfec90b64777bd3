"""Walks where several servers share a base: told, steered and gone on with by whichever is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, aclosing
from pathlib import Path
from secrets import token_hex
from typing import Any

import httpx
import pytest

import openai_server
import postgres_server
from rove.errors import InputError, ServiceError
from rove.records.walk_events import Answered, Edit, Edited, FactDelta, Paused, WalkEvent, WalkStarted
from rove.serve.admission.callers import Callers
from rove.serve.spaces import Spaces
from rove.serve.walks.live_walks import CallerWalks
from rove.settings import read_settings
from rove.store import postgres_servers
from serve.conftest import DOCUMENTS, FAKE
from serve.test_serve_shared import SPACE, processes, start

QUESTION = "Who approves the merger with Nordwind, and who approves remote work?"


@pytest.fixture
async def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Spaces, Spaces]]:
    """Two servers of one base, each as on a machine of its own."""
    base = postgres_server.base(f"w{token_hex(8)}")
    both: list[Spaces] = []
    for place in ("here", "there"):
        monkeypatch.setenv("ROVE_DATA", str(tmp_path / place))
        both.append(Spaces.open(read_settings(base, embedder=FAKE), tmp_path))
        await both[-1].start()
    await both[0]._spaces["default"].kb.add(*DOCUMENTS["hr"])
    yield both[0], both[1]
    for spaces in both:
        await spaces.close()


def walks_of(spaces: Spaces) -> CallerWalks:
    """The walks of who sits at the machine."""
    return CallerWalks(spaces.view("default", Callers({}).find("")), spaces.listened)


async def begun(walks: CallerWalks, events: int) -> tuple[str, list[WalkEvent], Any]:
    """Begin a walk, and listen to so many events, then to no more: its client has stopped reading."""
    walk = await walks.begin(QUESTION, None, None)
    told = walks.going(walk)
    return walk.walk_id, [await anext(told) for _ in range(events)], told


def kept(events: list[WalkEvent]) -> list[WalkEvent]:
    return [event for event in events if not isinstance(event, FactDelta)]


async def rest(told: Any) -> list[WalkEvent]:
    async with asyncio.timeout(60), aclosing(told):
        return [event async for event in told]


async def test_a_walk_is_followed_elsewhere_while_it_goes(servers: tuple[Spaces, Spaces]) -> None:
    here, there = map(walks_of, servers)
    walk_id, first, told = await begun(here, 3)
    followed = [asyncio.create_task(rest(walks.listen(walk_id))) for walks in (there, here)]
    await asyncio.sleep(0.3)
    assert not any(task.done() for task in followed)
    events = first + await rest(told)
    assert isinstance(events[-1], Answered)
    for task in followed:
        assert await task == kept(events)
    assert await there.events(walk_id) == kept(events)
    assert await rest(there.listen(walk_id)) == kept(events)


@pytest.mark.parametrize("again", ["here", "there"])
async def test_it_is_paused_edited_and_resumed_from_elsewhere(servers: tuple[Spaces, Spaces], again: str) -> None:
    here, there = map(walks_of, servers)
    walk_id, first, told = await begun(here, 3)
    await there.steer(walk_id, "pause")
    events = first + await rest(told)
    assert isinstance(events[-1], Paused)
    assert await rest(there.listen(walk_id)) == kept(events)
    await there.steer(walk_id, "edit", Edit(question="Wer genehmigt den Urlaub?"))
    await there.steer(walk_id, "resume")
    whole = await rest((here if again == "here" else there).listen(walk_id))
    assert [event for event in whole if isinstance(event, Edited)][0].edit.question == "Wer genehmigt den Urlaub?"
    assert isinstance(whole[-1], Answered) and sum(isinstance(event, WalkStarted) for event in whole) == 1


async def test_what_is_wrong_with_a_command_is_said_where_it_was_given(servers: tuple[Spaces, Spaces]) -> None:
    here, there = map(walks_of, servers)
    walk_id, _, told = await begun(here, 3)
    with pytest.raises(InputError, match="nothing"):
        await there.steer(walk_id, "edit", Edit(dropped=("nothing",)))
    await there.steer(walk_id, "stop")
    assert isinstance((await rest(told))[-1], Answered)
    lines = servers[0]._spaces["default"].kb.store.team._lines
    assert await lines.fetch("SELECT walk_id FROM walk_commands UNION SELECT walk_id FROM walk_holds", {}) == []


async def test_who_stops_listening_leaves_it_to_who_follows(servers: tuple[Spaces, Spaces]) -> None:
    here, there = map(walks_of, servers)
    walk_id, first, told = await begun(here, 3)
    following = asyncio.create_task(rest(there.listen(walk_id)))
    await asyncio.sleep(0.2)
    await told.aclose()
    events = await following
    assert events[: len(kept(first))] == kept(first) and isinstance(events[-1], Answered)
    assert sum(isinstance(event, Answered) for event in events) == 1


async def test_a_walk_whose_server_has_died_is_taken_up(
    servers: tuple[Spaces, Spaces], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that did not die but stood still finds out when it goes on."""
    here, there = map(walks_of, servers)
    walk_id, _, told = await begun(here, 3)
    stopped = servers[0]._spaces["default"].kb.store.team
    following = asyncio.create_task(rest(there.listen(walk_id)))
    pausing = asyncio.create_task(there.steer(walk_id, "edit", Edit(leads=())))
    servers[0]._following[1].cancel()
    await asyncio.sleep(0.2)
    assert not following.done()
    stopped._beating.cancel()
    monkeypatch.setattr(postgres_servers, "LEASE_S", 0.0)
    await postgres_servers.sign(stopped._lines, stopped.server)
    monkeypatch.undo()
    events = await following
    assert isinstance(events[-1], Answered)
    async with asyncio.timeout(60):
        await pausing
    with pytest.raises(InputError, match="gone on elsewhere"):
        await rest(told)
    assert isinstance((await there.events(walk_id))[-1], Answered | Edited)


async def test_a_command_that_was_taken_up_by_one_that_died_is_not_done_twice(
    servers: tuple[Spaces, Spaces],
) -> None:
    here, there = map(walks_of, servers)
    walk_id, _, told = await begun(here, 3)
    servers[0]._following[1].cancel()
    steering = asyncio.create_task(there.steer(walk_id, "pause"))
    holds = servers[0]._spaces["default"].kb.store.team.holds
    async with asyncio.timeout(60):
        while not await holds.taken([walk_id]):  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.02)
    await told.aclose()  # it lets go, and says nothing of the command
    with pytest.raises(ServiceError, match="not known"):
        await steering
    assert not any(isinstance(event, Paused) for event in await there.events(walk_id))


@pytest.mark.long
async def test_a_walk_goes_on_at_another_server_when_its_own_is_killed(tmp_path: Path) -> None:
    """Kill -9 while a chat model writes: who listens at the other server hears the rest, as after a crash."""
    base = postgres_server.base(f"s{token_hex(8)}")
    async with openai_server.hanging('{"facts": [') as model:
        with ExitStack() as stack:
            chat = {"ROVE_CHAT__MODEL": "m", "ROVE_CHAT__BASE_URL": model.url, "ROVE_CHAT__API_KEY": "x"}
            start_one: Callable[[int], str] = lambda place: start(stack, tmp_path, base, place, **chat)  # noqa: E731
            one, other = [await asyncio.to_thread(start_one, place) for place in (0, 1)]
            async with httpx.AsyncClient(timeout=120) as client:
                for text in DOCUMENTS["hr"]:
                    reply = await client.post(f"{one}{SPACE}/documents", json={"text": text.text, "title": text.title})
                    await client.get(f"{one}{SPACE}/jobs/{reply.json()['job_id']}/events")
                body = {"question": QUESTION, "budget": {"seconds": 8}}
                async with client.stream("POST", f"{one}{SPACE}/walks", json=body) as reply:
                    lines = reply.aiter_lines()
                    assert await anext(lines) == "event: WalkStarted"
                    walk_id = json.loads((await anext(lines)).removeprefix("data: "))["walk_id"]
                    listening = asyncio.create_task(client.get(f"{other}{SPACE}/walks/{walk_id}/events"))
                    reading = asyncio.create_task(_all(lines))
                    async with asyncio.timeout(60):
                        await model.asked.wait()
                    processes[0].kill()
                    with pytest.raises(httpx.TransportError):
                        await reading
                told = (await listening).text
                names = [line.removeprefix("event: ") for line in told.splitlines() if line.startswith("event: ")]
                assert names[0] == "WalkStarted" and names.count("WalkStarted") == names.count("Answered") == 1


async def _all(lines: AsyncIterator[str]) -> list[str]:
    return [line async for line in lines]

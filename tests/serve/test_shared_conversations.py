"""Conversations where several servers share a base: each sees the same, one answers, and one that ends leaves none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from secrets import token_hex

import pytest

import postgres_server
from rove.serve.admission.callers import Callers
from rove.serve.context import ServerContext
from rove.serve.conversations.kept import CallerConversations
from rove.serve.conversations.schema import ConversationTurnIn, EntryOut
from rove.serve.problems import ThrottledError
from rove.serve.spaces import Spaces
from rove.settings import read_settings
from serve.conftest import DOCUMENTS, FAKE, PUBLIC, hold

SEARCH = ConversationTurnIn(question="remote work", way="search")
ASK = ConversationTurnIn(question="Who approves remote work?")


@pytest.fixture
async def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Spaces, Spaces]]:
    """Two servers of one base, each as on a machine of its own."""
    base = postgres_server.base(f"c{token_hex(8)}")
    both: list[Spaces] = []
    for place in ("here", "there"):
        monkeypatch.setenv("ROVE_DATA", str(tmp_path / place))
        both.append(Spaces.open(read_settings(base, embedder=FAKE), tmp_path))
        await both[-1].start()
    await both[0]._spaces["default"].kb.add(*DOCUMENTS["hr"])
    await both[1]._spaces["default"].kb.store.follow()
    yield both[0], both[1]
    for spaces in both:
        await spaces.close()


def talks_of(spaces: Spaces) -> CallerConversations:
    """The conversations of who sits at the machine."""
    return CallerConversations(spaces.view("default", Callers({}).find("")), ServerContext.of(spaces))


async def asked(talks: CallerConversations, at: str, wanted: ConversationTurnIn) -> EntryOut:
    return [piece async for piece in talks.ask(at, wanted) if isinstance(piece, EntryOut)][-1]


async def test_taken_up_elsewhere(servers: tuple[Spaces, Spaces], monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = map(talks_of, servers)
    at = (await here.begin("")).conversation_id
    answered = await asked(here, at, ASK)
    assert await there.told(at) == [answered]
    follow_up = await asked(there, at, ConversationTurnIn(question="And within how many days?"))
    assert follow_up.answer is not None and PUBLIC in follow_up.answer.text
    with monkeypatch.context() as patched:
        gate = hold(patched, 0)
        asking = asyncio.create_task(asked(here, at, SEARCH))
        while [one.state for one in await there.told(at)] != ["done", "done", "asked"]:  # noqa: ASYNC110 - at another
            await asyncio.sleep(0.02)
        with pytest.raises(ThrottledError, match="is being answered"):
            await asked(there, at, ASK)
        gate.set()
        assert (await asking).hits
    assert [one.number for one in await there.told(at)] == [1, 2, 3]


async def test_a_server_that_ends_amid_a_turn(servers: tuple[Spaces, Spaces]) -> None:
    here, there = map(talks_of, servers)
    at = (await here.begin("")).conversation_id
    assert await here._holds.hold(at)
    here._log.ask(at, "answer", ASK.question, where="", labels="")
    assert [one.state for one in await there.told(at)] == ["asked"]
    await servers[0]._spaces["default"].kb.store.team.close()
    assert [one.state for one in await there.told(at)] == ["stopped"]
    assert (await asked(there, at, ASK)).number == 2

"""Kill -9 at any event of a walk: taken up again it goes on where it was, and does no finished work again."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rove import AsyncRove
from rove.records.walk_events import Answered, ChunksRead, FactFound, Judged, LeadFollowed, RoundStarted, WalkEvent
from rove.walk.state import folded
from walk.chain import RIVER, opened

WALK = {"rounds": 3, "first_chunks": 2, "lead_chunks": 2, "memory": False}
KILLS = (1, 4, 6, 8, 11, 15, 26)


async def walked(folder: Path, killed_after: int) -> None:
    """Walk; die at once, as by kill -9, when so many events were told."""
    async with await opened(folder, walk=WALK) as kb:
        told = 0
        async for _ in kb.walk(RIVER):
            told += 1
            if told == killed_after:
                os.kill(os.getpid(), signal.SIGKILL)


async def events_of(kb: AsyncRove, name: str = "last") -> list[WalkEvent]:
    return [event async for event in kb.replay(name)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[WalkEvent]:
    """The events of the same walk where nobody kills it."""

    async def run() -> list[WalkEvent]:
        async with await opened(tmp_path_factory.mktemp("whole"), walk=WALK) as kb:
            return [event async for event in kb.walk(RIVER)]

    return asyncio.run(run())


def done(events: list[WalkEvent]) -> dict[str, list[object]]:
    """What was done, each piece of work once however often the walk was taken up."""
    return {
        "rounds": [event.round for event in events if isinstance(event, RoundStarted)],
        "followed": [event.lead_id for event in events if isinstance(event, LeadFollowed)],
        "read": [event.chunk_ids for event in events if isinstance(event, ChunksRead)],
        "facts": [event.fact.fact_id for event in events if isinstance(event, FactFound)],
        "judged": [(event.round, event.enough) for event in events if isinstance(event, Judged)],
    }


@pytest.mark.long
@pytest.mark.parametrize("at", KILLS)
def test_killed_at_an_event_it_is_taken_up_where_it_was(at: int, whole: list[WalkEvent], tmp_path: Path) -> None:
    assert len(whole) > max(KILLS), "the walk is too short for these kills"
    ran = subprocess.run([sys.executable, __file__, str(tmp_path), str(at)], env=_environment(), check=False)
    assert ran.returncode == -signal.SIGKILL

    async def taken_up() -> None:
        async with await opened(tmp_path, walk=WALK) as kb:
            kept = await events_of(kb)
            assert len(kept) >= at, "an event was told that was not kept"
            walk = await kb.take_up("last")
            assert walk.state == folded(kept)
            new = [event async for event in walk]
            assert isinstance(new[-1], Answered)
            assert done([*kept, *new]) == done(whole)
            assert walk.answer.text == whole[-1].answer.text
            assert await events_of(kb) == [*kept, *new]

    asyncio.run(taken_up())


def _environment() -> dict[str, str]:
    root = Path(__file__).parents[1]
    paths = [str(root), str(root.parent / "src"), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


if __name__ == "__main__":
    asyncio.run(walked(Path(sys.argv[1]), int(sys.argv[2])))

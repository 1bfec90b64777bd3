"""A migration that is killed at any point: all is found in between, and the next call ends where none was killed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rove import AsyncRove
from rove.store.failpoints import DEEPENING, SWITCHING, WRITING_SNAPSHOT
from store.moving import FAKE, SHORT, TEXTS, finds_all, found, fresh, is_over, vectors_of

SETTINGS = """
[embedder]
name = "fake"
dimension = 96
[embedder.previous]
name = "fake"
[store]
index = "{index}"
resident_chunks = 0
"""
RUN = """
import sys
from rove import Rove
from rove.store import resident, shallow
shallow.GROUP_DOCUMENTS, resident.KEPT_FROM = 7, 5
Rove.migrate(sys.argv[1])
"""
SEED = 20_261_125


async def base(folder: Path, index: str) -> Path:
    """A base of the embedder before, with a summary of each document, and settings that name the new one."""
    async with AsyncRove.open(folder / "kb", embedder=FAKE, store={"index": index, "resident_chunks": 0}) as kb:
        await kb.add(TEXTS)
        await kb.enrich("summaries")
    (folder / "kb" / "rove.toml").write_text(SETTINGS.format(index=index))
    return folder / "kb"


def migrating(place: Path, failpoint: str = "") -> subprocess.Popen[bytes]:
    env = {**os.environ, "ROVE_FAILPOINT": failpoint}
    return subprocess.Popen([sys.executable, "-c", RUN, str(place)], env=env)


async def check_between(place: Path) -> bool:
    """See that all is found, by whichever embedder the base has; returns whether it has the new one."""
    try:
        kb = AsyncRove.open(place)
    except Exception as error:  # noqa: BLE001 - it is looked at
        assert "rove migrate" in str(error)
        kb = AsyncRove.open(place, embedder={**FAKE, "dimension": 384, "previous": None})
    async with kb:
        moved = kb.store.dimension == 96
        assert await finds_all(kb)
        assert {length for length in vectors_of(kb)["summaries"]} == {kb.store.dimension}
    return moved


async def check_after(place: Path, tmp_path: Path) -> None:
    async with AsyncRove.open(place) as kb:
        assert is_over(kb)
        assert await found(kb, "semantic") == await fresh(tmp_path / "fresh", SHORT)
        assert (await kb.doctor()).ok


@pytest.mark.long
@pytest.mark.parametrize(
    ("point", "index"),
    [
        *((point, "embedded") for point in (*SWITCHING, *DEEPENING, WRITING_SNAPSHOT)),
        *((point, "lancedb") for point in ("switched", "deepened:3", "told")),
    ],
)
async def test_killed_at_each_point(tmp_path: Path, point: str, index: str) -> None:
    place = await base(tmp_path, index)
    assert await asyncio.to_thread(migrating(place, point).wait, 60) == -signal.SIGKILL
    assert await check_between(place) == (point != "switching")
    assert await asyncio.to_thread(migrating(place).wait, 60) == 0
    await check_after(place, tmp_path)


@pytest.mark.long
async def test_killed_at_random_moments(tmp_path: Path) -> None:
    place = await base(tmp_path, "embedded")
    draw = random.Random(SEED)
    began = time.monotonic()
    assert await asyncio.to_thread(migrating(await base(tmp_path / "timed", "embedded")).wait, 60) == 0
    takes = time.monotonic() - began
    for _ in range(4):
        process = migrating(place)
        await asyncio.sleep(draw.uniform(0.5, 1.0) * takes)
        process.kill()
        await asyncio.to_thread(process.wait, 60)
        await check_between(place)
    assert await asyncio.to_thread(migrating(place).wait, 60) == 0
    await check_after(place, tmp_path)

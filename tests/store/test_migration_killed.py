"""A migration that is killed at any point: all is found in between, and the next call ends where none was killed."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rove import AsyncRove, Rove
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


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By index: a base of the embedder before, with a summary of each document, and settings that name the new one."""
    folder = tmp_path_factory.mktemp("made")
    for index in ("embedded", "lancedb"):
        with Rove.open(folder / index, embedder=FAKE, store={"index": index, "resident_chunks": 0}) as kb:
            kb.add(TEXTS)
            kb.enrich("summaries")
        (folder / index / "rove.toml").write_text(SETTINGS.format(index=index))
    return {index: folder / index for index in ("embedded", "lancedb")}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[str, float]]]:
    """What a base finds that was made with the new embedder."""
    return asyncio.run(fresh(tmp_path_factory.mktemp("fresh"), SHORT))


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


async def check_after(place: Path, expected: dict[str, list[tuple[str, float]]]) -> None:
    async with AsyncRove.open(place) as kb:
        assert is_over(kb)
        assert await found(kb, "semantic") == expected
        assert (await kb.doctor()).ok


@pytest.mark.long
@pytest.mark.parametrize(
    ("point", "index"),
    [
        *((point, "embedded") for point in (*SWITCHING, *DEEPENING, WRITING_SNAPSHOT)),
        *((point, "lancedb") for point in ("switched", "deepened:3", "told")),
    ],
)
async def test_killed_at_each_point(
    tmp_path: Path, point: str, index: str, made: dict[str, Path], expected: dict[str, list[tuple[str, float]]]
) -> None:
    place = shutil.copytree(made[index], tmp_path / "kb")
    assert await asyncio.to_thread(migrating(place, point).wait, 60) == -signal.SIGKILL
    assert await check_between(place) == (point != "switching")
    assert await asyncio.to_thread(migrating(place).wait, 60) == 0
    await check_after(place, expected)


@pytest.mark.long
async def test_killed_at_random_moments(
    tmp_path: Path, made: dict[str, Path], expected: dict[str, list[tuple[str, float]]]
) -> None:
    place = shutil.copytree(made["embedded"], tmp_path / "kb")
    draw = random.Random(SEED)
    began = time.monotonic()
    assert await asyncio.to_thread(migrating(shutil.copytree(made["embedded"], tmp_path / "timed")).wait, 60) == 0
    takes = time.monotonic() - began
    for _ in range(2):
        process = migrating(place)
        await asyncio.sleep(draw.uniform(0.5, 1.0) * takes)
        process.kill()
        await asyncio.to_thread(process.wait, 60)
        await check_between(place)
    assert await asyncio.to_thread(migrating(place).wait, 60) == 0
    await check_after(place, expected)

"""Turns at writing: in the order they were asked for, whoever ends in whatever way."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

import rove.store.write_queue
from rove.errors import ServiceError
from rove.store.write_queue import WriteQueue

# Takes a turn, or waits for one, and stays so until it is killed.
STAYS = """
import asyncio, sys
from pathlib import Path
from rove.store.write_queue import WriteQueue
async def main():
    turns = WriteQueue(Path(sys.argv[1]))
    taking = asyncio.ensure_future(turns.take())
    while not taking.done() and not list(Path(sys.argv[1]).glob("write.turns/*")):
        await asyncio.sleep(0.001)
    print("there", flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


def stays(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", STAYS, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n"
    return process


def killed(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def waiting(folder: Path) -> int:
    return len(list(folder.glob("write.turns/*")))


async def queued(turns: WriteQueue, folder: Path) -> asyncio.Task[None]:
    """Let one wait, and come back when it stands in the queue."""
    before = waiting(folder)
    task = asyncio.create_task(turns.take())
    while waiting(folder) == before:  # noqa: ASYNC110 - what is waited for is a file
        await asyncio.sleep(0)
    return task


def is_free(folder: Path) -> bool:
    """Ask as an older Rove does, by the lock alone."""
    lock = FileLock(folder / "write.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        return False
    lock.release()
    return True


async def test_who_came_first_goes_first(tmp_path: Path) -> None:
    order: list[int] = []
    first, *others = [WriteQueue(tmp_path) for _ in range(6)]
    await first.take()
    tasks = [await queued(turns, tmp_path) for turns in others]

    async def noted(number: int) -> None:
        await tasks[number]
        order.append(number)
        others[number].give_back()

    first.give_back()
    await asyncio.gather(*(noted(number) for number in reversed(range(5))))
    assert order == [0, 1, 2, 3, 4]
    assert waiting(tmp_path) == 0


async def test_nobody_who_comes_again_at_once_goes_before_those_who_wait(tmp_path: Path) -> None:
    turned: list[int] = []

    async def writer(number: int) -> None:
        turns = WriteQueue(tmp_path)
        for _ in range(10):
            await turns.take()
            turned.append(number)
            await asyncio.sleep(0.005)
            turns.give_back()

    await asyncio.gather(*(writer(number) for number in range(4)))
    settled = turned[4:36]  # all four want a turn
    assert all(len(set(settled[at : at + 4])) == 4 for at in range(len(settled) - 3)), turned


@pytest.mark.parametrize("who", ["holder", "waiter", "both"])
async def test_nobody_waits_for_one_that_was_killed(tmp_path: Path, who: str) -> None:
    holder = stays(tmp_path)
    waiter = stays(tmp_path)
    own = WriteQueue(tmp_path)
    task = await queued(own, tmp_path)
    gone = {"holder": [holder], "waiter": [waiter], "both": [holder, waiter]}[who]
    for process in gone:
        killed(process)
    await asyncio.sleep(0.1)
    assert task.done() is (who == "both")
    for process in {holder, waiter}.difference(gone):
        killed(process)
    await asyncio.wait_for(task, 30)
    own.give_back()
    assert waiting(tmp_path) == 0
    assert is_free(tmp_path)


async def test_one_that_is_cancelled_leaves_the_queue_and_takes_nothing(tmp_path: Path) -> None:
    first, second, third = (WriteQueue(tmp_path) for _ in range(3))
    await first.take()
    tasks = [await queued(turns, tmp_path) for turns in (second, third)]
    tasks[0].cancel()
    with pytest.raises(asyncio.CancelledError):
        await tasks[0]
    first.give_back()
    await asyncio.wait_for(tasks[1], 30)
    third.give_back()
    assert waiting(tmp_path) == 0
    assert is_free(tmp_path)


async def test_an_older_rove_is_kept_out_and_keeps_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = WriteQueue(tmp_path)
    await turns.take()
    assert not is_free(tmp_path)
    turns.give_back()
    monkeypatch.setattr(rove.store.write_queue, "LOCK_TIMEOUT_S", 0.05)
    with FileLock(tmp_path / "write.lock"), pytest.raises(ServiceError, match="Another process has been writing"):
        await turns.take()
    assert waiting(tmp_path) == 0
    await turns.take()
    turns.give_back()


async def test_what_a_crash_has_left_in_the_queue_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "write.turns").mkdir()
    (tmp_path / "write.turns" / "7").touch()
    turns = WriteQueue(tmp_path)
    await asyncio.wait_for(turns.take(), 30)
    turns.give_back()
    assert waiting(tmp_path) == 0

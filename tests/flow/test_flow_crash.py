"""Kill -9 after any finished step: resumed, a run does no finished step again, and ends as if nobody had killed it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from flow import flow_samples as samples
from rove.flow import read_flow, resume, run, runs
from rove.flow.flow_events import FlowEvent, StepFinished, StepStarted

QUESTION = samples.QUESTIONS["en"]
STEPS = 7  # of the template "parallel": all run


async def killed(folder: Path, at: int) -> None:
    """Run, and die at once, as by kill -9, when so many steps were told of as finished."""
    done = 0

    def hear(event: FlowEvent) -> None:
        nonlocal done
        done += isinstance(event, StepFinished)
        if done == at:
            os.kill(os.getpid(), signal.SIGKILL)

    async with await samples.opened(folder) as kb:
        await run(kb, read_flow("parallel"), {"question": QUESTION}, listener=hear)


@pytest.mark.long
@pytest.mark.parametrize("at", [1, 4, 7])
def test_killed_after_a_step_a_run_goes_on_with_the_next(at: int, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    ran = subprocess.run([sys.executable, __file__, str(tmp_path), str(at)], env=environment, check=False, timeout=300)
    assert ran.returncode == -signal.SIGKILL

    async def taken_up() -> None:
        told: list[FlowEvent] = []
        async with await samples.opened(tmp_path) as kb:
            assert [one.status for one in await runs(kb)] == ["open"]
            done = await resume(kb, listener=told.append)
            restored = {one.key for one in told if isinstance(one, StepFinished) and one.restored}
            begun = {one.key for one in told if isinstance(one, StepStarted)}
            assert len(restored) >= at, "a step was told of as finished that was not kept"
            assert not restored & begun
            assert len(restored | begun) == STEPS
            whole = await run(kb, read_flow("parallel"), {"question": QUESTION})
            assert done.output == whole.output

    asyncio.run(taken_up())


if __name__ == "__main__":
    asyncio.run(killed(Path(sys.argv[1]), int(sys.argv[2])))

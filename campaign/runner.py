"""Runs kinds of attack side by side, each in a process of its own, within the time and the quotas that they have."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from campaign import ROOT
from campaign.kinds import KINDS

ALL_MINUTES = 60.0
SEEDS_EACH = 1_000_000
"""Seeds of a campaign: `--seed 2` begins where those of `--seed 1` can never come to."""
GRACE_S = 5.0
MOST_FAULTS = 50
"""Trials with faults that are kept of a kind; beyond, they are only counted."""

SECONDS = "ROVE_CAMPAIGN_SECONDS"
"""Tells a kind that is one long trial, through the environment, how long that is."""


@dataclass(slots=True)
class Score:
    """What came of a kind. `skipped` says why it was not tried."""

    kind: str
    wanted: int = 0
    first: int = 0
    tries: int = 0
    trials: int = 0
    failed: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter[str])
    faults: list[tuple[int, list[str]]] = field(default_factory=list)
    skipped: str = ""

    def take(self, seed: int, outcome: str, faults: Sequence[str], count: int) -> None:
        """Count one trial."""
        self.trials += 1
        self.tries += count
        self.outcomes[outcome] += count
        if faults:
            self.failed += 1
            if len(self.faults) < MOST_FAULTS:
                self.faults.append((seed, list(faults)))


class Run:
    """One kind under way: its process, started anew where a trial has hung or killed it."""

    def __init__(self, score: Score, granted_s: float, folder: Path) -> None:
        self.score, self.granted_s, self.folder = score, granted_s, folder
        self.kind = KINDS[score.kind]
        self.began = monotonic()
        self.deadline = self.began + granted_s
        self.log = folder / f"{score.kind}.log"
        self.next = score.first
        self.open = -1
        self._start()

    def command(self) -> list[str]:
        """The process that tries."""
        return [sys.executable, "-m", "campaign.worker", self.score.kind, str(self.next), str(SEEDS_EACH)]

    def _start(self) -> None:
        paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        told = {"TMPDIR": str(self.folder), "PYTHONPATH": paths, SECONDS: f"{self.granted_s:.0f}"}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603
                self.command(),
                cwd=ROOT,
                env={**os.environ, **told},
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        self.heard = monotonic()
        self.part = b""

    @property
    def output(self) -> int:
        """The pipe to listen to."""
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def hear(self) -> bool:
        """Take in what has come; False when the kind is done."""
        data = os.read(self.output, 1 << 16)
        if not data:
            return self._again(f"the process ended (status {self.process.wait()}): {self._last_words()}")
        *lines, self.part = (self.part + data).split(b"\n")
        self.heard = monotonic()
        for line in map(json.loads, lines):
            if "begun" in line:
                self.open = line["begun"]
                continue
            self.open, self.next = -1, line["seed"] + 1
            self.score.take(line["seed"], line["outcome"], line["faults"], line["count"])
            if self.is_over():
                return False
        return True

    def look(self) -> bool:
        """See whether the time is up, or a trial has hung; False when the kind is done."""
        if monotonic() - self.heard > self.kind.patience_s:
            self.stop()
            return self._again(f"hung: no end after {self.kind.patience_s:.0f} s")
        return not (self.is_over() and self.open < 0)

    def is_over(self) -> bool:
        """Say whether it has had its tries or its time."""
        return self.score.tries >= self.score.wanted or monotonic() > self.deadline

    def _again(self, fault: str) -> bool:
        seed = self.open if self.open >= 0 else self.next
        begun = self.open >= 0 or not self.score.trials
        if begun:
            self.score.take(seed, "died", [fault], 1)
        self.next, self.open = seed + 1, -1
        if not begun or self.is_over() or self.score.outcomes["died"] > MOST_FAULTS:
            return False
        self.stop()
        self._start()
        return True

    def _last_words(self) -> str:
        return self.log.read_text("utf-8", "replace").strip()[-400:].replace("\n", " / ")

    def stop(self) -> None:
        """End the process, which may clear up, and every process that it has started."""
        with suppress(subprocess.TimeoutExpired):
            self.process.terminate()
            self.process.wait(GRACE_S)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.score.seconds = monotonic() - self.began


def campaign(
    kinds: Sequence[str], minutes: float, seed: int, lanes: int, watch: Callable[[Sequence[Score]], None]
) -> list[Score]:
    """Try all kinds, `lanes` at once, the longest first; returns a score of each, in the order that was given."""
    scores = {name: Score(name, first=seed * SEEDS_EACH, skipped=KINDS[name].missing()) for name in kinds}
    waiting = sorted((n for n in kinds if not scores[n].skipped), key=lambda name: -KINDS[name].share)
    shares = sum(KINDS[name].share for name in waiting) or 1.0
    scale = minutes / ALL_MINUTES if len(kinds) == len(KINDS) else minutes * lanes / shares
    for name in waiting:
        scores[name].wanted = max(1, round(KINDS[name].quota * scale))
    end = monotonic() + 60 * minutes
    folder = Path(tempfile.mkdtemp(prefix="rove-campaign-"))
    running: list[Run] = []
    try:
        with selectors.DefaultSelector() as selector:
            while waiting or running:
                while waiting and len(running) < lanes:
                    granted_s = _granted_s(waiting, running, lanes * (end - monotonic()))
                    running.append(Run(scores[waiting.pop(0)], granted_s, folder))
                _listen(selector, running)
                watch(list(scores.values()))
    finally:
        for run in running:
            run.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return list(scores.values())


def _granted_s(waiting: Sequence[str], running: Sequence[Run], left_s: float) -> float:
    """The seconds of the next kind: its share of what is left; so what one does not need goes to those after it."""
    promised = sum(max(0.0, run.deadline - monotonic()) for run in running)
    return max(0.0, left_s - promised) * KINDS[waiting[0]].share / sum(KINDS[name].share for name in waiting)


def _listen(selector: selectors.BaseSelector, running: list[Run]) -> None:
    """Wait for a word of any run, and end those that are done."""
    for run in running:
        selector.register(run.output, selectors.EVENT_READ, run)
    ready = {id(key.data) for key, _ in selector.select(1.0)}
    for run in list(running):
        selector.unregister(run.output)
        going = run.hear() if id(run) in ready else run.look()
        run.score.seconds = monotonic() - run.began
        if not going:
            run.stop()
            running.remove(run)

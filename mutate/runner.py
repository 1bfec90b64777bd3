"""Shows mutants to the tests, several at once, and says of each whether a test has seen it."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from time import monotonic

from mutate import ROOT
from mutate.choice import Choice, measure
from mutate.copies import HUNG, Copy
from mutate.mutants import Mutant

KILLED, HANGS, SURVIVED, UNTESTED = "killed", "hangs", "survived", "untested"
FIRST_S = 5.0
"""Seconds of tests in the first go; few mutants need a second one."""
MOST_S = 60.0
"""Seconds of tests, of a processor, that a mutant is shown at most. What these do not see has survived."""
SLACK_S, SLACK = 60.0, 6.0
"""A go may take so many times what its tests take of a processor, and so much more, before it counts as hanging."""
HOLDS, NOTHING = 0, 5
"""What pytest's status says: all tests hold; there was none."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a mutant: `killer` is the test that failed, `seconds` what it took."""

    mutant: Mutant
    verdict: str
    killer: str
    seconds: float


def tried(
    mutants: Sequence[Mutant], tests: Sequence[str], minutes: float, lanes: int, watch: Callable[[Result], None]
) -> list[Result]:
    """Try the mutants, in their order, until all are tried or the time is up."""
    with _copies(lanes) as copies:
        choice = measure(copies[0], tests)
        end = monotonic() + 60 * minutes
        free: SimpleQueue[Copy] = SimpleQueue()
        for copy in copies:
            free.put(copy)

        def one(mutant: Mutant) -> Result | None:
            if monotonic() > end:
                return None
            copy = free.get()
            try:
                result = _try(copy, choice, mutant)
            finally:
                free.put(copy)
            watch(result)
            return result

        with ThreadPoolExecutor(lanes) as threads:
            return [result for result in threads.map(one, mutants) if result]


@contextmanager
def _copies(lanes: int) -> Iterator[list[Copy]]:
    folder = Path(tempfile.mkdtemp(prefix="rove-mutate-"))
    try:
        yield [Copy(folder / str(lane)) for lane in range(lanes)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _try(copy: Copy, choice: Choice, mutant: Mutant) -> Result:
    """Show a mutant to its tests: its module's doctests first."""
    began = monotonic()
    copy.put(mutant)
    try:
        verdict, killer = UNTESTED, ""
        for paths, tests in _goes(choice, mutant):
            verdict, killer = _go(copy, choice, paths, tests, verdict)
            if verdict in (KILLED, HANGS):
                choice.killed(mutant, killer)
                break
    finally:
        copy.take_back(mutant)
    return Result(mutant, verdict, killer, monotonic() - began)


def _go(copy: Copy, choice: Choice, paths: Sequence[str], tests: Sequence[str], before: str) -> tuple[str, str]:
    order, killer = copy.root.parent / "order.json", copy.root.parent / "killer"
    order.write_text(json.dumps(tests), "utf-8")
    killer.unlink(missing_ok=True)
    limit_s = round(SLACK_S + SLACK * sum(choice.seconds[test] for test in tests))
    status = copy.run(["-x", *paths], limit_s, ROVE_MUTATE_ORDER=str(order), ROVE_MUTATE_KILLER=str(killer))
    if status in (HOLDS, NOTHING):
        return (SURVIVED if status == HOLDS else before), ""
    return (HANGS if status == HUNG else KILLED), killer.read_text("utf-8") if killer.exists() else ""


def _goes(choice: Choice, mutant: Mutant) -> Iterator[tuple[list[str], list[str]]]:
    """The paths and the tests of each run of pytest: a few seconds of tests, then the rest that fits."""
    first: list[str] = []
    rest: list[str] = []
    spent = 0.0
    for test in choice.tests(mutant):
        took = choice.seconds[test]
        if spent + took <= FIRST_S or not first:
            first.append(test)
        elif spent + took <= MOST_S:
            rest.append(test)
        else:
            continue
        spent += took
    doctests = [mutant.module] if b">>>" in (ROOT / mutant.module).read_bytes() else []
    if first or doctests:
        yield [*doctests, *_files(first)], first
    if rest:
        yield _files(rest), rest


def _files(tests: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(test.partition("::")[0] for test in tests))

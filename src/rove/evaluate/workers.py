"""Several processes that ask one base, each its share of the questions, and put what they find into the results."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from queue import Empty
from threading import Thread
from typing import Any

from rove.errors import RoveError, ServiceError
from rove.evaluate.ask_all import Grades, ask_all
from rove.evaluate.dataset import Question
from rove.evaluate.lab import Lab
from rove.evaluate.plan import Opening
from rove.evaluate.results import Outcome, Results
from rove.models import free_cores

PAYS_FROM = 8_000
"""Outcomes from which several processes pay: each takes seconds to start and to load the base."""
TICK_S = 0.2


@dataclass(frozen=True, slots=True)
class Share:
    """What one process is told."""

    opening: Opening
    questions: tuple[Question, ...]
    gold: dict[str, Grades]
    results: Path
    known: frozenset[tuple[str, str]]
    near: bool = False


def workers_for(outcomes: int, wanted: int = 0) -> int:
    """How many processes shall look for that many outcomes; `wanted` where it is not 0."""
    if wanted:
        return min(wanted, max(outcomes, 1))
    return free_cores() if outcomes >= PAYS_FROM else 1


async def ask_in_processes(
    opening: Opening,
    questions: Sequence[Question],
    gold: dict[str, Grades],
    results: Results,
    known: Collection[tuple[str, str]],
    workers: int,
    progress: Callable[[int], None],
    *,
    near: bool = False,
) -> None:
    """Ask as `ask_all` does, in that many processes.

    Raises:
        ServiceError: one of them has failed, or was ended from outside; what was found is kept.
    """
    context = multiprocessing.get_context("spawn")
    done: Any = context.Queue()
    shares = [
        Share(
            _with_threads(opening, workers),
            part,
            {q.question_id: gold[q.question_id] for q in part if q.question_id in gold},
            results.path,
            frozenset(known),
            near,
        )
        for part in (tuple(questions[start::workers]) for start in range(workers))
    ]
    running = [context.Process(target=_work, args=(share, done), daemon=True) for share in shares]
    for process in running:
        process.start()
    try:
        while any(process.is_alive() for process in running):
            _drain(done, progress)
            await asyncio.sleep(TICK_S)
        _drain(done, progress)
        _check_exit_codes(running)
    finally:
        for process in running:
            process.kill()
            process.join()


def _drain(done: Any, progress: Callable[[int], None]) -> None:  # noqa: ANN401 - a queue of the spawn context
    while True:
        try:
            said: int | str = done.get_nowait()
        except Empty:
            return
        if isinstance(said, str):
            raise ServiceError(said, cure="Correct this, and run the same command again.", retryable=False)
        progress(said)


def _check_exit_codes(processes: Sequence[SpawnProcess]) -> None:
    for process in processes:
        if process.exitcode:
            message = f"A process that searched ended with status {process.exitcode}."
            raise ServiceError(message, cure="Run the same command again: it takes up where this one stopped.")


def _with_threads(opening: Opening, workers: int) -> Opening:
    """Let the embedders of all processes together use no more threads than there are cores."""
    embedder = opening.settings.embedder
    threads = max(1, (embedder.threads or free_cores()) // workers)
    settings = opening.settings.model_copy(update={"embedder": embedder.model_copy(update={"threads": threads})})
    return Opening(settings, opening.ways)


def _work(share: Share, done: Any) -> None:  # noqa: ANN401
    """Run in the process."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_die_with, args=(parent.sentinel,), daemon=True).start()
    results = Results(share.results)

    def keep(outcomes: Sequence[Outcome]) -> None:
        results.keep(outcomes)
        done.put(len(outcomes))

    try:
        asyncio.run(_ask_question_share(share, keep))
    except RoveError as error:
        done.put(str(error))
        done.close()
        done.join_thread()
        sys.exit(1)
    finally:
        results.close()


async def _ask_question_share(share: Share, keep: Callable[[Sequence[Outcome]], None]) -> None:
    lab = Lab.open(share.opening.settings)
    if share.near:
        lab.compare()
    try:
        await ask_all(lab, share.opening.ways, share.questions, share.gold, share.known, keep)
    finally:
        await lab.close()


def _die_with(sentinel: int) -> None:
    """End this process when the one that started it has ended, however that came."""
    wait([sentinel])
    os._exit(1)

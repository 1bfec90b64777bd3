"""Runs evaluations: one at a time in each base, watched, cancelled, kept, and resumed after a restart."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from rove.engine import AsyncRove
from rove.errors import InputError, RoveError
from rove.models.usage import Usage, metered
from rove.registry import load
from rove.serve.documents.upload import safe_name
from rove.serve.evaluations.folders import QUESTIONS, EvaluationFolders
from rove.serve.evaluations.schema import EvaluationIn, EvaluationOut, State
from rove.serve.problems import ThrottledError, problem_of
from rove.serve.progress import Progress
from rove.settings import ServeSettings
from rove.tracing import operation

if TYPE_CHECKING:  # it needs the lab, which is loaded with the first evaluation that is run
    from rove.serve.evaluations.reports import FinishedEvaluation

CHECK, MEASURE = "rove.serve.evaluations.measuring:check_evaluation", "rove.serve.evaluations.measuring:measure"

MOST_STARTS = 3
"""An evaluation that was cut off so often is not begun again: it may be what ends the server."""
LEAST_WAIT_S, MOST_WAIT_S = 5.0, 300.0
log = logging.getLogger("rove.serve")


@dataclass(slots=True)
class RunningEvaluation(Progress):
    """An evaluation as it stands. `began`: when it began to ask, by the monotonic clock; `searches`: how many."""

    record: EvaluationOut
    began: float = 0.0
    searches: int = 0

    @property
    def name(self) -> str:
        """Its id."""
        return self.record.evaluation_id

    @property
    def over(self) -> bool:
        """See `Progress.over`."""
        return self.record.over

    @property
    def left_s(self) -> float:
        """How long it may still take, in seconds, as far as it can be told."""
        record = self.record
        rate = record.asked / max(monotonic() - self.began, 1e-3)
        return min(max((record.expected - record.asked) / rate, LEAST_WAIT_S), MOST_WAIT_S) if rate else LEAST_WAIT_S

    def asking(self, count: int) -> None:
        """Note that so many searches or answers more are there."""
        asked = self.record.asked + count
        asking = "answering" if asked >= self.searches else "asking"
        self.now(asked=asked, state="scoring" if asked >= self.record.expected else asking)

    def now(self, **known: object) -> None:
        """Change the record, and wake those who watch."""
        self.record = self.record.model_copy(update=known)
        self.changed()


class Evaluations:
    """The evaluations of one base. `start` takes up what an earlier process left.

    `note_usage` is told what chat models have used, when an evaluation ends or is cut off.
    """

    def __init__(self, kb: AsyncRove, settings: ServeSettings) -> None:
        self.folders = EvaluationFolders(kb.settings.folder)
        self._kb = kb
        self._settings = settings
        self._lock = FileLock(kb.settings.folder / "evaluations.lock", timeout=0, thread_local=False)
        self._running: RunningEvaluation | None = None
        self.note_usage: Callable[[Usage], None] = lambda _: None
        self._unkept: dict[str, RunningEvaluation] = {}  # those that have failed, and the disk had no room to say so
        self._task: asyncio.Task[None] | None = None

    @property
    def running(self) -> EvaluationOut | None:
        """The evaluation that this server runs, as it stands."""
        return self._running.record if self._running else None

    def start(self) -> None:
        """Take up what was left, unless another process is at it."""
        left = [record for record in self.folders.records() if not record.over]
        if not left or not self._hold():
            return
        self.folders.tidy()
        for record in left[1:] if left[0].starts < MOST_STARTS else left:
            reason = f"It was cut off {record.starts} times."
            self.folders.keep(
                _with_final_state(record, "failed", reason=reason, cure="Begin it anew, with fewer questions.")
            )
        if left[0].starts < MOST_STARTS:
            self._go(RunningEvaluation(left[0]))
        else:
            self._lock.release()

    async def begin(self, wanted: EvaluationIn, caller: str) -> RunningEvaluation:
        """Keep what is wanted on disk, and begin.

        Raises:
            ThrottledError: another one runs in this base.
            InputError: the file of questions is malformed, or there are too many.
        """
        if self._running or not self._hold():
            left_s = self._running.left_s if self._running else LEAST_WAIT_S
            message = "An evaluation of this space is running."
            raise ThrottledError(message, cure="Wait for it, or cancel it.", retry_after_s=left_s)
        try:
            folder = self.folders.begin()
        except BaseException:
            self._lock.release()
            raise
        evaluation = RunningEvaluation(_new_evaluation_record(folder.name, wanted, caller))
        self._running = evaluation  # nobody comes between while the file is read
        try:
            await asyncio.to_thread(self._keep, folder, evaluation.record, wanted)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            self._running = None
            self._lock.release()
            raise
        return self._go(evaluation)

    async def get(self, evaluation_id: str) -> RunningEvaluation:
        """An evaluation, running or over. Raises as `EvaluationFolders.of` does."""
        return self._here(evaluation_id) or RunningEvaluation(await asyncio.to_thread(self.folders.get, evaluation_id))

    async def listed(self) -> list[RunningEvaluation]:
        """All evaluations, the latest first."""
        records = await asyncio.to_thread(self.folders.records)
        return [self._here(record.evaluation_id) or RunningEvaluation(record) for record in records]

    async def cancel(self, evaluation_id: str) -> None:
        """End an evaluation, if it runs; what it has found goes.

        Raises:
            AbsentError: there is none of that id.
            InputError: another process runs it.
        """
        evaluation, task = await self.get(evaluation_id), self._task
        if evaluation is self._running and task:
            await _cancel_evaluation_task(task)
        if evaluation.over:
            return
        if not self._hold():
            message = "Another process that serves this base runs this evaluation."
            raise InputError(message, cure="Cancel it there.")
        try:
            await self._end(evaluation, "cancelled")
        finally:
            self._lock.release()

    async def delete(self, evaluation_id: str) -> None:
        """Take an evaluation off the disk; one that runs is cancelled. Raises as `cancel` does."""
        await self.cancel(evaluation_id)
        await asyncio.to_thread(self.folders.delete, evaluation_id)
        self._unkept.pop(evaluation_id, None)

    async def stop(self) -> None:
        """Stop where it stands; the next process goes on from there."""
        if self._task:
            await _cancel_evaluation_task(self._task)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _hold(self) -> bool:
        try:
            self._lock.acquire()
        except (Timeout, OSError):
            return False
        return True

    def _here(self, evaluation_id: str) -> RunningEvaluation | None:
        now = self._running
        return now if now and now.name == evaluation_id else self._unkept.get(evaluation_id)

    def _keep(self, folder: Path, record: EvaluationOut, wanted: EvaluationIn) -> None:
        if wanted.table:
            (folder / record.table).write_text(wanted.table.text, "utf-8", newline="")
        load(CHECK)(self._kb, self._settings, folder, record)
        self.folders.keep(record)

    def _go(self, evaluation: RunningEvaluation) -> RunningEvaluation:
        evaluation.record = evaluation.record.model_copy(update={"starts": evaluation.record.starts + 1})
        self.folders.keep(evaluation.record)
        self._running = evaluation
        self._task = asyncio.create_task(self._run(evaluation))
        self._task.add_done_callback(partial(self._ran, evaluation))
        return evaluation

    async def _run(self, evaluation: RunningEvaluation) -> None:
        try:
            with operation("evaluate", configurations=len(evaluation.record.configurations)), metered() as meter:
                try:
                    await self._work(evaluation)
                finally:
                    self.note_usage(meter.usage)
        except RoveError as error:
            log.warning("evaluation failed", extra={"evaluation": evaluation.name, "reason": error.reason})
            told = problem_of(error)
            await self._end(evaluation, "failed", reason=told.detail, cure=told.cure)

    def _ran(self, evaluation: RunningEvaluation, task: asyncio.Task[None]) -> None:
        """Make room for the next one; called however the task ended, also where it never came to begin."""
        self._running = self._task = None
        self._lock.release()
        if not task.cancelled() and (error := task.exception()):
            log.error("evaluation failed", exc_info=error, extra={"evaluation": evaluation.name})
            reason, cure = "The server made a mistake.", "See the server's log."
            evaluation.record = _with_final_state(evaluation.record, "failed", reason=reason, cure=cure)
            try:
                self.folders.end(evaluation.record)
            except OSError:  # a disk without room for a line: whoever watches is told, and the next start tries again
                log.exception("evaluation not kept", extra={"evaluation": evaluation.name})
                self._unkept[evaluation.name] = evaluation
        evaluation.changed()

    async def _end(self, evaluation: RunningEvaluation, state: State, *, reason: str = "", cure: str = "") -> None:
        record = _with_final_state(evaluation.record, state, reason=reason, cure=cure)
        await asyncio.to_thread(self.folders.end, record)
        evaluation.record = record
        evaluation.changed()

    async def _work(self, evaluation: RunningEvaluation) -> None:
        folder = self.folders.of(evaluation.name)
        measure = await asyncio.to_thread(load, MEASURE)
        done: FinishedEvaluation = await measure(self._kb, self._settings, folder, evaluation)
        record = _with_final_state(done.record, "done")
        await asyncio.to_thread(self.folders.finish, record, done.report, done.page)
        evaluation.record = record


def _new_evaluation_record(evaluation_id: str, wanted: EvaluationIn, caller: str) -> EvaluationOut:
    name = safe_name(wanted.table.name) if wanted.table else ""
    return EvaluationOut(
        evaluation_id=evaluation_id,
        by=caller,
        name=Path(name).stem,
        began_at=_evaluation_timestamp(),
        configurations=wanted.configurations,
        metrics=wanted.metrics,
        table=f"{QUESTIONS}{Path(name).suffix.casefold()}" if wanted.table else "",
        make=wanted.make.count if wanted.make else 0,
        model=bool(wanted.make and wanted.make.model),
        answers=wanted.answers,
    )


def _with_final_state(record: EvaluationOut, state: State, *, reason: str = "", cure: str = "") -> EvaluationOut:
    return record.model_copy(
        update={"state": state, "reason": reason, "cure": cure, "ended_at": _evaluation_timestamp()}
    )


def _evaluation_timestamp() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


async def _cancel_evaluation_task(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

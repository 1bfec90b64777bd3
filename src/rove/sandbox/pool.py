"""The reading processes and what they are told: sources go out, documents come in, and one that dies is replaced."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Full, Queue
from threading import Event, Lock, Thread
from weakref import finalize

import msgspec

from rove.errors import ServiceError
from rove.load import INLINE
from rove.load.discover import Location
from rove.prepare import Recipe
from rove.records import PageRead, Prepared, SourceEnd
from rove.sandbox import RETIRED, STEP_BYTES, Limits
from rove.sandbox.asking import Transcribe, answer_wish
from rove.sandbox.checked import CheckedSources, NotOfTheSourceError
from rove.sandbox.messages import ASKS, Task, Work, encoder, unpacked, write_frame
from rove.sandbox.watchdog import tree, watch
from rove.sandbox.worker import Worker, let_go, waiting

SLICE = 64
"""Sources of the quick kinds that a process gets at once."""
SLOW_WEIGHT = 16
"""As how many of these a source of another kind counts."""
SLICE_CHARS = 50_000
"""A text counts once more for each so many characters."""
WAITING_FRAMES = 16
"""Messages that may wait to be taken, of all processes together; then these wait."""
TICK_S = 0.1
NOTHING: Mapping[str, Mapping[str, bytes]] = {}
SIGNALS = {
    "SIGXCPU": ("too-slow", "took more CPU time to read than one source may", "raise load.max_cpu_s in the settings"),
    "SIGALRM": ("too-slow", "took longer to read than one source may", "raise load.max_cpu_s in the settings"),
    "SIGKILL": ("too-large", "was being read when the system ended the process, most likely for want of memory",
                "give the machine more memory"),
}  # fmt: skip

Job = tuple[Location, str]
"""A source, and the fingerprint of what is live of it."""
Begun = Callable[[Sequence[str]], None]
"""Told, in a thread of the pool's, which sources a process has been given to read, one after the other."""
Known = Mapping[str, Mapping[str, bytes]]
"""What OCR has said of pictures when sources were read before, by source and digest."""
Made = Prepared | PageRead | SourceEnd
Results = Queue[Sequence[Made] | Exception | None]


class Pool:
    """Reading processes by one recipe. They are started when they are needed, and on `close` left for the next pool.

    `transcribe` sends recordings to an endpoint for them, where the recipe names it.
    """

    def __init__(self, recipe: Recipe, limits: Limits, size: int, transcribe: Transcribe | None = None) -> None:
        self.recipe = recipe
        self.transcribe = transcribe
        self.limits = limits
        self.workers: list[Worker | None] = [None] * max(1, size)
        self._reading = Lock()
        finalize(self, let_go, self.workers, limits)

    def warm(self, sources: int) -> None:
        """Start the processes that so many sources will need, and wait for nothing.

        Raises:
            ServiceError: the system does not let them start.
        """
        if self._reading.acquire(blocking=False):  # else they are there
            try:
                for at in range(min(sources, len(self.workers))):
                    self.workers[at] = self.workers[at] or waiting(self.limits) or Worker.start(self.limits)
            finally:
                self._reading.release()

    def read(
        self, jobs: Iterable[Job], begun: Begun = lambda _: None, known: Known = NOTHING
    ) -> Iterator[Prepared | PageRead | SourceEnd | None]:
        """Yield what the sources hold, as it comes; of each source in order, its end last.

        A None says that nothing came for a while. A process that a source takes down, or that uses up what one source
        may, is replaced, and the source ends with the reason.

        What a process sends is held against the source that it reads (`rove.sandbox.checked`); one that sends anything
        else is ended, and so is its source.

        Raises:
            ServiceError: no reading process can be started.
        """
        with self._reading:
            slices = Slices(jobs)
            results: Results = Queue(WAITING_FRAMES)
            run = _ReadRun(slices, results, Event(), begun, known)
            threads = [Thread(target=self._serve, args=(at, run), daemon=True) for at in range(len(self.workers))]
            watching = Thread(target=watch, args=(self.workers, self.limits, run.stop), daemon=True)
            for thread in (*threads, watching):
                thread.start()
            try:
                yield from _collect_worker_results(results, len(threads))
            finally:
                run.stop.set()
                abandoned = any(thread.is_alive() for thread in threads)
                for worker in filter(None, self.workers if abandoned else ()):
                    worker.kill()
                for at, thread in enumerate(threads):
                    thread.join()
                    if abandoned:
                        self._discard(at)

    def close(self) -> None:
        """Let the processes go; they wait a while for another pool of the same limits, and end."""
        with self._reading:
            let_go(self.workers, self.limits)

    # -- in a thread for each process -----------------------------------------------------------------------------

    def _serve(self, at: int, run: _ReadRun) -> None:
        """Let one process read slice after slice."""
        try:
            while not run.stop.is_set() and (part := run.slices.take()):
                self._work(at, part, run)
            worker = self.workers[at]
            if worker and len(list(tree(worker.process.pid))) > 1:  # what it has started must not go on
                self._discard(at)
            run.put(None)
        except Exception as error:  # noqa: BLE001 - raised where the documents are taken
            run.put(error)

    def _work(self, at: int, left: list[Job], run: _ReadRun) -> None:
        """See that every source of a slice ends, by as many processes as it takes."""
        while left and not run.stop.is_set():
            ended = self._attempt(at, left, run)
            left = left[ended:]
            if not left or run.stop.is_set():
                continue
            status = self._discard(at)
            if status != RETIRED:
                run.put([_source_end_of_crash(left[0][0], status)])
                left = left[1:]

    def _attempt(self, at: int, jobs: Sequence[Job], run: _ReadRun) -> int:
        """Let the process read; returns how many of the sources have ended, fewer than all where the process has."""
        worker = self.workers[at] or waiting(self.limits)
        if worker and worker.process.poll() is not None:  # it has ended while it had nothing to do
            worker.stop()
            worker = None
        worker = worker or Worker.start(self.limits)
        self.workers[at] = worker
        worker.ready()
        worker.patience = 1 + max(_location_file_size(location) for location, _ in jobs) // STEP_BYTES
        run.begun([location.uri for location, _ in jobs])
        with suppress(BrokenPipeError):
            tasks = [Task.of(at, live, run.known.get(at.uri, {})) for at, live in jobs]
            write_frame(worker.input, encoder.encode(Work(self.recipe, tasks)))
        sources = CheckedSources(jobs, self.recipe)
        try:
            while sources.ended < len(jobs) and self._heard(worker, sources, run):
                pass
        except (NotOfTheSourceError, ServiceError, msgspec.MsgspecError, ValueError) as error:
            worker.kill()
            self._discard(at)
            run.put(sources.refused(error))
        return sources.ended

    def _heard(self, worker: Worker, sources: CheckedSources, run: _ReadRun) -> bool:
        """Take the next message of a process, or answer it; False where it has ended.

        Raises:
            NotOfTheSourceError, ServiceError, MsgspecError, ValueError: it sends what it was not asked for.
        """
        while (frame := worker.hear()) is not None and frame.ended == ASKS:
            sources.asked += 1
            answer = answer_wish(frame.message, sources.asked, self.limits, run.stop.is_set, self.transcribe)
            with suppress(BrokenPipeError):
                write_frame(worker.input, answer)
        if frame is None:
            return False
        made: list[Made] = []
        try:
            for item in unpacked(frame.message):
                sources.check(item)
                made.append(item)
        finally:
            run.put(made)
        return True

    def _discard(self, at: int) -> int:
        worker, self.workers[at] = self.workers[at], None
        return worker.stop() if worker else RETIRED


@dataclass(frozen=True, slots=True)
class _ReadRun:
    """What the threads of one `read` share."""

    slices: Slices
    results: Results
    stop: Event
    begun: Begun
    known: Known

    def put(self, item: Sequence[Made] | Exception | None) -> None:
        """Hand on, and wait while too much is waiting already."""
        while not self.stop.is_set():
            with suppress(Full):
                self.results.put(item, timeout=TICK_S)
                return


class Slices:
    """Jobs, handed out some at a time: many of the quick kinds, few of those that take a while."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs = iter(jobs)
        self._lock = Lock()

    def take(self) -> list[Job]:
        """The next slice; [] where there is none."""
        part: list[Job] = []
        weight = 0
        with self._lock:
            while weight < SLICE and (job := next(self._jobs, None)) is not None:
                part.append(job)
                location = job[0]
                weight += 1 if location.kind in INLINE else SLOW_WEIGHT
                weight += len(location.text.text) // SLICE_CHARS if location.text else 0
        return part


def _collect_worker_results(results: Results, running: int) -> Iterator[Made | None]:
    while running:
        try:
            got = results.get(timeout=TICK_S)
        except Empty:
            yield None
            continue
        if got is None:
            running -= 1
        elif isinstance(got, Exception):
            raise got
        else:
            yield from got


def _location_file_size(location: Location) -> int:
    try:
        return location.path.stat().st_size if location.path else 0
    except OSError:  # reading it says what is wrong
        return 0


def _source_end_of_crash(location: Location, status: int) -> SourceEnd:
    """The end of a source in whose reading the process died."""
    name = signal.Signals(-status).name if status < 0 else f"status {status}"
    outcome, what, cure = SIGNALS.get(name, ("damaged", f"crashed its parser ({name})", "save it again"))
    cure = f"Split it, or {cure}." if outcome != "damaged" else "Open it in its own program and save it again."
    return SourceEnd(location.uri, location.kind, "", outcome, f"{location.uri} {what}.", cure)

"""Read files in a process of its own that may die, and say how each ended."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path, PurePath
from types import FrameType

from load.bad_files import BadFile
from load.hostile_text import SECRET
from rove.errors import InputError
from rove.load import SUFFIXES
from rove.load.discover import Location, kind_of, load_documents
from rove.load.limits import OutOfTime
from rove.records import Document, Source
from rove.records.ledger import OUTCOMES

CPU_S, WALL_S = 16.0, 60.0
PEAK_MB = 1500
TEXT_FREE_CHARS, TEXT_RATIO = 1 << 24, 400


@dataclass(frozen=True, slots=True)
class Ending:
    """How the reading of one file ended: "read" or one of `OUTCOMES`; `problem` says what must not be."""

    outcome: str
    problem: str = ""
    cpu_s: float = 0.0
    peak_mb: float = 0.0


class Reader:
    """Reads one file after another in a child process, and starts another child where one dies or hangs."""

    def __init__(self) -> None:
        self.context = multiprocessing.get_context("spawn")
        self.child: multiprocessing.process.BaseProcess | None = None
        self.line: Connection | None = None

    def end_of(self, file: BadFile) -> Ending:
        if self.child is None or self.line is None:
            self.line, far = self.context.Pipe()
            self.child = self.context.Process(target=_serve, args=(far,), daemon=True)
            self.child.start()
            far.close()
        self.line.send(file)
        try:
            if self.line.poll(WALL_S):
                return self.line.recv()
            problem = f"hung for {WALL_S:.0f} s"
        except EOFError:
            self.child.join(10)
            problem = f"killed its process (exit code {self.child.exitcode})"
        self.close()
        return Ending("", problem)

    def close(self) -> None:
        if self.child is not None and self.line is not None:
            self.child.kill()
            self.child.join()
            self.line.close()
        self.child = self.line = None


def _serve(line: Connection) -> None:
    signal.signal(signal.SIGPROF, _out_of_time)
    while True:
        try:
            file = line.recv()
        except EOFError:
            return
        line.send(_ending(file))


def _out_of_time(number: int, frame: FrameType | None) -> None:
    raise OutOfTime


def _ending(file: BadFile) -> Ending:
    _reset_peak()
    began = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, CPU_S)
    outcome, problem = "read", ""
    try:
        problem = "; ".join(_problems(file))
    except InputError as error:
        outcome, problem = error.outcome, _problem_of(error)
    except OutOfTime:
        outcome = "too-slow"
    except MemoryError:
        outcome = "too-large"
    except BaseException as error:  # noqa: BLE001 - that nothing else comes out is what is tested
        outcome, problem = "", f"{type(error).__name__}: {error}"[:300]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    peak_mb = _peak_mb()
    if peak_mb > PEAK_MB:
        problem = f"{problem} took {peak_mb:.0f} MB".strip()
    return Ending(outcome, problem, time.process_time() - began, peak_mb)


def _problems(file: BadFile) -> Iterator[str]:
    path = PurePath(file.name)
    location = Location(f"/bad/{file.name}", file.name, SUFFIXES.get(path.suffix.lower(), ""), path=Path(path))
    source = Source(location.uri, location.name, file.data, kind_of(file.data, location))
    count = chars = 0
    for document in load_documents(source):
        count, chars = count + 1, chars + len(document.text)
        yield from _faults(document)
    if not count:
        yield "silently empty"
    if chars > TEXT_FREE_CHARS + TEXT_RATIO * len(file.data):
        yield f"{chars} characters of text"


def _problem_of(error: InputError) -> str:
    if error.outcome not in OUTCOMES:
        return f"outcome {error.outcome!r}"
    if not error.cure:
        return f"no cure: {error}"
    return f"a message of {len(str(error))} characters" if len(str(error)) > 4000 else ""


def _faults(document: Document) -> Iterator[str]:
    text, size = document.text, len(document.text)
    if not text.strip():
        yield "blank text"
    if SECRET in text:
        yield "read a file beside its own"
    spans = [part.span for part in (*document.sections, *document.pages, *document.blocks, *document.boxes)]
    if any(not 0 <= start <= end <= size for start, end in spans):
        yield "a span outside of the text"
    for box in document.boxes:
        if not (-0.01 <= box.left <= box.right <= 1.01 and -0.01 <= box.top <= box.bottom <= 1.01):
            yield f"a box outside of its page: {box}"
            return


def _reset_peak() -> None:
    path = Path("/proc/self/clear_refs")
    if path.exists():
        path.write_text("5", "ascii")


def _peak_mb() -> float:
    status = Path("/proc/self/status")
    lines = status.read_text("ascii").splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)

"""The reading process, `python -m rove.sandbox.child`: tasks come on standard input, what is read goes to its output.

It ends when its input ends, so that nothing of it is left when the process that started it is killed.
"""

from __future__ import annotations

import os
import sys
from select import select
from time import monotonic
from typing import BinaryIO

from rove.enrich.signature import compared_text, signatures
from rove.language.detect import load_model
from rove.load import INLINE
from rove.load.limits import OutOfTime
from rove.load.transcripts import Transcripts
from rove.prepare import Preparer, failed
from rove.records import PageRead, Prepared, Source, SourceEnd
from rove.records.moment import Speech
from rove.sandbox import RETIRED
from rove.sandbox.asking import ask, ask_speech
from rove.sandbox.jail import SourceTimer, lock, peak_bytes
from rove.sandbox.messages import Item, PipeMessage, Task, encoder, limits_of, pack, read_frame, work_of, write_frame

FRAME_BYTES = 256_000
FRAME_S = 0.1
NICENESS = 5
IDLE_S = 30.0
WORN_OUT_BYTES = 600_000_000
"""Memory that was in use at once, from which on a fresh process does better."""


class Sender:
    """Collects what was read, and sends it when it is worth a message or has waited long enough."""

    def __init__(self, pipe: BinaryIO, clock: SourceTimer) -> None:
        self.pipe = pipe
        self.clock = clock
        self.sign = False
        self.items: list[Prepared | PageRead | SourceEnd] = []
        self.ended = self.bytes = 0
        self.sent_at = monotonic()

    def add(self, item: Prepared | PageRead | SourceEnd) -> None:
        """Take one item."""
        self.items.append(item)
        if isinstance(item, SourceEnd):
            self.ended += 1
        elif isinstance(item, Prepared):
            self.bytes += 2 * len(item.document.text)
        if self.bytes > FRAME_BYTES or monotonic() - self.sent_at > FRAME_S:
            self.send()

    def send(self) -> None:
        """Send what is there. The clock stands still: the other side may be busy."""
        if self.items:
            self.clock.pause()
            write_frame(self.pipe, encoder.encode(self._packed()), ended=self.ended)
            self.clock.go_on()
        self.items, self.ended, self.bytes, self.sent_at = [], 0, 0, monotonic()

    def _packed(self) -> list[Item]:
        """Write everything down; to sign many documents at once is quicker than one by one."""
        documents = [item for item in self.items if isinstance(item, Prepared)]
        signed = iter(signatures([compared_text(item.document) for item in documents]) if self.sign else [])
        return [pack(item, next(signed, b"") if isinstance(item, Prepared) else b"") for item in self.items]


def main() -> None:
    """Work until there is no more."""
    tasks: BinaryIO = os.fdopen(0, "rb", buffering=0)  # unbuffered, so that `select` sees all that has come
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not come between two messages
    if hasattr(os, "nice"):
        os.nice(NICENESS)  # embedding goes first
    hello = read_frame(tasks)
    if hello is None:
        return
    limits = limits_of(hello.message)
    load_model()  # while what it unpacks can still be kept
    given = lock(limits)
    write_frame(out, encoder.encode(given.up))
    clock = SourceTimer(limits)
    sender = Sender(out, clock)
    while (frame := _wait_for_task_frame(tasks)) is not None:
        work = work_of(frame.message)
        preparer, sender.sign = Preparer(work.recipe), work.recipe.sign
        for task in work.tasks:
            reachable = task.path is None or given.reach.covers(task.path)
            if not reachable:
                sender.send()  # this source and those after it are for a fresh process, which sees the new folder
            if not reachable or not _read_task_source(task, preparer, sender, clock, tasks):
                sys.exit(RETIRED)
        sender.send()
        if peak_bytes() > WORN_OUT_BYTES:
            sys.exit(RETIRED)


def _wait_for_task_frame(tasks: BinaryIO) -> PipeMessage | None:
    """Wait for work, but not for ever: a process that is not needed gives its memory back."""
    if sys.platform != "win32" and not select([tasks], [], [], IDLE_S)[0]:
        sys.exit(RETIRED)
    return read_frame(tasks)


def _read_task_source(task: Task, preparer: Preparer, sender: Sender, clock: SourceTimer, tasks: BinaryIO) -> bool:
    """Read one source. False where this process is not fit for another."""
    location = task.location
    if location.kind not in INLINE:
        sender.send()  # should the parser take this process down, what came before is safe
    size = _task_file_size(task)

    def tell(digest: str, transcript: bytes, page: int, pages: int) -> None:
        """Send a page that OCR has read, and start the time anew: OCR has a limit of its own."""
        sender.add(PageRead(location.uri, digest, transcript, page, pages))
        clock.begin(size)

    def convert(source: Source) -> Source:
        """Have a file converted. The clock stands still: the converter has limits of its own."""
        sender.send()
        clock.pause()
        try:
            return ask(source, tasks, sender.pipe)
        finally:
            clock.go_on()

    def transcribe(source: Source) -> Speech:
        """Have a recording sent to the endpoint. The clock stands still, as above."""
        sender.send()
        clock.pause()
        try:
            return ask_speech(source, tasks, sender.pipe)
        finally:
            clock.go_on()

    clock.begin(size)
    outcome = ""
    transcripts = Transcripts(task.transcripts, tell, preparer.recipe.max_ocr_s, lambda: clock.begin(size))
    try:
        read = preparer.read(location, task.known, transcripts=transcripts, convert=convert, transcribe=transcribe)
        for item in read:
            if isinstance(item, SourceEnd):
                clock.end()
                outcome = item.outcome
            sender.add(item)
    except OutOfTime as error:  # not within the loader, but between two of its documents
        clock.end()
        end = failed(location, location.kind, "", error)
        outcome = end.outcome
        sender.add(end)
    if outcome in {"too-large", "too-slow"}:  # what was interrupted may have left anything behind
        sender.send()
        return False
    return True


def _task_file_size(task: Task) -> int:
    try:
        return os.stat(task.path).st_size if task.path else 0  # noqa: PTH116 - a path as text
    except OSError:  # reading it says what is wrong
        return 0


if __name__ == "__main__":
    main()

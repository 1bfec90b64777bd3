"""The journal of a run: each finished step is kept before anything follows from it, so that a crash costs one step."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import msgspec

from rove.errors import ConfigError, InputError
from rove.flow.definition import Flow, flow_json, from_json
from rove.records import Filter, History
from rove.store.flow_log import FlowLog, KeptRun
from rove.walk.json_format import filter_of, filter_to_text

ID_BYTES = 5
Status = Literal["open", "waiting", "done", "failed", "unreadable"]
"""Of a run: "open" is under way, or its process has ended; "waiting" waits for a person. Something that an "unreadable"
one has kept cannot be read."""


class Started(msgspec.Struct, frozen=True, tag="Started"):
    """The run has begun, with this flow and these inputs. `owner`: whose it is, "" of who has the base."""

    flow: str
    given: msgspec.Raw
    where: str
    history: History
    owner: str = ""


class Begun(msgspec.Struct, frozen=True, tag="Begun"):
    """A step that must not be done twice is about to be done."""

    key: str


class Finished(msgspec.Struct, frozen=True, tag="Finished"):
    """A step is done, and gave this."""

    key: str
    seconds: float
    output: msgspec.Raw


class Failed(msgspec.Struct, frozen=True, tag="Failed"):
    """A step has failed, and the run goes on without it."""

    key: str
    reason: str


class Asked(msgspec.Struct, frozen=True, tag="Asked"):
    """A step waits for a person."""

    key: str
    question: str
    options: tuple[str, ...] = ()


class Replied(msgspec.Struct, frozen=True, tag="Replied"):
    """A person has answered."""

    key: str
    text: str


class Ended(msgspec.Struct, frozen=True, tag="Ended"):
    """The run has ended; one that failed can be resumed."""

    status: Literal["done", "failed"]
    reason: str = ""


class Erased(msgspec.Struct, frozen=True, tag="Erased"):
    """Here stood what rested on a document that was erased; a step that gave it is done again."""


Entry = Started | Begun | Finished | Failed | Asked | Replied | Ended | Erased
_DECODER = msgspec.json.Decoder(Entry)


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What a list of runs shows of one."""

    run_id: str
    flow: str
    status: Status
    steps: int
    started_at: str
    updated_at: str
    waiting: tuple[str, ...] = ()
    owner: str = ""
    question: str = ""
    """The first text that it was given."""


@dataclass
class Journal:
    """A run's events: what is finished, who was asked what, and what was answered. Without a `log` nothing is kept."""

    log: FlowLog | None
    run_id: str
    entries: list[Entry] = field(default_factory=list["Entry"])
    finished: dict[str, Finished] = field(default_factory=dict[str, Finished])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    begun: set[str] = field(default_factory=set[str])
    replies: dict[str, str] = field(default_factory=dict[str, str])
    asked: dict[str, Asked] = field(default_factory=dict[str, Asked])

    def __post_init__(self) -> None:
        self._lock = asyncio.Lock()
        self._keeping: set[asyncio.Task[None]] = set()
        held, self.entries = self.entries, []
        for entry in held:
            self._take(entry)

    @property
    def started(self) -> Started:
        """How the run began.

        Raises:
            InputError: the journal has lost its beginning.
        """
        first = self.entries[0] if self.entries else None
        if isinstance(first, Started):
            return first
        message = f"The run {self.run_id} does not begin with its beginning."
        raise InputError(message, cure=f"Forget it: rove flow forget {self.run_id}")

    @property
    def waiting(self) -> tuple[Asked, ...]:
        """What is asked, and not yet answered."""
        return tuple(one for key, one in self.asked.items() if key not in self.replies)

    @property
    def status(self) -> Status:
        """How the run stands."""
        last = self.entries[-1] if self.entries else None
        if isinstance(last, Ended):
            return last.status
        return "waiting" if self.waiting and not isinstance(last, Replied) else "open"

    async def keep(self, *entries: Entry) -> None:
        """Keep what happened; when this returns, it is on the disk. It is kept whole, though the step is cancelled."""
        keeping = asyncio.create_task(self._keep(entries))
        self._keeping.add(keeping)
        keeping.add_done_callback(self._keeping.discard)
        await asyncio.shield(keeping)

    async def _keep(self, entries: Sequence[Entry]) -> None:
        async with self._lock:
            if self.log is not None:
                lines = [msgspec.json.encode(entry).decode() for entry in entries]
                await asyncio.to_thread(self.log.append, self.run_id, len(self.entries) + 1, lines)
            for entry in entries:
                self._take(entry)

    def _take(self, entry: Entry) -> None:
        self.entries.append(entry)
        match entry:
            case Begun(key):
                self.begun.add(key)
                self.asked.pop(confirm_key(key), None)
                self.replies.pop(confirm_key(key), None)
            case Finished(key):
                self.finished[key] = entry
            case Failed(key, reason):
                self.failed[key] = reason
            case Asked(key):
                self.asked[key] = entry
                self.replies.pop(key, None)
            case Replied(key, text):
                self.replies[key] = text
            case _:
                return


def confirm_key(key: str) -> str:
    """Name the question whether a step may be done.

    >>> confirm_key("paid")
    'paid?'
    """
    return f"{key}?"


async def begun(
    log: FlowLog | None,
    flow: Flow,
    given: Mapping[str, object],
    where: Filter | None,
    history: History,
    owner: str = "",
) -> Journal:
    """Begin the journal of a new run."""
    journal = Journal(log, secrets.token_hex(ID_BYTES))
    raw = msgspec.Raw(msgspec.json.encode(given))
    await journal.keep(Started(flow_json(replace(flow, text="")), raw, filter_to_text(where), history, owner))
    return journal


def journal_of(log: FlowLog, name: str) -> Journal:
    """Read the journal of a run; `name` as in `FlowLog.named`. Blocks.

    Raises:
        InputError: there is no such run, or it cannot be read.
    """
    run_id = log.named(name)
    return Journal(log, run_id, _decode_journal_entries(run_id, log.events(run_id)))


def flow_in(started: Started) -> Flow:
    """Return the flow of a run, as it was when it began."""
    return from_json(started.flow)


def where_in(started: Started) -> Filter | None:
    """Return the filter of a run."""
    return filter_of(started.where)


def infos(log: FlowLog) -> Iterator[RunInfo]:
    """List runs, the latest first, each read when it is asked for. Blocks."""
    return map(partial(_run_info_from_log, log), log.listed())


def run_info(log: FlowLog, run_id: str) -> RunInfo | None:
    """What a list shows of the run of this id, None where there is none. Blocks."""
    run = log.get(run_id)
    return _run_info_from_log(log, run) if run else None


def _run_info_from_log(log: FlowLog, run: KeptRun) -> RunInfo:
    lines = log.events(run.run_id)
    try:
        return _run_info_from_journal(run, Journal(log, run.run_id, _decode_journal_entries(run.run_id, lines)))
    except (InputError, ConfigError, msgspec.MsgspecError):
        return _unreadable_run_info(run, lines)


def _unreadable_run_info(run: KeptRun, lines: Sequence[str]) -> RunInfo:
    """What a list shows of a run of which something cannot be read: whose it is, and of which flow, if that can be."""
    name = owner = ""
    with suppress(InputError, ConfigError, msgspec.MsgspecError):
        started = Journal(None, run.run_id, _decode_journal_entries(run.run_id, lines[:1])).started
        owner = started.owner
        name = flow_in(started).name
    return RunInfo(run.run_id, name, "unreadable", 0, run.started_at, run.updated_at, owner=owner)


def _run_info_from_journal(run: KeptRun, journal: Journal) -> RunInfo:
    name = flow_in(journal.started).name
    asked = tuple(one.question for one in journal.waiting)
    steps, owner = len(journal.finished), journal.started.owner
    given = msgspec.json.decode(journal.started.given, type=dict[str, object])
    question = next((value for value in given.values() if isinstance(value, str) and value), "")
    times = run.started_at, run.updated_at
    return RunInfo(run.run_id, name, journal.status, steps, *times, asked, owner, question)


def _decode_journal_entries(run_id: str, lines: Sequence[str]) -> list[Entry]:
    try:
        return [_DECODER.decode(line) for line in lines]
    except msgspec.MsgspecError as error:
        message = f"The run {run_id} cannot be read: {error}."
        raise InputError(message, cure="It was made by another version of Rove. Run the flow anew.") from error

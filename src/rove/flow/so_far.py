"""How a run that is kept stands: what became of each step, and what comes out; read from its journal, nothing runs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rove.engine import AsyncRove
from rove.errors import InputError
from rove.flow.check import checked
from rove.flow.flow_events import StepWaits
from rove.flow.flow_plan import INPUT, FlowPlan, refused
from rove.flow.journal import Ended, Erased, Journal, Status, flow_in, journal_of
from rove.flow.json_values import from_json
from rove.flow.reference import Reference, part_of, resolved
from rove.flow.step import failed_step
from rove.store.flow_log import FlowLog

KEY = re.compile(r"(\w+?)(?:@(\d+))?(?:#(\d+))?")


@dataclass(frozen=True, slots=True)
class StepSoFar:
    """What became of a step, by its key. `value`: what it gave, None where it is not finished."""

    key: str
    state: Literal["finished", "failed"]
    seconds: float = 0.0
    reason: str = ""
    value: object = None


@dataclass(frozen=True, slots=True)
class RunSoFar:
    """A run as it stands. `reason`: why it failed; `erased`: something of it was erased with a document."""

    run_id: str
    status: Status
    plan: FlowPlan
    given: Mapping[str, object]
    steps: tuple[StepSoFar, ...]
    waiting: tuple[StepWaits, ...]
    output: Mapping[str, object]
    reason: str
    erased: bool


async def so_far(kb: AsyncRove, name: str) -> RunSoFar:
    """Read how a run stands; `name`: its id, the beginning of it, or "last".

    Raises:
        ConfigError: its flow cannot be read by this version.
        InputError: there is no such run, or what it has kept cannot be read.
    """
    return await asyncio.to_thread(_read_run_so_far, FlowLog(kb.store.catalog.database), name)


def _read_run_so_far(log: FlowLog, name: str) -> RunSoFar:
    journal = journal_of(log, name)
    plan, problems = checked(flow_in(journal.started))
    if problems:
        raise refused(plan.flow, problems)
    given = from_json(journal.started.given, dict[str, object])
    last = journal.entries[-1]
    reason = last.reason if isinstance(last, Ended) else ""
    steps = _steps_so_far(journal, plan, reason)
    values = _latest_step_values(plan, steps)

    def value(reference: Reference) -> object:
        return part_of(given if reference.root == INPUT else values.get(reference.root), reference.path)

    return RunSoFar(
        journal.run_id,
        journal.status,
        plan,
        given,
        steps,
        tuple(StepWaits(one.key, one.question, one.options) for one in journal.waiting),
        {name: resolved(one, value) for name, one in plan.output.items()} if journal.status == "done" else {},
        reason,
        any(isinstance(entry, Erased) for entry in journal.entries),
    )


def _steps_so_far(journal: Journal, plan: FlowPlan, reason: str) -> tuple[StepSoFar, ...]:
    found = [
        StepSoFar(key, "finished", one.seconds, value=from_json(one.output, plan.nodes[parts(key)[0]].operator.output))
        for key, one in journal.finished.items()
    ]
    found += [StepSoFar(key, "failed", reason=why) for key, why in journal.failed.items()]
    if (key := failed_step(reason)) and parts(key)[0] in plan.nodes:
        found.append(StepSoFar(key, "failed", reason=reason))
    return tuple(found)


def _latest_step_values(plan: FlowPlan, steps: tuple[StepSoFar, ...]) -> Mapping[str, object]:
    """What each step gave at last: of a loop in its last round, of a step with `each` the list."""
    rounds: dict[str, int] = {}
    for step in steps:
        name, number, _ = parts(step.key)
        owner = plan.owner[name]
        rounds[owner] = max(number, rounds.get(owner, 0))
    values: dict[str, object] = {}
    elements: dict[str, dict[int, object]] = {}
    for step in steps:
        name, number, place = parts(step.key)
        if step.state != "finished" or number != rounds[plan.owner[name]]:
            continue
        if place is None:
            values[name] = step.value
        else:
            elements.setdefault(name, {})[place] = step.value
    listed = {name: tuple(found[place] for place in sorted(found)) for name, found in elements.items()}
    return {**values, **listed}


def parts(key: str) -> tuple[str, int, int | None]:
    """Take the key of a step apart: its name, the round, 0 outside of loops, and the place of the element.

    Raises:
        InputError: it is no key.

    >>> parts("found"), parts("found@2#0")
    (('found', 0, None), ('found', 2, 0))
    """
    found = KEY.fullmatch(key)
    if found is None:
        message = f"{key!r} is not a key of a step."
        raise InputError(message, cure="Forget the run, and run the flow anew.")
    name, number, place = found.groups()
    return name, int(number or 0), None if place is None else int(place)

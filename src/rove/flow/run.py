"""Runs of flows: begun, resumed, listed, forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from rove.engine import AsyncRove
from rove.errors import InputError, RoveError, ServiceError
from rove.events import note
from rove.flow.check import checked
from rove.flow.definition import TYPES, Flow
from rove.flow.flow_events import FlowListener, RunBegun, StepTold, StepWaits, unheard
from rove.flow.flow_plan import FlowPlan, refused
from rove.flow.inputs import inputs_of
from rove.flow.journal import (
    Ended,
    Journal,
    Replied,
    RunInfo,
    Status,
    begun,
    flow_in,
    infos,
    journal_of,
    where_in,
)
from rove.flow.json_values import from_json
from rove.flow.operator import START, FlowContext
from rove.flow.reference import resolved
from rove.flow.scope import Scope, Work
from rove.flow.there import lacking, there_of
from rove.records import Filter, History
from rove.store.flow_log import FlowLog
from rove.tracing import operation

TOO_LONG = "The flow {name!r} took more than {seconds:g} s."


@dataclass(frozen=True, slots=True)
class FlowRun:
    """A run as it stands: "done" with its `output`, or "waiting" for people to answer what is asked of them.

    What is not there (a step was skipped) stands as None in `output`.
    """

    run_id: str
    status: Status
    output: Mapping[str, object] = field(default_factory=dict[str, object])
    waiting: tuple[StepWaits, ...] = ()
    kept: bool = True
    """Whether the base keeps it, so that it is found in the list."""


async def run(
    kb: AsyncRove,
    flow: Flow,
    given: Mapping[str, object],
    *,
    where: Filter | None = None,
    history: History = START,
    listener: FlowListener = unheard,
    keep: bool = True,
    owner: str = "",
) -> FlowRun:
    """Check a flow, and run it.

    Args:
        kb: an open base.
        flow: what to run.
        given: its inputs by name.
        where: a filter that holds at every step.
        history: the conversation that it stands in.
        listener: told of each step.
        keep: whether the run is kept in the base, so that it can be resumed; without, no step can wait for a person.
        owner: whose run it is, which is kept with it; see `RunInfo.owner`.

    Raises:
        ConfigError: something is wrong in the flow.
        InputError: an input is missing or wrong.
        ServiceError: a step failed, or the run took too long.
    """
    plan = _valid_flow_plan(flow)
    values = inputs_of(flow, given)
    await _check_there(kb, plan, values)
    journal = await begun(_log(kb) if keep else None, flow, values, where, history, owner)
    note(await kb.notes_on(where), lambda event: listener(StepTold("", event)))
    return await _execute_flow_plan(kb, plan, journal, values, (where, history), listener)


async def resume(
    kb: AsyncRove,
    name: str = "last",
    replies: Mapping[str, str] | None = None,
    *,
    flow: Flow | None = None,
    listener: FlowListener = unheard,
) -> FlowRun:
    """Go on with a run that waited, failed, or whose process was killed; no finished step is done again.

    Args:
        kb: the base that keeps it.
        name: its id, the beginning of it, or "last".
        replies: what people have answered, by the keys of the steps that asked.
        flow: the flow, where it was written in Python and holds functions; else it is read from the run.
        listener: told of each step.

    Raises:
        ConfigError: the flow holds functions, and was not given.
        InputError: there is no such run, it is done, or nobody asked what is answered.
        ServiceError: a step failed, or the run took too long.
    """
    journal = await asyncio.to_thread(journal_of, _log(kb), name)
    if journal.status == "done":
        message = f"The run {journal.run_id} is done."
        raise InputError(message, cure="Run the flow anew.")
    asked = {one.key for one in journal.waiting}
    for key in replies or {}:
        if key not in asked:
            message = f"Nobody waits for an answer to {key!r}."
            raise InputError(message, cure=f"Asked is: {', '.join(sorted(asked)) or 'nothing'}.")
    plan = _valid_flow_plan(flow or flow_in(journal.started))
    started = journal.started
    kinds = {name: TYPES[spec.type] for name, spec in plan.flow.input.items()}
    held = from_json(started.given, dict[str, object])
    values = inputs_of(plan.flow, {name: value for name, value in held.items() if name in kinds})
    await _check_there(kb, plan, values)
    if replies:
        await journal.keep(*(Replied(key, text) for key, text in replies.items()))
    return await _execute_flow_plan(kb, plan, journal, values, (where_in(started), started.history), listener)


async def runs(kb: AsyncRove) -> list[RunInfo]:
    """List the runs that the base keeps, the latest first."""
    return await asyncio.to_thread(lambda: list(infos(_log(kb))))


async def forget(kb: AsyncRove, name: str) -> str:
    """Delete a run and all that it has kept; returns its id.

    Raises:
        InputError: there is no such run.
    """
    run_id = await asyncio.to_thread(_log(kb).named, name)
    await asyncio.to_thread(_log(kb).forget, run_id)
    return run_id


async def _execute_flow_plan(
    kb: AsyncRove,
    plan: FlowPlan,
    journal: Journal,
    values: Mapping[str, object],
    within: tuple[Filter | None, History],
    listener: FlowListener,
) -> FlowRun:
    context = FlowContext(kb, *within)
    work = Work(plan, context, journal, values, listener)
    top = Scope(work, plan.top)
    flow = plan.flow
    if journal.log is not None:
        listener(RunBegun(journal.run_id))
    try:
        with operation("flow", flow=flow.name, steps=len(plan.nodes)) as going:
            async with asyncio.timeout(flow.seconds):
                await top.run()
            going.tell(finished=len(journal.finished), waiting=len(journal.waiting))
    except TimeoutError as error:
        late = ServiceError(TOO_LONG.format(name=flow.name, seconds=flow.seconds), cure="Resume it, or raise seconds.")
        await journal.keep(Ended("failed", late.reason))
        raise late from error
    except RoveError as error:
        await journal.keep(Ended("failed", error.reason))
        raise
    if top.blocked:
        return _flow_run_that_waits(journal)
    output = {name: resolved(value, top.outside) for name, value in plan.output.items()}
    await journal.keep(Ended("done"))
    return FlowRun(journal.run_id, "done", output, kept=journal.log is not None)


def _flow_run_that_waits(journal: Journal) -> FlowRun:
    if journal.log is None:
        message = f"A person is asked ({journal.waiting[0].question!r}), and the run is not kept until an answer comes."
        raise InputError(message, cure="Run it with keep=True.")
    asked = tuple(StepWaits(one.key, one.question, one.options) for one in journal.waiting)
    return FlowRun(journal.run_id, "waiting", waiting=asked)


def _valid_flow_plan(flow: Flow) -> FlowPlan:
    plan, problems = checked(flow)
    if problems:
        raise refused(flow, problems)
    return plan


async def _check_there(kb: AsyncRove, plan: FlowPlan, values: Mapping[str, object]) -> None:
    there = await there_of(kb, plan)
    if problems := lacking(plan, there, values):
        error = refused(plan.flow, problems)
        raise error if lacking(plan, there) else InputError(error.reason, cure=error.cure)


def _log(kb: AsyncRove) -> FlowLog:
    return FlowLog(kb.store.catalog.database)

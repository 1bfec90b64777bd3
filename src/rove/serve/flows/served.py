"""The flows that a server offers, and what of their results is told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from rove.errors import ConfigError
from rove.events import TextDelta
from rove.flow import Flow, FlowRun, checked, read_flow
from rove.flow.definition import SUFFIXES
from rove.flow.flow_events import (
    FlowEvent,
    RunBegun,
    StepFailed,
    StepFinished,
    StepSkipped,
    StepStarted,
    StepTold,
    StepWaits,
)
from rove.flow.flow_plan import FlowPlan
from rove.flow.so_far import RunSoFar
from rove.records import Answer, Hit
from rove.serve.flows.schema import (
    FlowOut,
    FlowRunOut,
    FlowRunSoFarOut,
    Output,
    RunBegunOut,
    StepOut,
    StepSoFarOut,
    WaitsOut,
)
from rove.serve.flows.step_values import step_value
from rove.serve.problems import AbsentError
from rove.serve.questions.results import AnswerOut, HitOut
from rove.serve.questions.schema import Delta
from rove.serve.redaction import public_source
from rove.tools.hiding import Hide

ERASED = "Parts of this run were erased together with a document that they rest on."
_PLACE = re.compile(r"/|[A-Za-z]:\\|upload:")


def served(folder: str) -> dict[str, Flow]:
    """Return the flows of a folder by their files' names, without those that change something or are wrong. Blocks."""
    return {name: plan.flow for name, plan in served_plans(folder).items()}


def served_plans(folder: str) -> dict[str, FlowPlan]:
    """Return the same flows, ready to run. Blocks."""
    found: dict[str, FlowPlan] = {}
    for file in sorted(Path(folder).iterdir()) if folder and Path(folder).is_dir() else ():
        if file.suffix not in SUFFIXES:
            continue
        try:
            flow = read_flow(file)
        except ConfigError:  # whoever wrote it is told by `rove flow check`
            continue
        plan, problems = checked(flow)
        if not problems and not flow.writes and all(n.operator.effects == "none" for n in plan.nodes.values()):
            found[file.stem] = plan
    return found


def served_flow(folder: str, name: str) -> Flow:
    """Return the flow of that name. Blocks.

    Raises:
        AbsentError: there is none that is served.
    """
    flows = served(folder)
    if name not in flows:
        message = f"There is no flow {name!r}."
        raise AbsentError(message, cure=f"Choose one of: {', '.join(flows) or 'none is served'}.")
    return flows[name]


def run_of(done: FlowRun) -> FlowRunOut:
    """Return what is told of a run.

    Raises:
        ConfigError: something in it is neither an answer, nor passages, texts and numbers.
    """
    return FlowRunOut(
        output={name: _to_flow_output(name, value) for name, value in done.output.items()},
        status=done.status,
        run_id=done.run_id if done.kept else "",
        waiting=[WaitsOut(key=one.key, question=one.question, options=list(one.options)) for one in done.waiting],
    )


def run_so_far(run: RunSoFar, hide: Hide, withheld: str = "") -> FlowRunSoFarOut:
    """Return what is told of a run that is kept; `withheld`: why nothing is told of what its steps gave, or ""."""
    output: Mapping[str, object] = {} if withheld else run.output
    return FlowRunSoFarOut(
        run_id=run.run_id,
        flow=FlowOut.of(run.plan.flow.name, run.plan),
        status=run.status,
        given=cast("dict[str, JsonValue]", dict(run.given)),
        steps=[
            StepSoFarOut(
                key=one.key,
                state=one.state,
                seconds=one.seconds,
                reason="" if withheld else one.reason,
                output=None if withheld else step_value(one.value, hide),
            )
            for one in run.steps
        ],
        waiting=[WaitsOut(key=one.key, question=one.question, options=list(one.options)) for one in run.waiting],
        output={name: _to_flow_output(name, value) for name, value in output.items()},
        reason="" if withheld else run.reason,
        note=withheld or (ERASED if run.erased else ""),
    )


def event_of(event: FlowEvent) -> tuple[str, RunBegunOut | StepOut | Delta] | None:
    """Return what is told of an event, and under which name; None where nothing is."""
    match event:
        case RunBegun(run_id):
            return "run", RunBegunOut(run_id=run_id)
        case StepStarted(key):
            return "step", StepOut(key=key, state="started")
        case StepFinished(key, seconds):
            return "step", StepOut(key=key, state="finished", seconds=seconds)
        case StepSkipped(key, reason):
            return "step", StepOut(key=key, state="skipped", reason=reason)
        case StepFailed(key, reason):
            return "step", StepOut(key=key, state="failed", reason=reason)
        case StepWaits(key):
            return "step", StepOut(key=key, state="waits")
        case StepTold(_, TextDelta(text)):
            return "delta", Delta(text=text)
        case _:
            return None


def _to_flow_output(name: str, value: object) -> Output:
    match value:
        case Answer():
            return AnswerOut.of(value)
        case Hit():
            return HitOut.of(value)
        case str():
            return public_source(value) if _PLACE.match(value) else value
        case None | bool() | int() | float():
            return value
        case tuple() | list():
            found = [_to_flow_output(name, one) for one in cast("Sequence[object]", value)]
            return cast("Output", found if all(isinstance(one, HitOut) for one in found) else to_jsonable_python(found))
        case _:
            message = f"The output {name!r} is a {type(value).__name__}, which is not told over HTTP."
            raise ConfigError(message, cure="Let the flow give an answer, passages, texts or numbers.")

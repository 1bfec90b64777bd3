"""The flows that a server offers, and what of their results is told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from rove.errors import ConfigError
from rove.events import TextDelta
from rove.flow import Flow, FlowRun, checked, read_flow
from rove.flow.definition import SUFFIXES
from rove.flow.flow_events import FlowEvent, StepFailed, StepFinished, StepSkipped, StepStarted, StepTold, StepWaits
from rove.records import Answer, Hit
from rove.serve.flows.schema import FlowRunOut, Output, StepOut, WaitsOut
from rove.serve.problems import AbsentError
from rove.serve.questions.results import AnswerOut, HitOut
from rove.serve.questions.schema import Delta
from rove.serve.redaction import public_source

_PLACE = re.compile(r"/|[A-Za-z]:\\|upload:")


def served(folder: str) -> dict[str, Flow]:
    """Return the flows of a folder by their files' names, without those that change something or are wrong. Blocks."""
    found: dict[str, Flow] = {}
    for file in sorted(Path(folder).iterdir()) if folder else ():
        if file.suffix not in SUFFIXES:
            continue
        try:
            flow = read_flow(file)
        except ConfigError:  # whoever wrote it is told by `rove flow check`
            continue
        plan, problems = checked(flow)
        if not problems and not flow.writes and all(n.operator.effects == "none" for n in plan.nodes.values()):
            found[file.stem] = flow
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
        output={name: _told(name, value) for name, value in done.output.items()},
        status=done.status,
        run_id=done.run_id if done.kept else "",
        waiting=[WaitsOut(key=one.key, question=one.question, options=list(one.options)) for one in done.waiting],
    )


def event_of(event: FlowEvent) -> tuple[str, StepOut | Delta] | None:
    """Return what is told of an event, and under which name; None where nothing is."""
    match event:
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


def _told(name: str, value: object) -> Output:
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
            return cast("Output", [_told(name, one) for one in cast("Sequence[object]", value)])
        case _:
            message = f"The output {name!r} is a {type(value).__name__}, which is not told over HTTP."
            raise ConfigError(message, cure="Let the flow give an answer, passages, texts or numbers.")

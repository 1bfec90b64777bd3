"""A flow that is being written: all that is wrong with it, where in the text, and its picture as far as it goes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace

from rove.engine import AsyncRove
from rove.errors import ConfigError, InputError
from rove.flow import Flow, checked
from rove.flow.definition import flow_of
from rove.flow.flow_plan import FlowPlan, Problem
from rove.flow.operator import OPERATORS, operator_named
from rove.flow.there import There, lacking
from rove.serve.flows.editing_schema import MOST_TEXT_BYTES, FaultOut, FlowCheckOut, StepLinesOut
from rove.serve.flows.flow_text import flow_tables, line_of
from rove.serve.flows.schema import FlowOut, FlowStepOut
from rove.serve.problems import TooLargeError

MOST_STEPS = 200
MOST_DOTS = 1_000
"""In one line: the reader of TOML takes minutes for tens of thousands."""
MOST_SAID = 400
TOO_DEEP = "It is nested too deeply, or a line of it is too long, to be read."
_PLACE = re.compile(r"(?:steps|loops|input|output)[\w.-]*(?=[ ,])")
_LINE = re.compile(r"at line (\d+)")
_REFERENCE = re.compile(r"\$([a-z]\w*)")
_WORD = re.compile(r"[a-z]\w*")


def check_flow_length(text: str) -> None:
    """Raise `TooLargeError` for a text that is too long."""
    if len(text.encode()) > MOST_TEXT_BYTES:
        message = f"The flow has more than {MOST_TEXT_BYTES} bytes."
        raise TooLargeError(message, cure="Split it into several flows.")


def drafted(text: str, name: str, kb: AsyncRove) -> tuple[FlowCheckOut, Flow | None]:
    """Check a text; returns what is told of it, and the flow, where nothing is wrong. Blocks."""
    check_flow_length(text)
    if max(line.count(".") for line in text.split("\n")) > MOST_DOTS:
        return _flow_check_out(text, [Problem("", TOO_DEEP, "Write it in smaller steps.")], (), None), None
    source = f"{name or 'new'}.toml"
    try:
        flow = flow_of(text, source)
        if max(len(flow.steps), len(flow.loops), len(flow.input), len(flow.output)) > MOST_STEPS:
            problems = [Problem("steps", f"It has more than {MOST_STEPS} steps.", "Split it into several flows.")]
            return _flow_check_out(text, problems, (), None), None
        plan, problems = checked(replace(flow, writes=True))
        problems += _changes(flow, plan)
        lacks = _lacks(kb, plan) if not problems else []
        picture = FlowOut.drawn(source, flow, sketched(flow)) if problems else FlowOut.of(source, plan)
    except ConfigError as error:
        return _flow_check_out(text, [_problem_from_config_error(error, source)], (), None), None
    except (RecursionError, MemoryError):
        return _flow_check_out(text, [Problem("", TOO_DEEP, "Write it in smaller steps.")], (), None), None
    return _flow_check_out(text, problems, lacks, picture), None if problems else flow


def right(text: str, name: str, kb: AsyncRove) -> Flow:
    """Return the flow of a text that nothing is wrong with. Blocks.

    Raises:
        InputError: something is.
    """
    told, flow = drafted(text, name, kb)
    if flow is None:
        first = told.faults[0]
        message = "The flow has faults."
        raise InputError(message, cure=f"{first.place}: {first.reason} {first.cure}")
    return flow


def _changes(flow: Flow, plan: FlowPlan) -> list[Problem]:
    """What keeps a flow from being served: it may change something."""
    cure = "Run it on the command line with: rove flow run"
    found = [Problem("writes", "A flow that may change something is not served.", cure)] if flow.writes else []
    for node in plan.nodes.values():
        if node.operator.effects != "none":
            used = node.operator.name
            reason = f"{used!r} changes something; such flows are not served."
            found.append(Problem(f"steps.{node.name}", reason, cure))
    return found


def _lacks(kb: AsyncRove, plan: FlowPlan) -> list[Problem]:
    """What the base has not; tools are not looked for: their sources may be far away."""
    nodes = {name: node for name, node in plan.nodes.items() if "tools" not in node.operator.needs}
    there = There(kb.chat_model() is not None, tuple(kb.settings.databases))
    return lacking(replace(plan, nodes=nodes), there)


def _problem_from_config_error(error: ConfigError, source: str) -> Problem:
    reason = error.reason.removeprefix(f"{source}: ").removeprefix(f"{source} ")
    place = _PLACE.match(reason)
    return Problem(place[0] if place else "", reason, error.cure)


def _flow_check_out(
    text: str, problems: Iterable[Problem], lacks: Iterable[Problem], flow: FlowOut | None
) -> FlowCheckOut:
    lines = [
        StepLinesOut(name=one.name.removeprefix("steps."), first=one.first, last=one.last)
        for one in flow_tables(text)
        if one.name.startswith("steps.")
    ]
    steps = {one.name for one in lines}

    def fault(one: Problem) -> FaultOut:
        parts = one.place.split(".")
        step = parts[1] if parts[0] == "steps" and len(parts) > 1 else one.place if one.place in steps else ""
        said = _LINE.search(one.reason) if not one.place else None
        line = int(said[1]) if said else line_of(text, one.place)
        if not one.place and "end of document" in one.reason:
            line = text.count("\n") + 1
        return FaultOut(
            place=one.place[:MOST_SAID],
            step=step,
            line=line,
            reason=_shorten_fault_text(one.reason, one.place),
            cure=_shorten_fault_text(one.cure.removesuffix(" List operators with: rove flow operators")),
        )

    return FlowCheckOut(
        faults=[fault(one) for one in problems], lacks=[fault(one) for one in lacks], flow=flow, lines=lines
    )


def _shorten_fault_text(text: str, place: str = "") -> str:
    text = text if place and text.startswith(place) else text[:1].upper() + text[1:]
    return text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]} …"


def sketched(flow: Flow) -> list[FlowStepOut]:
    """Return the steps as they are drawn while something is wrong: what they name is taken for what they wait for."""
    names = {step.name for step in flow.steps}
    loop_of = {step: loop for loop in flow.loops for step in loop.steps}
    before: dict[str, set[str]] = {}
    back: dict[str, set[str]] = {}
    for step in flow.steps:
        words = _REFERENCE.findall(json.dumps([dict(step.given), step.each], default=str)) + _WORD.findall(step.when)
        meant, loop = set(words) & names, loop_of.get(step.name)
        behind = loop.steps[loop.steps.index(step.name) :] if loop else ()
        back[step.name] = {one for one in meant if one in behind}
        before[step.name] = meant - back[step.name] - {step.name}
    rows = _step_graph_rows(before)
    return [
        FlowStepOut(
            name=step.name,
            use=str(step.use)[:100],
            about=operator_named(step.use).about if step.use in OPERATORS.names() else "",
            row=rows[step.name],
            before=sorted(before[step.name]),
            back=sorted(back[step.name]),
            loop=loop_of[step.name].name if step.name in loop_of else "",
            when=step.when,
            each=bool(step.each),
        )
        for step in sorted(flow.steps, key=lambda one: rows[one.name])
    ]


def _step_graph_rows(before: dict[str, set[str]]) -> dict[str, int]:
    """The row of each step; a circle is cut where it is met again."""
    rows: dict[str, int] = {}

    def placed(name: str) -> int:
        if name not in rows:
            rows[name] = 0
            rows[name] = 1 + max((placed(one) for one in before[name]), default=-1)
        return rows[name]

    for name in before:
        placed(name)
    return rows

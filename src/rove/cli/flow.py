"""`rove flow`: flows listed, shown, checked, run and resumed; who is asked something answers in the terminal."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Mapping
from typing import Any

import click

from rove.cli.ask import show_answer
from rove.cli.output import escape_markup
from rove.cli.session import Session
from rove.engine import AsyncRove
from rove.errors import ConfigError, InputError, count_text
from rove.events import TextDelta
from rove.flow import FlowRun, checked, forget, read_flow, resume, run, runs, templates
from rove.flow.flow_events import (
    FlowEvent,
    StepFailed,
    StepFinished,
    StepSkipped,
    StepStarted,
    StepTold,
    StepWaits,
)
from rove.flow.flow_plan import FlowPlan, Problem, refused
from rove.flow.operator import OPERATORS, operator_named
from rove.flow.picture import as_lines, as_mermaid, as_svg
from rove.flow.there import lacking, there_of
from rove.flow.value_types import type_name
from rove.records import Answer
from rove.retrieve.condition import parse_where
from rove.settings import read_settings
from rove.store.home import home_of

WAITING = 3
WHERE = click.option("--where", "-w", multiple=True, metavar="NAME=VALUE", help="Only where this holds, at every step.")


def list_(session: Session) -> None:
    """Run `rove flow list`."""
    found = {name: read_flow(name) for name in templates()}
    if session.output.as_json:
        session.output.json({name: one.about for name, one in found.items()})
        return
    session.output.table(
        ["flow", "takes", "what it does"], [(n, ", ".join(f.input), f.about) for n, f in found.items()]
    )


def operators(session: Session) -> None:
    """Run `rove flow operators`."""
    found = [operator_named(name) for name in OPERATORS.names()]
    rows = [
        (
            one.name,
            ", ".join(name if kind.required else f"[{name}]" for name, kind in one.inputs.items()),
            type_name(one.output),
            one.about,
        )
        for one in found
    ]
    if session.output.as_json:
        session.output.json([dict(zip(("name", "takes", "gives", "about"), row, strict=True)) for row in rows])
        return
    session.output.table(["operator", "takes", "gives", "what it does"], rows)


def show(session: Session, name: str, mermaid: bool, svg: bool, source: bool) -> None:
    """Run `rove flow show`."""
    found = read_flow(name)
    if source:
        sys.stdout.write(found.text)
        return
    plan, problems = checked(found)
    if problems:
        raise refused(found, problems)
    if mermaid or svg:
        sys.stdout.write(as_mermaid(plan) if mermaid else as_svg(plan))
        return
    for line in as_lines(plan):
        session.output.line(line)


def check(session: Session, name: str) -> int:
    """Run `rove flow check`."""
    found = read_flow(name)
    plan, problems = checked(found)
    if not problems:
        problems = asyncio.run(_unmet_flow_needs(session, plan))
    if session.output.as_json:
        session.output.json(problems)
    for one in problems if not session.output.as_json else ():
        session.output.marked(
            f"[bold]{escape_markup(found.source)}: {escape_markup(one.place)}[/]: {escape_markup(one.reason)}"
        )
        session.output.marked(f"[green]→[/] {escape_markup(one.cure)}")
    if not problems and not session.output.as_json:
        session.output.line(f"{found.source}: {count_text(len(found.steps), 'step')}, nothing wrong.")
    return 1 if problems else 0


def run_(session: Session, name: str, inputs: tuple[str, ...], where: tuple[str, ...]) -> int:
    """Run `rove flow run`."""
    found, condition = read_flow(name), parse_where(where)
    given = _parse_flow_values(inputs, list(found.input))
    view = _View(session)

    async def go() -> int:
        async with _open_flow_base(session, create=found.writes) as kb:
            return await _on(session, kb, await run(kb, found, given, where=condition, listener=view.hear), view)

    return _run_flow_coroutine(go())


def resume_(session: Session, name: str, reply: tuple[str, ...]) -> int:
    """Run `rove flow resume`."""
    view = _View(session)
    replies = {key: str(value) for key, value in _parse_flow_values(reply, []).items()}

    async def go() -> int:
        async with _open_flow_base(session) as kb:
            return await _on(session, kb, await resume(kb, name, replies, listener=view.hear), view)

    return _run_flow_coroutine(go())


def runs_(session: Session) -> None:
    """Run `rove flow runs`."""

    async def go() -> None:
        async with _open_flow_base(session) as kb:
            found = await runs(kb)
        if session.output.as_json:
            session.output.json(found)
            return
        rows = [(i.run_id, i.flow, i.status, i.steps, i.updated_at, " ".join(i.waiting)) for i in found]
        none = "No run is kept. Begin one with: rove flow run FLOW"
        session.output.table(["id", "flow", "status", "steps", "last", "asks"], rows, none)

    return _run_flow_coroutine(go())


def forget_(session: Session, name: str) -> None:
    """Run `rove flow forget`."""

    async def go() -> None:
        async with _open_flow_base(session) as kb:
            session.output.note(f"The run {await forget(kb, name)} is deleted.")

    return _run_flow_coroutine(go())


async def _unmet_flow_needs(session: Session, plan: FlowPlan) -> list[Problem]:
    """What the flow needs, and the base of this call has not; nothing where there is no base."""
    if not any(node.operator.needs for node in plan.nodes.values()):
        return []
    home = home_of(read_settings(session.location, **session.settings).path)
    try:
        home.check_there()
    except ConfigError:
        session.output.note(f"There is no base in {home}: what it would have to offer was not looked at.")
        return []
    async with _open_flow_base(session) as kb:
        return lacking(plan, await there_of(kb, plan, keep=False))


class _View:
    """Shows a run while it goes on: a line for each step, on standard error; in JSON, a line for each event."""

    def __init__(self, session: Session) -> None:
        self._output = session.output

    def hear(self, event: FlowEvent) -> None:
        """Show an event."""
        if self._output.as_json:
            if not isinstance(event, StepTold):
                self._output.json_line({"event": type(event).__name__, "data": event})
            return
        if (line := _flow_event_line(event)) and self._output.notes.is_terminal:
            self._output.note(line)


def _flow_event_line(event: FlowEvent) -> str:
    match event:
        case StepStarted(key):
            return f"· {key}"
        case StepFinished(key, seconds, restored):
            return f"✓ {key}" + (" (done before)" if restored else f" {seconds:.2f} s")
        case StepSkipped(key, reason):
            return f"– {key}: {reason}"
        case StepFailed(key, reason, again):
            return f"✗ {key}: {reason}" + (" It is tried again." if again else "")
        case StepWaits(key):
            return f"? {key}"
        case StepTold(_, TextDelta(text)):
            return text
        case _:
            return ""


async def _on(session: Session, kb: AsyncRove, done: FlowRun, view: _View) -> int:
    """Ask who is at the terminal as long as the run waits, and show what comes out."""
    while done.status == "waiting":
        if session.output.as_json or not (session.output.terminal and sys.stdin.isatty()):
            if session.output.as_json:
                session.output.json_line({"run": done.run_id, "status": done.status, "waiting": done.waiting})
            for one in done.waiting:
                options = f" ({', '.join(one.options)})" if one.options else ""
                reply = f"rove flow resume {done.run_id}{session.again} --reply '{one.key}=…'"
                session.output.note(f"{one.question}{options} Answer with: {reply}")
            return WAITING
        replies = {one.key: await asyncio.to_thread(_prompt_reply, one.question, one.options) for one in done.waiting}
        done = await resume(kb, done.run_id, replies, listener=view.hear)
    if session.output.as_json:
        session.output.json_line({"run": done.run_id, "status": done.status, "output": done.output})
        return 0
    for name, value in done.output.items():
        _show_flow_output(session, name, value)
    return 0


def _show_flow_output(session: Session, name: str, value: object) -> None:
    if isinstance(value, Answer):
        show_answer(session, value)
    elif isinstance(value, str | int | float | None):
        session.output.line(f"{name}: {'' if value is None else value}")
    else:
        session.output.line(f"{name}:")
        session.output.json(value)


def _prompt_reply(question: str, options: tuple[str, ...]) -> str:
    kind = click.Choice(options) if options else str
    return str(click.prompt(question, type=kind, err=True))


def _parse_flow_values(pairs: tuple[str, ...], names: list[str]) -> Mapping[str, object]:
    found: dict[str, list[str]] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if sign and (name in names or not names):
            found.setdefault(name, []).append(value)
        elif names:
            found.setdefault(names[0], []).append(pair)
        else:
            message = f"{pair!r} answers nothing."
            raise InputError(message, cure="Write STEP=TEXT.")
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _open_flow_base(session: Session, *, create: bool = False) -> AsyncRove:
    return AsyncRove(read_settings(session.location, **session.settings), create=create)


def _run_flow_coroutine(going: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401 - what it returns
    return asyncio.run(going)

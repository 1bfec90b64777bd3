"""`rove tools`: list the tools, find those that fit a request, and run one, or show what would be run."""

from __future__ import annotations

from rove.cli.session import FAILED, Session
from rove.errors import InputError
from rove.foreign import read_json
from rove.records.tool import ToolPlan, ToolRun

VALUE = "NAME=VALUE"
NONE = "No tool is set up. Set one up in rove.toml: [tools.NAME]"


def listed(session: Session) -> int:
    """Run `rove tools list`."""
    with session.base() as kb:
        found, failures = kb.tools.all(), dict(kb.tools.failures)
    for name, reason in failures.items():
        session.output.note(f"tools.{name}: {reason}")
    if session.output.as_json:
        session.output.json([{**_tool_fields(one), "parameters": one.parameters} for one in found])
    else:
        rows = [(one.name, one.source, one.effects, " ".join(one.description.split())) for one in found]
        session.output.table(["tool", "source", "effects", "description"], rows, NONE)
    return FAILED if failures else 0


def find(session: Session, request: tuple[str, ...], top_k: int) -> None:
    """Run `rove tools find`."""
    with session.base() as kb:
        kept, found = kb.tools.all(), kb.tools.find(" ".join(request), top_k=top_k)
    if session.output.as_json:
        session.output.json(found)
        return
    rows = [(one.tool, f"{one.score:.2f}", ", ".join(one.fitting), " ".join(one.description.split())) for one in found]
    session.output.table(["tool", "score", "fills", "description"], rows, "No tool fits this." if kept else NONE)


def run(
    session: Session,
    request: tuple[str, ...],
    tool: str,
    values: tuple[str, ...],
    profile: tuple[str, ...],
    dry_run: bool,
    confirm: bool,
) -> int:
    """Run `rove tools run`."""
    with session.base() as kb:
        done = kb.run_tool(
            " ".join(request),
            tool=tool,
            arguments=_pairs(values),
            profile=_pairs(profile),
            dry_run=dry_run,
            confirm=confirm,
        )
    if session.output.as_json:
        session.output.json(done)
    else:
        _show_tool_run(session, done)
    return 0 if done.outcome in {"ran", "planned"} else FAILED


def _show_tool_run(session: Session, done: ToolRun) -> None:
    if done.plan is not None:
        _show_plan(session, done.plan, whole=done.outcome != "ran")
    if done.document is not None:
        session.output.line(done.document.text)
    elif done.plan is not None and done.plan.question:
        session.output.line(done.plan.question)
    if done.note:
        session.output.note(done.note)


def _show_plan(session: Session, plan: ToolPlan, *, whole: bool) -> None:
    """Show the tool and its values; `whole`: what stands in the way, and which tools came next, too."""
    said = session.output.line if whole else session.output.note
    said(f"{plan.match.tool} ({plan.match.source}, {plan.match.effects})")
    for one in plan.parameters:
        words = f", “{one.text}”" if one.text and one.text != str(one.value) else ""
        said(f"  {one.name} = {one.value}  ({one.origin}{words})")
    for mended in plan.corrections:
        said(f"  {mended.parameter}: {mended.written} → {mended.meant} ({mended.reason})")
    if whole:
        for problem in plan.problems:
            said(f"  wrong: {problem.parameter}: {problem.message}")
        if plan.missing:
            said(f"  missing: {', '.join(plan.missing)}")
        if plan.others:
            said(f"  next: {', '.join(other.tool for other in plan.others)}")


def _pairs(given: tuple[str, ...]) -> dict[str, object]:
    """Read NAME=VALUE: a value that is JSON (a number, a list, true) counts as that, any other as text.

    >>> _pairs(("days=3", "city=New York", 'hosts=["a"]'))
    {'days': 3, 'city': 'New York', 'hosts': ['a']}
    """
    found: dict[str, object] = {}
    for pair in given:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            message = f"{pair!r} is not a value."
            raise InputError(message, cure=f"Write {VALUE}.")
        try:
            found[name.strip()] = read_json(value)
        except ValueError:
            found[name.strip()] = value
    return found


def _tool_fields(tool: object) -> dict[str, object]:
    return {name: getattr(tool, name) for name in ("name", "source", "effects", "description")}

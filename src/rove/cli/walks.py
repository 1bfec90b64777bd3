"""`rove walks`: walks that were gone: listed, shown, resumed, forked, replayed, carried elsewhere, deleted."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from rove.cli.ask import show_answer
from rove.cli.output import escape_markup
from rove.cli.session import Session
from rove.cli.walk import follow
from rove.cli.walk_edit import show_standing
from rove.cli.walk_view import JsonView, LineView, used
from rove.errors import count_text
from rove.records.walk_events import Edit
from rove.sync import Rove, Walk
from rove.walk.budget import extended
from rove.walk.state import State, folded

ACTIONS = ("list", "show", "resume", "fork", "replay", "export", "import", "delete")


def walks(session: Session, action: str, walk: str, at: int | None, rounds: int | None, file: Path | None) -> int:
    """Run `rove walks`."""
    with session.base(create=action == "import") as kb:
        match action:
            case "list":
                _show_walk_list(session, kb)
            case "show":
                _show_one_walk(session, kb, walk)
            case "resume":
                return _resume(session, kb.take_up(walk), rounds)
            case "fork":
                return follow(session, kb.fork(walk, at=at))
            case "replay":
                _replay(session, kb, walk)
            case "export":
                _export(kb, walk, file)
            case "import":
                _import(session, kb, file)
            case _:
                kb.forget_walk(walk)
                session.output.note(f"The walk {walk} is deleted.")
    return 0


def _show_walk_list(session: Session, kb: Rove) -> None:
    infos = kb.walks()
    if session.output.as_json:
        session.output.json(infos)
        return
    rows = [(i.walk_id, i.status, i.rounds, i.facts, i.events, i.mode, i.updated_at, i.question) for i in infos]
    none = "No walk is kept. Begin one with: rove walk QUESTION"
    session.output.table(["id", "status", "rounds", "facts", "events", "by", "last", "question"], rows, none)


def _show_one_walk(session: Session, kb: Rove, name: str) -> None:
    state = folded(kb.replay(name))
    if session.output.as_json:
        session.output.json(state.answer or state.facts)
        return
    show_standing(session.output, state)
    status = state.stopped.text if state.stopped else "It can go on: rove walks resume"
    session.output.marked(f"[dim]{state.walk_id} · {escape_markup(status)} · {used(state.spent, state.budget)}[/]")
    if state.answer:
        session.output.line()
        show_answer(session, state.answer)


def _resume(session: Session, walk: Walk, rounds: int | None) -> int:
    if rounds:
        spent = replace(walk.state.spent, rounds=walk.state.round)
        walk.edit(Edit(budget=extended(walk.state.budget, spent, rounds)))
    return follow(session, walk)


def _replay(session: Session, kb: Rove, name: str) -> None:
    view = JsonView() if session.output.as_json else LineView(session.output, State())
    for event in kb.replay(name):
        view.show(event)


def _export(kb: Rove, name: str, file: Path | None) -> None:
    lines = (f"{line}\n" for line in kb.export_walk(name))
    if file is None:
        sys.stdout.writelines(lines)
        return
    with file.open("w", encoding="utf-8") as opened:
        opened.writelines(lines)


def _import(session: Session, kb: Rove, file: Path | None) -> None:
    lines = file.read_text("utf-8").splitlines() if file else sys.stdin.read().splitlines()
    info = kb.import_walk(lines)
    session.output.note(f"The walk {info.walk_id} is here, with {count_text(info.events, 'event')}.")

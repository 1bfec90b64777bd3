"""`rove walk`: an answer found in many rounds, shown while it is found; Ctrl-C opens the edit."""

from __future__ import annotations

import sys
from dataclasses import replace

from rove.cli.ask import show_answer
from rove.cli.session import Session
from rove.cli.walk_edit import EditChoice, edit_by_hand
from rove.cli.walk_view import view_for
from rove.records.walk_events import Budget
from rove.retrieve.condition import parse_where
from rove.sync import Walk
from rove.walk.operations import budget_of

INTERRUPTED = 130


def walk(session: Session, question: tuple[str, ...], where: tuple[str, ...], **limits: float | None) -> int:
    """Run `rove walk`."""
    condition = parse_where(where)
    with session.base() as kb:
        given = {name: value for name, value in limits.items() if value is not None}
        budget: Budget = replace(budget_of(kb.settings), **given)
        return follow(session, kb.walk(" ".join(question), where=condition, budget=budget))


def follow(session: Session, under_way: Walk) -> int:
    """Show a walk to its end, or to where the user leaves it; returns the exit status."""
    view = view_for(session.output, under_way.state)
    while True:
        try:
            with view:
                for event in under_way:
                    view.show(event)
        except KeyboardInterrupt:
            under_way.pause()
            for event in under_way:
                view.show(event)
        if under_way.answer is not None:
            break
        if not (session.output.terminal and sys.stdin.isatty()) or session.output.as_json:
            session.output.note(_later(under_way))
            return INTERRUPTED
        choice = edit_by_hand(session.output, under_way)
        if choice is EditChoice.QUIT:
            session.output.note(_later(under_way))
            return INTERRUPTED
    if not session.output.as_json:
        session.output.line()
        show_answer(session, under_way.answer)
    return 0


def _later(under_way: Walk) -> str:
    return f"The walk rests. Go on with: rove walks resume {under_way.walk_id}"

"""`rove walk`: an answer found in many rounds, shown while it is found; Ctrl-C opens the edit."""

from __future__ import annotations

import sys
from dataclasses import replace

import click

from rove.cli.ask import show_answer
from rove.cli.session import Session, command
from rove.cli.walk_edit import EditChoice, edit_by_hand
from rove.cli.walk_view import view_for
from rove.records.walk_events import Budget
from rove.retrieve.condition import parse_where
from rove.sync import Walk
from rove.walk.operations import budget_of

INTERRUPTED = 130


@command("walk", several=True)
@click.argument("question", nargs=-1, required=True)
@click.option(
    "--where", "-w", multiple=True, metavar="NAME=VALUE", help="Only where this holds, at every step; all, if several."
)
@click.option("--rounds", type=click.IntRange(min=0), help="At most so many rounds; 0 is without a bound, as below.")
@click.option("--calls", type=click.IntRange(min=0), help="At most so many calls of the chat model.")
@click.option("--tokens", type=click.IntRange(min=0), help="At most so many tokens.")
@click.option("--seconds", type=click.FloatRange(min=0), help="At most so many seconds.")
@click.option("--money", type=click.FloatRange(min=0), help="At most so much, by the prices of the settings.")
def walk(session: Session, question: tuple[str, ...], where: tuple[str, ...], **limits: float | None) -> int:
    """Find out QUESTION in rounds: what was read gives facts and leads, and the leads are followed.

    Ctrl-C lets the walk rest: facts, leads, the question and the budget can then be changed. Every step is kept; go on
    later with: rove walks resume; further than to its end with: rove walks resume --rounds 2
    """
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

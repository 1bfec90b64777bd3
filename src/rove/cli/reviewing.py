"""`rove review`: what waits for a person's review, and what was decided."""

from __future__ import annotations

import getpass

import click

from rove.cli.judging import QUIT, Keys, Pressed
from rove.cli.output import escape_markup
from rove.cli.session import Session
from rove.evaluate.agreement import Agreement, reviewers_agreement
from rove.language.rendering import render
from rove.records.reviewed import EDITED_WORDS, ReviewDecision, ReviewItem, ReviewKind, Verdict
from rove.retrieve.condition import parse_where
from rove.sync import Rove

SHOWN_CHARS = 300
BETWEEN = " | "
"""What stands between the words of a thing where they are edited on one line."""
KEYS: dict[str, Verdict] = {"a": "accept", "e": "edit", "r": "reject"}


def review(
    session: Session,
    action: Verdict | None,
    item_id: str | None,
    words: tuple[str, ...],
    ask: bool,
    decided: bool,
    kinds: tuple[ReviewKind, ...],
    by: str,
    most: int,
    where: tuple[str, ...],
) -> None:
    """Run `rove review`."""
    if action and not item_id:
        raise click.UsageError(f"Name what to {action}, by the ID that `rove review` shows.")  # noqa: TRY003 - click prints it
    name = by or getpass.getuser()
    with session.base(writes=bool(action or ask)) as kb:
        if action and item_id:
            kb.review(item_id, action, words, by=name)
            _say_decided(session, [kb.reviews()[-1]])
        elif decided:
            made = kb.reviews()
            _say_decided(session, made, reviewers_agreement(made))
        else:
            waiting = kb.review_queue(by=name, kinds=kinds, most=most, where=parse_where(where))
            if ask:
                _ask_verdicts(session, kb, waiting, name)
            else:
                _show_waiting_reviews(session, waiting)


def _show_waiting_reviews(session: Session, waiting: list[ReviewItem]) -> None:
    if session.output.as_json:
        session.output.json(waiting)
        return
    for item in waiting:
        _show_one(session, item)
    if waiting:
        session.output.note("Decide with: rove review accept ID, or go through them: rove review --ask")
    else:
        session.output.note("Nothing waits for your review. Triplets are found by: rove enrich graph")


def _show_one(session: Session, item: ReviewItem) -> None:
    session.output.marked(f"[bold]{escape_markup(BETWEEN.join(item.words))}[/]")
    said = "".join(f" · {one.by}: {one.verdict}" for one in item.decisions)
    place = f"{item.document_id}:{item.span[0]}-{item.span[1]}" if item.span else item.document_id
    where = " · ".join(filter(None, (item.title or item.source, place, item.made_by)))
    session.output.marked(f"   [dim]{escape_markup(where + said)}[/]")
    session.output.line(f"   {render(item.evidence).line[:SHOWN_CHARS]}")
    session.output.line(f"   {item.item_id}")


def _ask_verdicts(session: Session, kb: Rove, waiting: list[ReviewItem], name: str) -> None:
    """Show one thing at a time, and take a key for each."""
    keys = Keys(session.output, {**KEYS, "s": "skip"})
    done = 0
    for item in waiting:
        if not session.output.as_json:
            _show_one(session, item)
        pressed = keys.ask()
        if pressed.key == QUIT:
            break
        if pressed.key in KEYS:
            verdict = KEYS[pressed.key]
            kb.review(item.item_id, verdict, _edit(keys, item, pressed) if verdict == "edit" else (), by=name)
            done += 1
    if session.output.as_json:
        session.output.json({"done": done, "left": len(waiting) - done})
    else:
        session.output.line(f"{done} done, {len(waiting) - done} left of these.")


def _edit(keys: Keys, item: ReviewItem, pressed: Pressed) -> list[str]:
    """Ask for other words: of a triplet all three on one line; of a correction those that are to stand there."""
    several = EDITED_WORDS[item.kind] > 1
    line = keys.rewrite(BETWEEN.join(item.words) if several else item.words[-1], pressed, "Edit")
    return line.split(BETWEEN.strip()) if several else [line]


def _say_decided(session: Session, made: list[ReviewDecision], agreement: Agreement | None = None) -> None:
    if session.output.as_json:
        session.output.json({"decisions": made, "agreement": agreement} if agreement else made[0])
        return
    rows = [
        (one.decided_at[:19], one.by, one.verdict, BETWEEN.join(one.words), BETWEEN.join(one.edit), one.item_id)
        for one in made
    ]
    session.output.table(["when", "by", "decision", "words", "edit", "id"], rows, "Nothing was decided yet.")
    if agreement and agreement.items:
        session.output.note(
            f"{agreement.annotators} reviewers decided about {agreement.items} things twice or more: equal pairs "
            f"{_review_agreement_text(agreement.pairs)}, Cohen's kappa {_review_agreement_text(agreement.cohen)}."
        )


def _review_agreement_text(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"

"""`rove memory`: what walks have learned, seen, searched, edited and erased."""

from __future__ import annotations

from collections.abc import Sequence

import click

from rove.cli.session import Session
from rove.errors import count_text
from rove.language.rendering import render
from rove.records.learned import Remembered

SHOWN_CHARS = 8
"""Characters of an id that are printed: any beginning that only one id has will do."""


def listed(session: Session) -> None:
    """Run `rove memory list`."""
    with session.base() as kb:
        _show_facts(session, kb.memory().facts(), "Walks have learned nothing yet. Begin one with: rove walk QUESTION")


def leads(session: Session) -> None:
    """Run `rove memory leads`."""
    with session.base() as kb:
        found = kb.memory().leads()
    if session.output.as_json:
        session.output.json(found)
        return
    rows = [(end.outcome, end.kind, end.text, end.created_at) for end in found]
    session.output.table(
        ["ended in", "kind", "lead", "when"],
        rows,
        "No walk has followed a lead yet. Begin one with: rove walk QUESTION",
    )


def search(session: Session, question: tuple[str, ...], top_k: int) -> None:
    """Run `rove memory search`."""
    with session.base() as kb:
        _show_facts(session, kb.memory().search(" ".join(question), top_k=top_k), "Nothing of this is remembered.")


def edit(session: Session, memory_id: str, text: tuple[str, ...]) -> None:
    """Run `rove memory edit`."""
    with session.base() as kb:
        _show_facts(session, [kb.memory().edit(memory_id, " ".join(text))])


def forget(session: Session, memory_ids: tuple[str, ...]) -> None:
    """Run `rove memory forget`."""
    with session.base() as kb:
        _say(session, kb.memory().forget(*memory_ids))


def clear(session: Session, yes: bool) -> None:
    """Run `rove memory clear`."""
    if not yes:
        click.confirm("Erase all that walks have learned?", abort=True, err=True)
    with session.base() as kb:
        _say(session, kb.memory().clear())


def _show_facts(session: Session, facts: Sequence[Remembered], none: str = "") -> None:
    if session.output.as_json:
        session.output.json(facts)
        return
    rows = [
        (f.memory_id[:SHOWN_CHARS], f"{f.score or f.relevance:.2f}", render(f.text).line, _source(f), f.question)
        for f in facts
    ]
    session.output.table(["id", "score", "fact", "source", "asked"], rows, none)


def _source(fact: Remembered) -> str:
    return ", ".join(filter(None, (fact.citation.title or fact.citation.uri, fact.citation.place)))


def _say(session: Session, count: int) -> None:
    if session.output.as_json:
        session.output.json({"forgotten": count})
    else:
        session.output.line(f"{count_text(count, 'fact')} forgotten")

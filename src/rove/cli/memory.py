"""`rove memory`: what walks have learned, seen, searched, edited and erased."""

from __future__ import annotations

from collections.abc import Sequence

import click

from rove.cli.session import Session, command
from rove.language.rendering import render
from rove.records.learned import Remembered

SHOWN_CHARS = 8
"""Characters of an id that are printed: any beginning that only one id has will do."""


@click.group("memory")
def memory() -> None:
    """Show, search, edit and erase what walks have learned from the documents."""


@command("list")
def listed(session: Session) -> None:
    """List the facts that are remembered, in the order they were learned."""
    with session.base() as kb:
        _show(session, kb.memory().facts())


@command("leads")
def leads(session: Session) -> None:
    """List the leads that walks have followed, and whether they ended in the answer, in a fact or in nothing."""
    with session.base() as kb:
        found = kb.memory().leads()
    if session.output.as_json:
        session.output.json(found)
        return
    rows = [(end.outcome, end.kind, end.text, end.created_at) for end in found]
    session.output.table(["ended in", "kind", "lead", "when"], rows)


@command("search")
@click.argument("question", nargs=-1, required=True)
@click.option("--top-k", "-n", default=10, show_default=True, type=click.IntRange(1), help="How many at most.")
def search(session: Session, question: tuple[str, ...], top_k: int) -> None:
    """Find what is remembered about QUESTION, best first."""
    with session.base() as kb:
        _show(session, kb.memory().search(" ".join(question), top_k=top_k))


@command("edit")
@click.argument("memory_id")
@click.argument("text", nargs=-1, required=True)
def edit(session: Session, memory_id: str, text: tuple[str, ...]) -> None:
    """Put the fact MEMORY_ID otherwise. It stays tied to the same words of its source."""
    with session.base() as kb:
        _show(session, [kb.memory().edit(memory_id, " ".join(text))])


@command("forget")
@click.argument("memory_ids", nargs=-1, required=True)
def forget(session: Session, memory_ids: tuple[str, ...]) -> None:
    """Erase the facts of these ids, or beginnings of ids; their bytes leave the disk."""
    with session.base() as kb:
        _say(session, kb.memory().forget(*memory_ids))


@command("clear")
@click.option("--yes", is_flag=True, help="Do not ask.")
def clear(session: Session, yes: bool) -> None:
    """Erase all that walks have learned: facts, and how leads have ended."""
    if not yes:
        click.confirm("Erase all that walks have learned?", abort=True, err=True)
    with session.base() as kb:
        _say(session, kb.memory().clear())


for one in (listed, leads, search, edit, forget, clear):
    memory.add_command(one)


def _show(session: Session, facts: Sequence[Remembered]) -> None:
    if session.output.as_json:
        session.output.json(facts)
        return
    rows = [
        (f.memory_id[:SHOWN_CHARS], f"{f.score or f.relevance:.2f}", render(f.text).line, _source(f), f.question)
        for f in facts
    ]
    session.output.table(["id", "score", "fact", "source", "asked"], rows)


def _source(fact: Remembered) -> str:
    page = f", p. {fact.citation.page}" if fact.citation.page else ""
    return f"{fact.citation.title or fact.citation.uri}{page}"


def _say(session: Session, count: int) -> None:
    if session.output.as_json:
        session.output.json({"forgotten": count})
    else:
        session.output.line(f"{count} facts forgotten")

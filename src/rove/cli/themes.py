"""`rove themes`: what the documents are about."""

from __future__ import annotations

import click

from rove.cli.output import plain
from rove.cli.session import Session, command
from rove.events import Event, Noted
from rove.language.rendering import render
from rove.retrieve.condition import parse_where

SHOWN_CHARS = 160


@command("themes", several=True)
@click.option("--top", "-n", "most", type=click.IntRange(min=1), default=8, show_default=True, help="How many.")
@click.option("--where", "-w", multiple=True, metavar="NAME=VALUE", help="Only of what passes; all, if several.")
def themes(session: Session, most: int, where: tuple[str, ...]) -> None:
    """Say what the documents are about: passages that are near to one another, named by their headings."""

    def said(event: Event) -> None:
        if isinstance(event, Noted):
            session.output.note(event.text)

    with session.base() as kb:
        found = kb.themes(most=most, where=parse_where(where), listener=said)
    if session.output.as_json:
        session.output.json(found)
        return
    if not found:
        session.output.note("Nothing was found.")
    for number, theme in enumerate(found, start=1):
        session.output.marked(f"[bold cyan]{number}.[/] [bold]{plain(theme.name)}[/] [dim]{theme.share:.0%}[/]")
        for hit in theme.hits:
            start, end = hit.chunk.span
            session.output.marked(f"   [dim]{plain(hit.title or hit.uri)} · {hit.chunk.document_id}:{start}-{end}[/]")
            session.output.line(f"   {render(hit.chunk.text).line[:SHOWN_CHARS]}")

"""`rove themes`: what the documents are about."""

from __future__ import annotations

from rove.cli.output import escape_markup
from rove.cli.session import Session
from rove.events import Event, Noted
from rove.language.rendering import render
from rove.retrieve.condition import parse_where

SHOWN_CHARS = 160


def themes(session: Session, most: int, where: tuple[str, ...]) -> None:
    """Run `rove themes`."""

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
        session.output.marked(f"[bold cyan]{number}.[/] [bold]{escape_markup(theme.name)}[/] [dim]{theme.share:.0%}[/]")
        for hit in theme.hits:
            start, end = hit.chunk.span
            session.output.marked(
                f"   [dim]{escape_markup(hit.title or hit.uri)} · {hit.chunk.document_id}:{start}-{end}[/]"
            )
            session.output.line(f"   {render(hit.chunk.text).line[:SHOWN_CHARS]}")

"""`rove search`: find passages."""

from __future__ import annotations

from rove.answer.passages import rendered
from rove.cli.output import plain
from rove.cli.session import Session
from rove.events import Event, Noted
from rove.records import Hit
from rove.retrieve.condition import parse_where

SHOWN_CHARS = 400


def search(
    session: Session,
    question: tuple[str, ...],
    top_k: int | None,
    mode: str,
    where: tuple[str, ...],
    min_score: float | None,
    rerank: bool | None,
) -> None:
    """Run `rove search`."""

    def said(event: Event) -> None:
        if isinstance(event, Noted):
            session.output.note(event.text)

    condition = parse_where(where)
    with session.base() as kb:
        hits = kb.search(
            " ".join(question),
            top_k=top_k,
            where=condition,
            mode=mode,
            rerank=rerank,
            min_score=min_score,
            listener=said,
        )
    if session.output.as_json:
        session.output.json(hits)
        return
    if not hits:
        session.output.note("Nothing was found.")
    for number, hit in enumerate(hits, start=1):
        show_hit(session, number, hit)


def show_hit(session: Session, number: int, hit: Hit) -> None:
    """Print one passage: where it stands, which lists had it, how it begins, and where else its text stands."""
    start, end = hit.chunk.span
    page = f" p. {hit.chunk.page}" if hit.chunk.page else ""
    lists = ", ".join(f"{name} {place.rank}" for name, place in hit.sources.items())
    title = f"[bold cyan]{number}.[/] [bold]{plain(hit.title or hit.uri)}[/]"
    count = f" · ×{1 + len(hit.same)}" if hit.same else ""
    session.output.marked(
        f"{title}[dim]{page}{count} · {hit.score:+.3f} ({lists}) · {hit.chunk.document_id}:{start}-{end}[/]"
    )
    if hit.chunk.headings:
        session.output.marked(f"   [dim]{plain(' > '.join(hit.chunk.headings))}[/]")
    if hit.theme:
        session.output.marked(f"   [italic]{plain(hit.theme)}[/]")
    if hit.summary:
        session.output.marked(f"   [italic]{plain(hit.summary[:SHOWN_CHARS])}[/]")
    if hit.question:
        session.output.marked(f"   [italic]{plain(hit.question)}[/]")
    session.output.passage(rendered(hit.chunk), SHOWN_CHARS)
    if hit.same:
        session.output.marked(f"   [dim]also in: {plain(', '.join(map(_place, hit.same)))}[/]")


def _place(hit: Hit) -> str:
    start, end = hit.chunk.span
    return f"{hit.title or hit.uri} ({hit.chunk.document_id}:{start}-{end})"

"""`rove search`: find passages."""

from __future__ import annotations

from rove.cli.hits import show_hits
from rove.cli.session import Session
from rove.events import Event, Noted
from rove.retrieve.condition import parse_where


def search(
    session: Session,
    question: tuple[str, ...],
    top_k: int | None,
    mode: str,
    where: tuple[str, ...],
    min_score: float | None,
    rerank: bool | None,
    verbose: bool,
) -> None:
    """Run `rove search`."""

    def said(event: Event) -> None:
        if isinstance(event, Noted):
            session.output.note(event.text)

    text = " ".join(question)
    condition = parse_where(where)
    hits = session.search(
        text, top_k=top_k, where=condition, mode=mode, rerank=rerank, min_score=min_score, listener=said
    )
    if session.output.as_json:
        session.output.json(hits)
        return
    if not hits:
        session.output.note("Nothing was found.")
    show_hits(session, hits, text, verbose=verbose)

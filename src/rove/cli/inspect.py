"""`rove inspect`: what is in the base, and what became of what was given to it."""

from __future__ import annotations

from collections.abc import Sequence

from rove.answer.passages import rendered
from rove.cli.output import embedding_progress, escape_markup
from rove.cli.session import Session
from rove.errors import InputError
from rove.records import Box, DocumentInfo
from rove.sync import Rove

CONTEXT_CHARS = 300
EMPTY = "The base is empty. Take something in with: rove add FOLDER"


def inspect(
    session: Session, document: str | None, chunks: bool, span: str | None, ledger: bool, failed: bool, depth: bool
) -> None:
    """Run `rove inspect`."""
    with session.base() as kb:
        if depth:
            _show_depth(session, kb)
        elif ledger or failed:
            _show_ledger(session, kb, failed=failed)
        elif document is None:
            _show_documents(session, kb)
        elif span is not None:
            _show_span(session, kb, only(kb, document).document_id, span)
        else:
            _show_document(session, kb, only(kb, document).document_id, chunks=chunks)


def only(kb: Rove, name: str) -> DocumentInfo:
    """Return the one document of that name.

    Raises:
        InputError: there is none, or several.
    """
    infos = kb.named(name)
    if len(infos) > 1:
        message = f"{name} holds {len(infos)} documents."
        raise InputError(message, cure="Give the id of one; list them with: rove inspect")
    return infos[0]


def _show_documents(session: Session, kb: Rove) -> None:
    infos = kb.documents()
    if session.output.as_json:
        session.output.json(infos)
        return
    rows = [(i.document_id, i.kind, i.language, i.chunks, i.title, i.source) for i in infos]
    session.output.table(["id", "type", "language", "chunks", "title", "source"], rows, EMPTY)
    if (depth := kb.depth()).shallow:
        session.output.note(embedding_progress(depth, session.again))


def _show_depth(session: Session, kb: Rove) -> None:
    depth = kb.depth()
    if session.output.as_json:
        session.output.json({"chunks": depth.chunks, "shallow": depth.shallow, "share": depth.share})
    else:
        session.output.line(embedding_progress(depth, session.again))


def _show_document(session: Session, kb: Rove, document_id: str, *, chunks: bool) -> None:
    document, pieces = kb.document(document_id)
    if session.output.as_json:
        session.output.json(pieces if chunks else document)
        return
    if not chunks:
        session.output.line(document.text)
        return
    rows = [
        (c.position, f"{c.span[0]}:{c.span[1]}", c.page, " > ".join(c.headings), rendered(c).line[:80]) for c in pieces
    ]
    session.output.table(["#", "span", "page", "headings", "text"], rows)


def _show_span(session: Session, kb: Rove, document_id: str, span: str) -> None:
    """Print the words of a span within their surroundings: where a citation opens."""
    document, _ = kb.document(document_id)
    first, _, last = span.partition(":")
    if not (first.isdecimal() and last.isdecimal() and 0 <= int(first) < int(last) <= len(document.text)):
        message = f"--span {span!r} does not lie in the document, which has {len(document.text)} characters."
        raise InputError(message, cure="Write START:END, as citations give it.")
    start, end = int(first), int(last)
    before, words, after = (
        document.text[max(0, start - CONTEXT_CHARS) : start],
        document.text[start:end],
        document.text[end : end + CONTEXT_CHARS],
    )
    page, boxes = document.page_at(start), document.boxes_at((start, end))
    if session.output.as_json:
        told = {"document_id": document_id, "span": [start, end], "text": words, "before": before, "after": after}
        session.output.json({**told, "page": page, "boxes": boxes})
        return
    open_mark, close_mark = ("[bold black on yellow]", "[/]") if session.output.terminal else ("»", "«")
    session.output.marked(f"{escape_markup(before)}{open_mark}{escape_markup(words)}{close_mark}{escape_markup(after)}")
    if page is not None:
        session.output.line("")
        session.output.line(f"page {page}{_depth_on_page(boxes)}")


def _depth_on_page(boxes: Sequence[Box]) -> str:
    """Say how far down the page the boxes stand, those of their first page; "" where no place is known."""
    if not boxes:
        return ""
    first = [box for box in boxes if box.page == boxes[0].page]
    top, bottom = min(box.top for box in first), max(box.bottom for box in first)
    return f", {top:.0%} to {bottom:.0%} down"


def _show_ledger(session: Session, kb: Rove, *, failed: bool) -> None:
    entries = [entry for entry in kb.ledger() if entry.outcome or not failed]
    if session.output.as_json:
        session.output.json(entries)
        return
    rows = [(e.source, e.state, e.outcome, e.documents, e.chunks, e.attempt, e.reason, e.cure) for e in entries]
    headings = ["source", "state", "outcome", "documents", "chunks", "attempt", "reason", "what to do"]
    session.output.table(headings, rows, "No source has failed." if failed else EMPTY)

"""How passages that were found are printed: where each stands first, then its words, those of the question marked."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import PurePath

from rove.answer.passages import rendered
from rove.cli.output import escape_markup
from rove.cli.session import Session
from rove.language.detect import detect
from rove.language.matches import matches
from rove.language.rendering import Rendered, RenderedBlock
from rove.records import Hit
from rove.records.document import Span
from rove.records.moment import place_text

SHOWN_CHARS = 400


def show_hits(session: Session, hits: Sequence[Hit], question: str, *, verbose: bool = False) -> None:
    """Print passages, best first. `verbose`: with their scores, and the place that each list gave them."""
    spoken = detect(question) if session.output.terminal and hits else ""
    for number, hit in enumerate(hits, start=1):
        _show_hit(session, number, hit, _marker(question, hit, spoken), verbose=verbose)


def place(session: Session, uri: str, at: str) -> str:
    """Name where something stands: the path as it is seen from the folder that the user is in, and the page or time."""
    near = uri.removeprefix(session.folder.rstrip(os.sep) + os.sep)
    return f"{near}, {at}" if at else near


def as_it_was(day: str) -> str:
    """Say from which day a text is whose file is gone or can no longer be read, with rich's marks; else ""."""
    return f"[yellow] · as it was on {escape_markup(day)}[/]" if day else ""


def _marker(question: str, hit: Hit, spoken: str) -> Callable[[str], Sequence[Span]]:
    def words_of_question(text: str) -> Sequence[Span]:
        return matches(text, question, hit.chunk.language, spoken) if spoken else ()

    return words_of_question


def _show_hit(
    session: Session, number: int, hit: Hit, marker: Callable[[str], Sequence[Span]], *, verbose: bool
) -> None:
    """Print one passage: where it stands, how it begins, and where else its text stands."""
    output, chunk = session.output, hit.chunk
    start, end = chunk.span
    count = f" · ×{1 + len(hit.same)}" if hit.same else ""
    where = escape_markup(place(session, hit.uri, place_text(chunk.page, hit.time)))
    scores, aged = "", as_it_was(hit.as_of)
    if verbose:
        lists = ", ".join(f"{name} {found.rank}" for name, found in hit.sources.items())
        scores = f" · {hit.score:+.3f} ({lists})"
    output.marked(
        f"[bold cyan]{number}.[/] [bold]{where}[/][dim]{count}{scores} · {chunk.document_id}:{start}-{end}[/]{aged}"
    )
    told = (*chunk.headings, PurePath(hit.uri).stem, "")
    above = [*([] if hit.title in told else [hit.title]), *chunk.headings]
    if above:
        output.marked(f"   [dim]{escape_markup(' > '.join(above))}[/]")
    for more in (hit.theme, hit.summary[:SHOWN_CHARS], hit.question):
        if more:
            output.marked(f"   [italic]{escape_markup(more)}[/]")
    output.passage(_without_heading(rendered(chunk), above), SHOWN_CHARS, marker)
    if hit.same:
        output.marked(f"   [dim]also in: {escape_markup(', '.join(_hit_place(session, one) for one in hit.same))}[/]")


def _without_heading(shown: Rendered, above: Sequence[str]) -> Rendered:
    """Leave out the headings that a passage begins with where they stand above it already."""
    blocks = list(shown.blocks)
    while len(blocks) > 1 and _is_repeated_heading(shown, blocks[0], above):
        blocks.pop(0)
    if len(blocks) == len(shown.blocks):
        return shown
    cut = blocks[0].span[0]
    moved = [RenderedBlock(one.kind, (one.span[0] - cut, one.span[1] - cut), one.headed) for one in blocks]
    return Rendered(shown.text[cut:], tuple(moved), shown.links)


def _is_repeated_heading(shown: Rendered, block: RenderedBlock, above: Sequence[str]) -> bool:
    words = " ".join(shown.text[slice(*block.span)].split())
    return block.kind == "heading" and words in {" ".join(one.split()) for one in above}


def _hit_place(session: Session, hit: Hit) -> str:
    start, end = hit.chunk.span
    return f"{place(session, hit.uri, place_text(hit.chunk.page, hit.time))} ({hit.chunk.document_id}:{start}-{end})"

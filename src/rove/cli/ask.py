"""`rove ask`: an answer, and the words that it rests on."""

from __future__ import annotations

from collections.abc import Sequence

import click

from rove.answer.facts import STEP
from rove.cli.explain import show_path
from rove.cli.hits import as_it_was, place, show_hits
from rove.cli.output import Output, escape_markup
from rove.cli.session import Session
from rove.events import Event, TextDelta
from rove.language.rendering import render
from rove.records import Answer, Citation, RelatedQuestion
from rove.records.answer import DIFFERS
from rove.retrieve.condition import parse_where

QUOTING = frozenset({"extractive", "refused", "clarifying", "chitchat"})
"""Modes of answers that no chat model has written: their words are shown as they are."""
NEAREST = "Nearest passages, which may not answer it:"
THOUGHTS = "The model thought (not checked): {text}"
RELATED = "The documents answer as well:"
LEFT_OUT = "Left out: {text}"


def ask(
    session: Session,
    question: tuple[str, ...],
    where: tuple[str, ...],
    walk: bool,
    tools: bool,
    explain: bool,
    verbose: bool,
) -> None:
    """Run `rove ask`."""
    if explain and not walk:
        raise click.UsageError("Only a walk has a path: give --walk too.")  # noqa: TRY003 - click prints it
    condition, text = parse_where(where), " ".join(question)
    with session.base() as kb:
        live = LiveText(session.output)
        if walk:
            answer = kb.walk(text, where=condition).answered()
        else:
            answer = kb.ask(text, where=condition, tools=tools, listener=live)
    if session.output.as_json:
        session.output.json(answer)
        return
    show_answer(session, answer, shown=live.shown, verbose=verbose)
    if explain:
        show_path(session.output, answer)


class LiveText:
    """Listens to an answer, and prints its text as it comes; not where JSON is printed. `shown`: how much of it."""

    def __init__(self, output: Output) -> None:
        self.shown = 0
        self._output = output

    def __call__(self, event: Event) -> None:
        """See `rove.events.Listener`."""
        if isinstance(event, TextDelta) and not self._output.as_json:
            words = event.text.strip()
            self._output.piece(event.text.replace(words, render(words).text) if words else event.text)
            self.shown += len(event.text)


def show_answer(session: Session, answer: Answer, *, shown: int = 0, verbose: bool = False) -> None:
    """Print an answer, of which so much was `shown`, then each reference: its words, and where to open them.

    Beneath a refusal stand the nearest passages.
    """
    if answer.mode in QUOTING:
        _show_quotes(session, answer.text)
    elif shown:
        session.output.line(render(answer.text[shown:]).text)
    else:
        session.output.text(render(answer.text))
    if answer.citations:
        session.output.line()
    differing = {one for sentence in answer.sentences if sentence.verdict == "differs" for one in sentence.citations}
    for citation in answer.citations:
        _show_reference(session, citation, answer.short, differs=citation in differing)
    for sentence in answer.sentences:
        if sentence.deleted:
            session.output.line(LEFT_OUT.format(text=render(sentence.text).line), style="dim")
    if verbose and answer.thoughts:
        session.output.line(THOUGHTS.format(text=render(answer.thoughts).text), style="dim")
    if answer.nearest:
        session.output.line(f"\n{NEAREST}", style="dim")
    show_hits(session, answer.nearest, answer.question, verbose=verbose)
    _show_related(session, answer.related)
    if answer.note:
        session.output.note(answer.note)


def _show_related(session: Session, related: Sequence[RelatedQuestion]) -> None:
    if related:
        session.output.line(f"\n{RELATED}", style="dim")
    for one in related:
        session.output.marked(f"  {escape_markup(one.question)}[dim] · {escape_markup(one.title)}[/]")


def _show_quotes(session: Session, text: str) -> None:
    """Print an answer that is rendered already; a table of quoted rows is drawn, steps stand below each other."""
    for number, part in enumerate(text.split("\n\n")):
        if number:
            session.output.line()
        if part.startswith("| "):
            session.output.text(render(part))
        else:
            session.output.line(part.replace(f"] {STEP} ", f"]\n{STEP} "))


def _show_reference(session: Session, citation: Citation, short: Citation | None, *, differs: bool) -> None:
    start, end = citation.span
    shown = render(citation.quote)
    of_it = short.subject if short and short.chunk_id == citation.chunk_id else ""
    title = "".join(f"[dim] · {escape_markup(one)}[/]" for one in dict.fromkeys((citation.title, of_it)) if one)
    aged = as_it_was(citation.as_of)
    sign = DIFFERS if differs else ""
    stands = escape_markup(place(session, citation.uri, citation.place))
    head = f"[cyan]\\[{citation.number}{sign}][/] [bold]{stands}[/]{title}{aged}"
    where = f"[dim]open: rove inspect {citation.document_id} --span {start}:{end}{escape_markup(session.again)}[/]"
    session.output.marked(f"{head}\n    “{_quote_markup(shown.line, citation, short)}”")
    session.output.links(shown.links, "    ")
    session.output.marked(f"    {where}")


def _quote_markup(line: str, citation: Citation, short: Citation | None) -> str:
    """Return a quote as it is shown, with the words in bold that answer."""
    words = render(short.quote).line if short and short.chunk_id == citation.chunk_id else ""
    before, found, after = line.partition(words) if words else (line, "", "")
    return (
        f"{escape_markup(before)}[bold]{escape_markup(found)}[/]{escape_markup(after)}"
        if found
        else escape_markup(line)
    )

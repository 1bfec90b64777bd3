"""`rove enrich`: work more out of documents from what the base holds of them."""

from __future__ import annotations

import sys

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from rove.cli.session import Session
from rove.enrich import ENRICHERS, Enriched, Estimate
from rove.errors import InputError, count_text
from rove.events import DocumentsEnriched, Event
from rove.sync import Rove


def enrich(session: Session, names: tuple[str, ...], yes: bool) -> None:
    """Run `rove enrich`."""
    for name in names:
        ENRICHERS.get(name)
    done: list[tuple[str, Enriched]] = []
    with session.base(writes=True) as kb:
        for name in names:
            estimate = kb.estimate_enrich(name)
            if estimate.calls and not yes:
                _agree(session, name, estimate)
            done.append((name, _enrich_with_progress(session, kb, name, estimate)))
    if session.output.as_json:
        session.output.json(
            [{"name": n, "documents": r.documents, "changed": r.changed, "notes": r.notes} for n, r in done]
        )
        return
    for name, report in done:
        session.output.line(f"{name}: found in {count_text(report.documents, 'document')}, {report.changed} changed")
        for note in report.notes:
            session.output.line(f"  {note}")


def _agree(session: Session, name: str, estimate: Estimate) -> None:
    """Say what a run comes to, and ask; where nobody can answer, refuse.

    Raises:
        InputError: nobody can be asked.
    """
    tokens = f"{estimate.input_tokens:,} tokens read and {estimate.output_tokens:,} written"
    price = f", {estimate.price:,.2f} by your prices" if estimate.price is not None else ""
    what = f"{name!r} will ask the chat model {estimate.calls:,} times: about {tokens}{price}."
    if session.output.as_json or not sys.stdin.isatty():
        raise InputError(what, cure="Say --yes, or leave the chat model out: --set enrich.ask_model=false")
    session.output.note(what)
    click.confirm("Go on?", abort=True, err=True)


def _enrich_with_progress(session: Session, kb: Rove, name: str, estimate: Estimate) -> Enriched:
    columns = (TextColumn(f"[bold]{name}"), BarColumn(), MofNCompleteColumn(), TextColumn("documents"))
    quiet = session.output.as_json or not session.output.notes.is_terminal
    with Progress(
        *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=session.output.notes, disable=quiet
    ) as progress:
        task = progress.add_task("", total=estimate.documents)

        def told(event: Event) -> None:
            if isinstance(event, DocumentsEnriched):
                progress.update(task, advance=event.count)

        return kb.enrich(name, listener=told)

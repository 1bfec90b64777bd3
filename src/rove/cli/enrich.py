"""`rove enrich`: work out fields of documents from what the base holds of them."""

from __future__ import annotations

import click

from rove.cli.session import Session, command
from rove.enrich import ENRICHERS


@command("enrich")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def enrich(session: Session, names: tuple[str, ...]) -> None:
    """Work out fields that filters and rules can use.

    NAME is "fields" (those that enrich.fields declares, found in each document) or "replies" (what was replied to each
    post).

    Nothing is read or embedded again, and running it twice changes nothing.
    """
    for name in names:
        ENRICHERS.get(name)
    with session.base() as kb:
        done = [(name, kb.enrich(name)) for name in names]
    if session.output.as_json:
        session.output.json(
            [{"name": n, "documents": r.documents, "changed": r.changed, "notes": r.notes} for n, r in done]
        )
        return
    for name, report in done:
        session.output.line(f"{name}: {report.documents} documents have fields, {report.changed} of them changed")
        for note in report.notes:
            session.output.line(f"  {note}")

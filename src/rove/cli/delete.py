"""`rove delete`: erase documents."""

from __future__ import annotations

import click

from rove.cli.session import Session, command
from rove.retrieve.condition import parse_where


@command("delete")
@click.argument("names", nargs=-1)
@click.option("--where", "-w", multiple=True, metavar="NAME=VALUE", help="Erase what this holds for.")
def delete(session: Session, names: tuple[str, ...], where: tuple[str, ...]) -> None:
    """Erase documents by id, by path, or by condition: text, chunks, vectors, and their bytes on disk."""
    if not names and not where:
        raise click.UsageError("Name a document, or give --where.")  # noqa: TRY003 - click prints it
    with session.base() as kb:
        condition = parse_where(where)
        for note in kb.notes_on(condition):  # before what has the field is gone
            session.output.note(note)
        count = kb.delete(*names, where=condition)
    if session.output.as_json:
        session.output.json({"deleted": count})
    else:
        session.output.line(f"{count} documents erased")

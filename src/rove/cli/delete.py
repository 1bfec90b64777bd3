"""`rove delete`: erase documents."""

from __future__ import annotations

import shlex

import click

from rove.cli.session import Session
from rove.document_erasure import ERASE_NOW
from rove.errors import InputError, count_text
from rove.events import Event
from rove.retrieve.condition import parse_where
from rove.settings import Address, located
from rove.store.mentions import Mentions
from rove.sync import Rove

LATER = (
    "Their bytes stay in the files of the database's tables until these are written anew: by rove doctor, or by rove "
    "delete with --erase now. Its log, its copies and its backups are its own."
)


def delete(session: Session, names: tuple[str, ...], where: tuple[str, ...], mentions: bool, erase: str) -> None:
    """Run `rove delete`."""
    if not names and not where:
        raise click.UsageError("Name a document, or give --where.")  # noqa: TRY003 - click prints it
    condition = parse_where(where)
    with session.base(writes=True) as kb:
        for note in kb.notes_on(condition):  # before what has the field is gone
            session.output.note(note.text("en"))
        held = _names_with_documents(kb, names) if mentions else names
        found = kb.mentions(*names, where=condition, listener=_ignore_event)
        now = erase == ERASE_NOW
        count = kb.delete(*held, where=condition, erase_now=now, listener=_ignore_event) if held or where else 0
        if mentions:
            found = kb.forget_mentions(*found.words)
    if session.output.as_json:
        told = {"mentions": found, "mentions_deleted": mentions} if found else {}
        session.output.json({"deleted": count, **told})
        return
    session.output.line(f"{count_text(count, 'document')} erased")
    if count and not now and isinstance(located(session.location), Address):
        session.output.note(LATER)
    if found:
        session.output.line(_mentions_text(found, erased=mentions))


def _ignore_event(event: Event) -> None:
    """Drop what was noted already."""


def _names_with_documents(kb: Rove, names: tuple[str, ...]) -> list[str]:
    """Those of these names that documents have."""
    held: list[str] = []
    for name in names:
        try:
            kb.named(name)
        except InputError:
            continue
        held.append(name)
    return held


def _mentions_text(found: Mentions, *, erased: bool) -> str:
    talks = count_text(len(found.conversations), "conversation")
    what = f"{count_text(len(found.questions), 'kept question')}, {count_text(len(found.walks), 'walk')} and {talks}"
    if erased:
        return f"{what} that name it are erased too"
    words = " ".join(map(shlex.quote, found.words))
    return f"{what} name it: they are your own words, and stay. To erase them: rove delete --mentions {words}"

"""`rove correct`: words of a document are corrected; corrections are listed, and taken back."""

from __future__ import annotations

import click

from rove.cli.session import Session
from rove.errors import InputError
from rove.records.correction_history import MadeCorrection
from rove.sync import Rove

LATEST = "last"


def correct(session: Session, name: str, words: tuple[str, ...], undo: str | None) -> None:
    """Run `rove correct`."""
    if len(words) not in (0, 2) or (words and undo is not None):
        raise click.UsageError("Give OLD and NEW, or --undo, or neither.")  # noqa: TRY003 - click prints it
    with session.base(writes=bool(words or undo)) as kb:
        document_id = kb.named(name)[0].document_id
        if undo is not None:
            kb.take_back(document_id, _correction_number(kb.corrections(document_id), undo))
        elif words:
            _replace_unique_words(kb, document_id, words[0], words[1])
        made = kb.corrections(document_id)
    if session.output.as_json:
        session.output.json(made)
        return
    shown = made[-1:] if words or undo is not None else made
    for one in shown:
        _print_correction(session, one)
    if not shown:
        session.output.note("Nothing of this document was corrected.")


def _replace_unique_words(kb: Rove, document_id: str, old: str, new: str) -> None:
    """Let other words stand where these stand, once.

    Raises:
        InputError: they are not there, or stand there several times.
    """
    text = kb.document(document_id)[0].text
    count = text.count(old) if old else 0
    if count != 1:
        message = f"{old[:80]!r} stands in this document {count} times." if count else f"{old[:80]!r} is not in it."
        raise InputError(message, cure="Give more of the text around it, so that it occurs only once.")
    start = text.index(old)
    kb.correct(document_id, (start, start + len(old)), old, new)


def _correction_number(made: list[MadeCorrection], undo: str) -> int:
    """The number that is meant; "last": of the latest that stands.

    Raises:
        InputError: it is no number, or there is none.
    """
    if undo.isdecimal():
        return int(undo)
    standing = [one.number for one in made if one.span is not None and not one.takes_back]
    if undo != LATEST or not standing:
        message = f"There is no correction {undo!r} that could be taken back."
        raise InputError(message, cure="Name one by the number that `rove correct DOCUMENT` lists.")
    return standing[-1]


def _print_correction(session: Session, one: MadeCorrection) -> None:
    said = ""
    if one.taken_back_by:
        said = f" · taken back by {one.taken_back_by}"
    elif one.takes_back:
        said = f" · takes back {one.takes_back}"
    session.output.line(f"{one.number}. {one.made_at} {one.by}{said}", style="bold")
    session.output.line(f"   - {' '.join(one.before.split())}")
    session.output.line(f"   + {' '.join(one.after.split())}")

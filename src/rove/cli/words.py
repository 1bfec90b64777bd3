"""`rove words`: the base's own dictionary: words that are one, and other words for them."""

from __future__ import annotations

from pathlib import Path

import click

from rove.cli.session import Session
from rove.errors import InputError, count_text

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def words(session: Session, word: str | None, others: tuple[str, ...], remove: bool, file: Path | None) -> None:
    """Run `rove words`."""
    put = {word: others} if word and not remove else {}
    if file:
        put |= dict(
            _parse_synonym_line(number, line)
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
            if line.strip()
        )
    with session.base(writes=bool(put or remove)) as kb:
        if remove and word not in kb.dictionary():
            message = f"{word!r} is not in the dictionary."
            raise InputError(message, cure="List it with: rove words")
        if put or remove:
            count = kb.define(put, remove=[word] if word and remove else ())
            session.output.note(f"Analysed anew: {count_text(count, 'document')}.")
        found = kb.dictionary()
    if session.output.as_json:
        session.output.json(found)
        return
    none = "The dictionary is empty. Put a word in, with other words for it: rove words WORD OTHER…"
    session.output.table(["word", "also"], [(one, ", ".join(also)) for one, also in found.items()], none)


def _parse_synonym_line(number: int, line: str) -> tuple[str, list[str]]:
    word, *others = (part.strip() for part in line.split("\t"))
    if not word:
        message = f"Line {number} begins with no word."
        raise InputError(message, cure="Write the word first, then a tab before each other word.")
    return word, [one for one in others if one]

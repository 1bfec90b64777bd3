"""What is to be known of a result: a code with parameters for programs, and a sentence in the asker's language."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

Parameter = str | int | float
FREE = "said"
"""The code of a note in whatever words: of a plug-in, or of an earlier version of Rove. Its parameter is `text`."""


@dataclass(frozen=True, slots=True)
class Note:
    """What is to be known of a result: why it was refused, which fallback found it, what was left out.

    `code` is a name in `notes/LANGUAGE.toml`; `parameters` are what its sentence there has slots for, or more.

    >>> Note("too-far", {"distance": 0.5}).text("de")
    'Nichts von dem, was gefunden wurde, liegt innerhalb des Abstands 0.50 von der Frage.'
    """

    code: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict[str, Parameter])

    def text(self, language: str) -> str:
        """Return the sentence in a language, in English where it has none; of a code that is not known, the code."""
        sentences = catalogue(language.partition("-")[0].lower())
        try:
            return (sentences.get(self.code) or catalogue("en")[self.code]).format_map(self.parameters).strip()
        except (KeyError, ValueError, TypeError):  # of another version, or a foreign file
            return self.code

    def changed(self, change: Callable[[str], str]) -> Note:
        """Return it with its texts changed, as what hides secrets in them does."""
        parameters = {name: change(one) if isinstance(one, str) else one for name, one in self.parameters.items()}
        return Note(self.code, parameters)


@lru_cache(64)
def catalogue(language: str) -> Mapping[str, str]:
    """Return the sentences in a language by their codes; none where there is no such catalogue."""
    file = files("rove.records").joinpath("notes", f"{language}.toml")
    return tomllib.loads(file.read_text("utf-8")) if language.isalpha() and file.is_file() else {}


class SaidInWords:
    """A record whose `note` says in its `language` what its `notes` are; a `note` alone is one in free words."""

    __slots__ = ()

    def __post_init__(self) -> None:
        note, notes, language = (getattr(self, name) for name in ("note", "notes", "language"))
        if note and not notes:
            notes = (Note(FREE, {"text": note}),)
        object.__setattr__(self, "notes", notes)
        object.__setattr__(self, "note", notes_text(notes, language))


def notes_text(notes: Iterable[Note], language: str) -> str:
    """Return the sentences of notes, each once, in their order."""
    return " ".join(dict.fromkeys(note.text(language) for note in notes))

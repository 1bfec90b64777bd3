"""Small talk: greetings, thanks, farewells and questions about the assistant itself, which no document answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rove.answer.refusal import letters
from rove.answer.word_lists import nested_tables
from rove.records import Answer

MOST_CHARS = 80
"""Whoever writes more asks for something else too."""
PERSONA = "persona"
"""The mode of answers to small talk that no chat model has written."""


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """A message that is small talk as a whole; `language`: the one whose words it has."""

    kind: Literal["itself", "greeting", "thanks", "farewell"]
    language: str

    def answer(self, message: str, persona: str) -> Answer:
        """Reply to the message without a chat model; `persona` is quoted, "" where none is set."""
        said = nested_tables("small_talk")[self.language]["said"]
        itself = said["persona"].replace("{persona}", persona) if persona else said["self"]
        return Answer(message, said[self.kind].replace("{self}", itself), PERSONA, self.language)


def small_talk(message: str) -> SmallTalk | None:
    """Return what kind of small talk a whole message is, in any of the languages that are known; None for a question.

    >>> [small_talk(said).kind for said in ("Hello there", "Stell dich vor!", "你是谁？", "ありがとう")]
    ['greeting', 'itself', 'itself', 'thanks']
    >>> small_talk("Who are you sending to the conference?")
    """
    said = letters(message) if len(message) <= MOST_CHARS else ""
    for language, words in nested_tables("small_talk").items():
        for kind, asked in words["asked"].items():
            if re.fullmatch(asked, said):
                return SmallTalk(kind, language)  # pyright: ignore[reportArgumentType] - the names in the table
    return None

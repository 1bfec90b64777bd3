"""Messages that ask nothing of the documents: a greeting, thanks, a question about the assistant itself."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

from rove.answer.refusal import letters
from rove.answer.word_lists import tables
from rove.records import Answer
from rove.settings import AnswerSettings
from rove.settings.presets import PRESETS

CHITCHAT = "chitchat"
ITSELF = "itself"
MOST_CHARS = 80
"""Whoever writes more asks for something else too."""


@dataclass(frozen=True, slots=True)
class Chitchat:
    """What such a message is: its kind, as "greeting" or "itself", the language it is known in, the usual reply."""

    kind: str
    language: str
    reply: str


def chitchat(message: str, language: str = "") -> Chitchat | None:
    """Say what a whole message is; None where it may ask for more. One known in several is taken in this language.

    >>> [chitchat(said).kind for said in ("Hello there!", "Vielen Dank", "你是谁？")]
    ['greeting', 'thanks', 'itself']
    >>> chitchat("Who are you sending to the conference?"), chitchat("Hello, who approves leave?")
    (None, None)
    """
    said = letters(message) if len(message) <= MOST_CHARS else ""
    known = [
        Chitchat(kind, spoken, words["reply"])
        for kind, languages in _chitchat_table().items()
        for spoken, words in languages.items()
        if re.fullmatch(words["said"], said)
    ]
    return min(known, key=lambda one: one.language != language.partition("-")[0], default=None)


def replied(message: str, known: Chitchat, settings: AnswerSettings) -> Answer:
    """Answer a message without a chat model; who the assistant is says the persona, if one is set."""
    text = _portrait(known, settings) if known.kind == ITSELF else known.reply
    return Answer(message, text, CHITCHAT, known.language)


def _portrait(known: Chitchat, settings: AnswerSettings) -> str:
    """The persona, where there is one: the campus' own demonstration, or the persona's words as they were set."""
    if settings.persona == AnswerSettings().persona:
        return known.reply
    demonstrations = tables("demonstrations")
    if settings.persona == PRESETS["campus"]["answer"]["persona"]:
        return demonstrations.get(known.language, demonstrations["en"])["self"]
    return f"“{settings.persona}”"


@cache
def _chitchat_table() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    found = tomllib.loads(files("rove.answer").joinpath("chitchat.toml").read_text("utf-8"))
    return cast("Mapping[str, Mapping[str, Mapping[str, str]]]", found)

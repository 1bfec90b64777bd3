"""Errors whose class decides what a caller does, and whose message gives the value, the reason and the cure."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

CONDITION_TOO_LONG = "The condition has {condition} characters; {limit} are read."
SHORTEN = "Shorten it; add a long text as a document."
MAX_QUESTION_CHARS = 32_000
"""A question, a request, the goal of a walk or a condition may have so many characters, whichever way it comes."""
MEANT = "Did you mean {named!r}?"
SHORT = 3
"""Characters of a name that one wrong one leaves only half like what was meant."""


class RoveError(Exception):
    """Any error that Rove raises on purpose. `cure` says what to do; it is part of the message."""

    def __init__(self, message: str, *, cure: str = "") -> None:
        super().__init__(f"{message} {cure}".strip())
        self.reason = message
        self.cure = cure


class ConfigError(RoveError):
    """The set-up is wrong; trying again can never help."""


class EmbedderMovedError(ConfigError):
    """The base has another embedder since this process opened it: what it would compare or keep is of the one before.

    Nothing that it found since is handed out, and nothing that it writes is kept.
    """


class InputError(RoveError):
    """This document or query can never work as it is; others can.

    `outcome` is the ledger's word for it: see `records.ledger.LedgerEntry`.
    """

    def __init__(self, message: str, *, cure: str = "", outcome: str = "damaged") -> None:
        super().__init__(message, cure=cure)
        self.outcome = outcome


class ServiceError(RoveError):
    """Something outside failed: a model's endpoint, a disk, another process. `retryable` says whether waiting helps."""

    def __init__(self, message: str, *, cure: str = "", retryable: bool = True) -> None:
        super().__init__(message, cure=cure)
        self.retryable = retryable


class CutReplyError(ServiceError):
    """A chat model's reply is not whole: it ended too early, or was ended. What was handed on before is all there is.

    What is whole in it can be used by those who say that the rest is missing; to all others it is a failure.
    """


class CatalogReplacedError(ServiceError):
    """The file that this process has open as the catalog is no longer the one of its name, or holds what another wrote.

    What it would write is lost, and what it would read is past. `reopens`: another file is there, which can be opened.
    """

    def __init__(self, message: str, *, cure: str, reopens: bool = False) -> None:
        super().__init__(message, cure=cure)
        self.reopens = reopens


class FieldWarning(UserWarning):
    """A filter names a field that no document has, which a misspelt name does too; it is no error."""


class EmbedderWarning(UserWarning):
    """Passages are not found by meaning for now: the embedder that has made their vectors is not there."""


def check_asked(text: object) -> None:
    """See that something is asked, and no more than is read.

    Raises:
        InputError: the question is no text, blank, or too long.
    """
    if not isinstance(text, str):
        message = f"The question is {text!r:.80}, of type {type(text).__name__}."
        raise InputError(message, cure='Give it as text: "Who approves it?"')
    if not text.strip():
        message = "The question is blank."
        raise InputError(message, cure="Ask something.", outcome="empty")
    check_question_length(text)


def check_question_length(text: str, named: str = "question") -> None:
    """See that what is asked is no longer than `MAX_QUESTION_CHARS`.

    Raises:
        InputError: it is.
    """
    if len(text) > MAX_QUESTION_CHARS:
        message = CONDITION_TOO_LONG.format(condition=len(text), limit=MAX_QUESTION_CHARS)
        raise InputError(message.replace("condition", named, 1), cure=SHORTEN, outcome="unsupported")


def count_text(number: int, noun: str, plural: str = "") -> str:
    """Say how many there are: one of them is no plural.

    >>> count_text(1, "sentence"), count_text(1200, "sentence"), count_text(0, "entity", "entities")
    ('1 sentence', '1,200 sentences', '0 entities')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def meant(name: str, known: Iterable[str]) -> str:
    """Ask whether the name most like this one was meant; "" where none is like it. A space follows.

    >>> meant("topci", ["topic", "year"])
    "Did you mean 'topic'? "
    """
    found = nearest_name(name, known)
    return f"{MEANT.format(named=found)} " if found else ""


def nearest_name(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most like this one; "" where none is like it."""
    names = {one.casefold(): one for one in known if one}
    cutoff = 0.5 if len(name) <= SHORT else 0.6
    found = get_close_matches(name.casefold(), names, n=1, cutoff=cutoff)
    return names[found[0]] if found else ""

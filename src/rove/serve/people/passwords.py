"""Passwords: which may be chosen (NIST SP 800-63B-4), and argon2id hashes of them, two at once at most."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from secrets import token_hex
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from rove.errors import InputError
from rove.serve.problems import ThrottledError

LEAST_CHARS, MOST_CHARS = 10, 200
AT_ONCE, MOST_WAITING = 2, 32
"""A hash takes 64 MB and some 50 ms."""
SHORT, LONG = "A password has 10 characters at least.", "A password has 200 characters at most."
NAMED = "The name cannot be the password."
COMMON = "This is one of the first passwords that anybody would try."
CHOOSE = "Choose another: a few words that only you would put together are good."
BUSY, BUSY_CURE = "Too many people are signing in at this moment.", "Try it again in a moment."
ROWS = ("0123456789" * (MOST_CHARS // 10 + 1), "abcdefghijklmnopqrstuvwxyz")
Result = TypeVar("Result")


class Passwords:
    """Makes and compares hashes, in threads."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        self._places = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0
        self._nobodys = ""

    async def hash(self, password: str) -> str:
        """Return what is kept of a password.

        Raises:
            ThrottledError: too many wait for theirs.
        """
        return await self._work(lambda: self._hasher.hash(_normalize_password(password)))

    async def fits(self, kept: str, password: str) -> bool:
        """Whether this is the password of a hash; without a hash it takes as long to say no.

        Raises:
            ThrottledError: too many wait for theirs.
        """
        return await self._work(lambda: self._fits(kept or self._nobody(), password) and bool(kept))

    def is_old(self, kept: str) -> bool:
        """Whether a hash was made with other parameters than are usual by now."""
        return self._hasher.check_needs_rehash(kept)

    def _fits(self, kept: str, password: str) -> bool:
        try:
            return self._hasher.verify(kept, _normalize_password(password))
        except (Argon2Error, InvalidHashError):
            return False

    def _nobody(self) -> str:
        """A hash of what nobody knows."""
        self._nobodys = self._nobodys or self._hasher.hash(token_hex(32))
        return self._nobodys

    async def _work(self, work: Callable[[], Result]) -> Result:
        if self._waiting >= MOST_WAITING:
            raise ThrottledError(BUSY, cure=BUSY_CURE, retry_after_s=2)
        self._waiting += 1
        try:
            async with self._places:
                return await asyncio.to_thread(work)
        finally:
            self._waiting -= 1


def check_password(password: str, name: str) -> None:
    """See that somebody of this name can have a password.

    Raises:
        InputError: it is too short or too long, or easily guessed.
    """
    plain = _normalize_password(password).casefold()
    if len(plain) < LEAST_CHARS:
        raise InputError(SHORT, cure=CHOOSE)
    if len(password) > MOST_CHARS:
        raise InputError(LONG, cure=CHOOSE)
    if plain.strip() == name.casefold():
        raise InputError(NAMED, cure=CHOOSE)
    if plain in _commonest() or len(set(plain)) < 3 or _is_character_sequence(plain):
        raise InputError(COMMON, cure=CHOOSE)


def _is_character_sequence(text: str) -> bool:
    """Say whether characters follow one another, as in "abcdefghij".

    >>> _is_character_sequence("6789012345"), _is_character_sequence("zyxwvutsrq"), _is_character_sequence("123abc7890")
    (True, True, False)
    """
    return any(text in row or text[::-1] in row for row in ROWS)


def _normalize_password(password: str) -> str:
    """Return a password as every keyboard writes it."""
    return unicodedata.normalize("NFKC", password)


@cache
def _commonest() -> frozenset[str]:
    return frozenset(files("rove.serve.people").joinpath("commonest.txt").read_text("utf-8").split("\n"))

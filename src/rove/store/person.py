"""Somebody who may sign in, and the tokens of sessions and invitations."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who may sign in: see `people_tables`. The name does not change; the id is never another's."""

    person_id: str
    name: str
    full_name: str
    role: str
    spaces: tuple[str, ...]
    labels: tuple[str, ...] | None
    password: str
    issuer: str
    subject: str
    disabled: bool
    created_at: str
    last_seen: str

    @property
    def state(self) -> str:
        """Either "disabled", "invited" (nobody has signed in by it yet, nor can) or "active"."""
        return "disabled" if self.disabled else "active" if self.password or self.subject else "invited"


@dataclass(frozen=True, slots=True)
class PersonSession:
    """A session; times are ISO 8601 in UTC."""

    token_hash: str
    way: str
    created_at: str
    seen_at: str


def make_token() -> str:
    """Make what a cookie or a link holds: 256 random bits."""
    return token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return what is kept of a token."""
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def folded(name: str) -> str:
    """Return a name as it is compared: nobody is to be taken for somebody else because of a letter's case or width.

    >>> folded("Anna"), folded("ANNA")
    ('anna', 'anna')
    """
    return unicodedata.normalize("NFKC", name).casefold()

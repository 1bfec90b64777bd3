"""Somebody who may sign in to a server, and a session of theirs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who may sign in: see `rove.store.people_tables`. The name does not change; the id is never another's."""

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

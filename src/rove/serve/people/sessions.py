"""Sessions: the caller that a cookie stands for, looked up once a second at most, and signed out when it is time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic

from rove.errors import RoveError
from rove.serve.admission.callers import Caller
from rove.serve.people.roles import ROLES
from rove.settings import ServeSettings
from rove.store.people_log import PeopleLog
from rove.store.person import Person, PersonSession, hash_token

KNOWN_S = 1.0
"""So long a session is believed without a look: what another server has changed counts after that."""
NOTED = timedelta(minutes=1)
"""So often it is written down at most that a session is used."""
MOST = 10_000
log = logging.getLogger("rove.serve")


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Somebody who is signed in, and the caller that this makes."""

    session: PersonSession
    person: Person
    caller: Caller


class Sessions:
    """The sessions of a server's people."""

    def __init__(self, people: PeopleLog, settings: ServeSettings, admit: Callable[[Person], bool]) -> None:
        """Open them; `admit` makes the bases ready for somebody, or says that they cannot be."""
        self._people = people
        self._idle, self._max = timedelta(hours=settings.session_idle_h), timedelta(hours=settings.session_max_h)
        self._admit = admit
        self._known: dict[str, tuple[SignedIn, float]] = {}
        self._noting: dict[str, asyncio.Task[None]] = {}

    async def find(self, token: str) -> SignedIn | None:
        """Who is signed in by this token; None where nobody is.

        Raises:
            ServiceError: that cannot be found out now.
        """
        hashed = hash_token(token)
        known = self._known.get(hashed)
        if known and monotonic() - known[1] < KNOWN_S:
            return known[0]
        looked_at = monotonic()
        found = await asyncio.to_thread(self._look, hashed)
        self._known.pop(hashed, None)
        if found:
            self._known[hashed] = (found, looked_at)
            if len(self._known) > MOST:
                del self._known[next(iter(self._known))]
            if _ago(found.session.seen_at) > NOTED and hashed not in self._noting:
                self._note(found)
        return found

    async def end(self, token_hash: str) -> None:
        """Sign out."""
        await asyncio.to_thread(self._people.end_session, token_hash)
        self._known.pop(token_hash, None)

    def forget(self) -> None:
        """Look at each session anew."""
        self._known.clear()

    async def settle(self) -> None:
        """Wait until what is being written down is."""
        await asyncio.gather(*self._noting.values())

    def _look(self, hashed: str) -> SignedIn | None:
        found = self._people.session(hashed)
        if found is None:
            return None
        session, person = found
        if _ago(session.seen_at) > self._idle or _ago(session.created_at) > self._max or not self._admit(person):
            return None
        return SignedIn(session, person, caller_of_person(person))

    def _note(self, found: SignedIn) -> None:
        hashed = found.session.token_hash

        async def note() -> None:
            try:
                await asyncio.to_thread(self._people.touch, hashed, found.person.person_id)
            except RoveError as error:  # who is signed in stays so
                log.warning("session not noted", extra={"reason": str(error)})
            finally:
                del self._noting[hashed]

        self._noting[hashed] = asyncio.create_task(note())


def caller_of_person(person: Person) -> Caller:
    """What the role, the spaces and the labels of somebody give."""
    rights = frozenset(ROLES.get(person.role, ()))
    return Caller(person.name, person.spaces, rights, person.labels, person.person_id)


def _ago(moment: str) -> timedelta:
    return datetime.now(UTC) - datetime.fromisoformat(moment)

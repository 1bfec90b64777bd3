"""People in the catalog: who may sign in, who is signed in, and who is invited to set a password."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from secrets import token_hex, token_urlsafe
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from rove.errors import InputError
from rove.records.person import Person, PersonSession
from rove.store.database import Database, get_fact, set_fact
from rove.store.dialect import within
from rove.store.failpoints import failpoint
from rove.store.people_tables import UNREADABLE, people, person_invitations, person_sessions, read_texts

PEOPLE = "people"
"""The fact that counts the changes of people and keys: servers look at it to see those that others have made."""
SESSIONS_EACH = 20
"""Sessions of one person, at most: the one that was used the longest ago ends for a new one."""
INVITED_H = 7 * 24
_P, _S, _I = people.c, person_sessions.c, person_invitations.c


Check = Callable[[Sequence[Person], Sequence[Person]], None]
"""Looks at all people before and after a change, and raises where it must not be; then nothing is changed."""


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


class PeopleLog:
    """The tables of people. Calls block for as long as the disk takes."""

    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database = database
        self._clock = clock

    # -- people ----------------------------------------------------------------------------------------------------

    def changes(self) -> str:
        """A word that is another one after each change of people or keys, whichever process made it."""
        with self._database.read() as connection:
            return get_fact(connection, PEOPLE)

    def people(self) -> list[Person]:
        """All of them, by name."""
        with self._database.read() as connection:
            return _select_all_people(connection)

    def get(self, name: str) -> Person | None:
        """Who has this name, whatever its case."""
        with self._database.read() as connection:
            row = connection.execute(select(people).where(_P.folded == folded(name))).first()
        return _person(row) if row else None

    def of_subject(self, issuer: str, subject: str) -> Person | None:
        """Who is this at an OpenID provider."""
        with self._database.read() as connection:
            one = (_P.issuer == issuer) & (_P.subject == subject)
            row = connection.execute(select(people).where(one)).first()
        return _person(row) if row else None

    def make(
        self,
        name: str,
        *,
        full_name: str,
        role: str,
        spaces: Sequence[str],
        labels: Sequence[str] | None,
        issuer: str = "",
        subject: str = "",
        check: Check | None = None,
    ) -> Person:
        """Put somebody in, without a password.

        Raises:
            InputError: there is somebody of this name.
        """
        row: dict[str, Any] = {"person_id": token_hex(8), "name": name, "folded": folded(name), "full_name": full_name}
        row |= {
            "role": role,
            "spaces": json.dumps(list(spaces)),
            "labels": _encode_person_labels(labels),
            "password": "",
        }
        row |= {"issuer": issuer, "subject": subject, "disabled": False, "created_at": self._now(), "last_seen": ""}
        try:
            with self._database.write() as connection:
                before = _select_all_people(connection)
                connection.execute(insert(people).values(**row))
                self._changed(connection, before, check)
        except IntegrityError as error:
            message = f"There is somebody called {name!r} already."
            raise InputError(message, cure="Choose another name.") from error
        failpoint("person")
        return _only(self.get(name))

    def change(self, person_id: str, check: Check | None = None, **values: Any) -> None:  # noqa: ANN401 - columns
        """Change some columns; whoever is disabled or has another role by that is signed out."""
        if "spaces" in values:
            values["spaces"] = json.dumps(list(values["spaces"]))
        if "labels" in values:
            values["labels"] = _encode_person_labels(values["labels"])
        with self._database.write() as connection:
            before = _select_all_people(connection)
            connection.execute(update(people).where(_P.person_id == person_id).values(**values))
            if values.get("disabled") or any(
                one.role != values.get("role", one.role) for one in _people_with_id(before, person_id)
            ):
                connection.execute(delete(person_sessions).where(_S.person_id == person_id))
            if values.get("disabled"):
                connection.execute(delete(person_invitations).where(_I.person_id == person_id))
            self._changed(connection, before, check)

    def remove(self, person_id: str, check: Check | None = None) -> None:
        """Take somebody out, with sessions and invitations."""
        with self._database.write() as connection:
            before = _select_all_people(connection)
            for table in (person_sessions, person_invitations, people):
                connection.execute(delete(table).where(table.c.person_id == person_id))
            self._changed(connection, before, check)
        self._database.shrink()

    def set_password(self, person_id: str, password: str, *, keep: str) -> None:
        """Keep another hash of a password, and end all sessions but the one of this hash, and the invitation."""
        with self._database.write() as connection:
            connection.execute(update(people).where(_P.person_id == person_id).values(password=password))
            connection.execute(delete(person_sessions).where(_S.person_id == person_id, _S.token_hash != keep))
            connection.execute(delete(person_invitations).where(_I.person_id == person_id))
            self._count(connection)

    def rehash(self, person: Person, password: str) -> None:
        """Keep another hash of the same password, unless it was changed meanwhile; nobody is signed out."""
        one = (_P.person_id == person.person_id) & (_P.password == person.password)
        with self._database.write() as connection:
            connection.execute(update(people).where(one).values(password=password))

    # -- invitations -----------------------------------------------------------------------------------------------

    def invite(self, person_id: str) -> tuple[str, str]:
        """Make an invitation in place of the one before; returns its token, which is not kept, and when it expires."""
        token, expires_at = make_token(), _utc_iso_text(self._clock() + timedelta(hours=INVITED_H))
        with self._database.write() as connection:
            connection.execute(delete(person_invitations).where(_I.person_id == person_id))
            row = {"token_hash": hash_token(token), "person_id": person_id, "expires_at": expires_at}
            connection.execute(insert(person_invitations).values(**row))
        return token, expires_at

    def invited(self, token: str) -> Person | None:
        """Whom an invitation is for, as long as it is valid."""
        with self._database.read() as connection:
            return self._invited(connection, token)

    def accept(self, token: str, password: str) -> Person | None:
        """Set the password of an invitation, which is used up by that; all sessions of the person end.

        None where the invitation is not valid, or not any more.
        """
        with self._database.write() as connection:
            person = self._invited(connection, token)
            if person is None:
                return None
            connection.execute(delete(person_invitations).where(_I.person_id == person.person_id))
            connection.execute(delete(person_sessions).where(_S.person_id == person.person_id))
            connection.execute(update(people).where(_P.person_id == person.person_id).values(password=password))
            self._count(connection)
        return self.get(person.name)

    def _invited(self, connection: Connection, token: str) -> Person | None:
        valid = (_I.token_hash == hash_token(token)) & (_I.expires_at > self._now()) & ~_P.disabled
        row = connection.execute(select(people).join_from(people, person_invitations).where(valid)).first()
        return _person(row) if row else None

    # -- sessions --------------------------------------------------------------------------------------------------

    def begin_session(self, person_id: str, way: str, *, idle_h: float, max_h: float) -> str:
        """Sign somebody in; returns the session's token, which is not kept. Sessions that have expired go."""
        token, now = make_token(), self._clock()
        idle, oldest = _utc_iso_text(now - timedelta(hours=idle_h)), _utc_iso_text(now - timedelta(hours=max_h))
        latest = select(_S.token_hash).where(_S.person_id == person_id).order_by(_S.seen_at.desc())
        with self._database.write() as connection:
            connection.execute(delete(person_sessions).where((_S.seen_at < idle) | (_S.created_at < oldest)))
            connection.execute(delete(person_invitations).where(_I.expires_at < _utc_iso_text(now)))
            surplus = list(connection.execute(latest).scalars())[SESSIONS_EACH - 1 :]
            connection.execute(delete(person_sessions).where(within(_S.token_hash, surplus)))
            row = {"token_hash": hash_token(token), "person_id": person_id, "way": way}
            connection.execute(
                insert(person_sessions).values(**row, created_at=_utc_iso_text(now), seen_at=_utc_iso_text(now))
            )
            connection.execute(update(people).where(_P.person_id == person_id).values(last_seen=_utc_iso_text(now)))
        return token

    def session(self, token_hash: str) -> tuple[PersonSession, Person] | None:
        """A session and whose it is; whether it has expired is for the caller to say."""
        query = select(person_sessions, people).join_from(person_sessions, people)
        with self._database.read() as connection:
            row = connection.execute(query.where(_S.token_hash == token_hash, ~_P.disabled)).first()
        if row is None:
            return None
        return PersonSession(row.token_hash, row.way, row[3], row.seen_at), _person(row[len(person_sessions.c) :])

    def touch(self, token_hash: str, person_id: str) -> None:
        """Note that a session is used now."""
        now = self._now()
        with self._database.write() as connection:
            connection.execute(update(person_sessions).where(_S.token_hash == token_hash).values(seen_at=now))
            connection.execute(update(people).where(_P.person_id == person_id).values(last_seen=now))

    def end_session(self, token_hash: str) -> None:
        """Sign out."""
        with self._database.write() as connection:
            connection.execute(delete(person_sessions).where(_S.token_hash == token_hash))

    def end_sessions(self, person_id: str) -> None:
        """Sign somebody out wherever they have signed in."""
        with self._database.write() as connection:
            connection.execute(delete(person_sessions).where(_S.person_id == person_id))

    # -- inside ----------------------------------------------------------------------------------------------------

    def _changed(self, connection: Connection, before: Sequence[Person], check: Check | None) -> None:
        if check:
            check(before, _select_all_people(connection))
        self._count(connection)

    def _count(self, connection: Connection) -> None:
        count_change(connection)

    def _now(self) -> str:
        return _utc_iso_text(self._clock())


def count_change(connection: Connection) -> None:
    """Let the servers of the base see that people or keys have changed."""
    set_fact(connection, PEOPLE, str(int(get_fact(connection, PEOPLE, "0")) + 1))


def is_any(database: Database) -> bool:
    """Whether anybody may sign in to a base. Blocks."""
    with database.read() as connection:
        return bool(connection.execute(select(func.count()).select_from(people)).scalar_one())


def _select_all_people(connection: Connection) -> list[Person]:
    return [_person(row) for row in connection.execute(select(people).order_by(_P.folded))]


def _people_with_id(found: Sequence[Person], person_id: str) -> list[Person]:
    return [person for person in found if person.person_id == person_id]


def _person(row: Sequence[Any]) -> Person:
    person_id, name, _, full_name, role, spaces, labels, password, issuer, subject, disabled, created, seen = row
    try:
        may_spaces, may_labels = read_texts(spaces), read_texts(labels) if labels else None
    except UNREADABLE:  # nobody knows what this person may do
        may_spaces, may_labels, disabled = (), (), True
    return Person(
        person_id,
        name,
        full_name,
        role,
        may_spaces,
        may_labels,
        password,
        issuer,
        subject,
        bool(disabled),
        created,
        seen,
    )


def _only(found: Person | None) -> Person:
    if found is None:
        message = "The person was taken out at this moment."
        raise InputError(message, cure="Look at the list of people.")
    return found


def _encode_person_labels(labels: Sequence[str] | None) -> str:
    return "" if labels is None else json.dumps(list(labels))


def _utc_iso_text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")

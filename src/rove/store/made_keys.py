"""Keys that administrators have made on the page, in the catalog: every server of the base lets them in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.exc import IntegrityError

from rove.errors import InputError
from rove.store.database import Database
from rove.store.people_log import count_change
from rove.store.people_tables import UNREADABLE, made_keys, read_texts

_K = made_keys.c


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A key as it is kept: its hash, and what it gives. `labels` None: all documents."""

    name: str
    hash: str
    spaces: tuple[str, ...]
    rights: tuple[str, ...]
    labels: tuple[str, ...] | None


class MadeKeys:
    """The table of these keys. Calls block for as long as the disk takes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def listed(self) -> list[MadeKey]:
        """All of them, by name; one of which nobody knows what it gives any more gives nothing."""
        with self._database.read() as connection:
            rows = connection.execute(select(made_keys).order_by(_K.name)).all()
        return [_access_key_from_row(*row) for row in rows]

    def put(self, key: MadeKey) -> None:
        """Keep a key.

        Raises:
            InputError: there is one of this name.
        """
        labels = "" if key.labels is None else _encode_key_texts(key.labels)
        row = {
            "name": key.name,
            "hash": key.hash,
            "spaces": _encode_key_texts(key.spaces),
            "rights": _encode_key_texts(key.rights),
        }
        try:
            with self._database.write() as connection:
                now = datetime.now(UTC).isoformat(timespec="milliseconds")
                connection.execute(insert(made_keys).values(**row, labels=labels, created_at=now))
                count_change(connection)
        except IntegrityError as error:
            message = f"There is a key called {key.name!r} already."
            raise InputError(message, cure="Choose another name.") from error

    def remove(self, name: str) -> bool:
        """Take a key back; False where there is none of this name."""
        with self._database.write() as connection:
            gone = bool(connection.execute(delete(made_keys).where(_K.name == name)).rowcount)
            count_change(connection)
        return gone


def _access_key_from_row(name: str, hashed: str, spaces: str, rights: str, labels: str, _: str) -> MadeKey:
    try:
        return MadeKey(name, hashed, read_texts(spaces), read_texts(rights), read_texts(labels) if labels else None)
    except UNREADABLE:
        return MadeKey(name, hashed, (), (), ())


def _encode_key_texts(words: Sequence[str]) -> str:
    return json.dumps(list(words))

"""Callers: who asks, by which key, and what that key gives."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hmac import compare_digest

from rove.records import Filter
from rove.records.filter import AccessFilter
from rove.serve.admission.keys import hash_key
from rove.serve.problems import DeniedError, UnknownCallerError
from rove.settings import KeySettings

EVERY_SPACE = "*"
PERSON = "person:"
"""What the owner of a person's things begins with; no key is called so."""
RIGHTS = frozenset({"read", "add", "delete", "admin"})
CURE = "Sign in on the server's page; a program sends a key as the header Authorization: Bearer KEY."


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. `spaces` may hold `EVERY_SPACE`; `labels` None: documents of any label, and of none.

    `person_id`: of somebody who has signed in; "" for a key.
    """

    name: str
    spaces: tuple[str, ...]
    rights: Collection[str]
    labels: tuple[str, ...] | None = None
    person_id: str = ""

    @property
    def owner(self) -> str:
        """What belongs to this caller is kept under this: a person's never becomes another's of the same name later.

        >>> Caller("anna", ("*",), RIGHTS).owner, Caller("anna", ("*",), RIGHTS, person_id="0f").owner
        ('anna', 'person:0f')
        """
        return f"{PERSON}{self.person_id}" if self.person_id else self.name

    def opens(self, space: str) -> bool:
        """Say whether the space is one of this caller's."""
        return EVERY_SPACE in self.spaces or space in self.spaces

    def require_every_space(self) -> None:
        """Raise `DeniedError` unless this is an administrator of every space."""
        if "admin" not in self.rights or EVERY_SPACE not in self.spaces:
            message = "This needs the right 'admin' in every space."
            raise DeniedError(message, cure="Ask an administrator.")

    def access_filter(self, access_field: str) -> Filter | None:
        """The filter that every document must pass to be this caller's to see; None where all are.

        >>> Caller("a", ("*",), RIGHTS, ("hr",)).access_filter("access")
        AccessFilter(name='access', op='in', value=('hr',))
        """
        return None if self.labels is None else AccessFilter(access_field, "in", self.labels)


LOCAL = Caller("local", (EVERY_SPACE,), RIGHTS)
"""Whoever sits at this machine, where no keys are set up, and no people."""
NOBODY = Caller("", (), frozenset())
"""Whoever is about to sign in."""


class Callers:
    """Finds the caller of a key. Where there has never been a key, nor somebody who may sign in, everyone is `LOCAL`.

    Keys stand in the settings file, or were `made` on the page; of two of one name that of the file counts.
    """

    def __init__(
        self, keys: Mapping[str, KeySettings], made: Mapping[str, KeySettings] | None = None, *, people: bool = False
    ) -> None:
        self._file, self._made = keys, made or {}
        self._keys: Mapping[str, KeySettings] = {}
        self._callers: list[tuple[bytes, Caller]] = []
        self._gather()
        self._open = not self._keys and not people

    @property
    def keys(self) -> Mapping[str, KeySettings]:
        """The keys that count, by name."""
        return self._keys

    @property
    def file_keys(self) -> Mapping[str, KeySettings]:
        """Those of the settings file."""
        return self._file

    @property
    def is_open(self) -> bool:
        """Whether everyone is `LOCAL`."""
        return self._open

    def replace(self, keys: Mapping[str, KeySettings]) -> set[str]:
        """Let these keys of the settings file count instead; returns the names of callers who have lost theirs.

        So does who has other rights by it now. When the last key is taken away nobody comes in: a server that was
        closed never opens by itself.
        """
        self._file = keys
        return self._replaced()

    def replace_made(self, made: Mapping[str, KeySettings], *, people: bool) -> set[str]:
        """Likewise for those made on the page; `people`: somebody may sign in."""
        self._made = made
        return self._replaced(people=people)

    def _replaced(self, *, people: bool = False) -> set[str]:
        before = self._keys
        self._gather()
        closed = self._open and (bool(self._keys) or people)
        self._open = self._open and not closed
        lost = {name for name, key in before.items() if self._keys.get(name) != key}
        return lost | ({LOCAL.name} if closed else set())

    def _gather(self) -> None:
        self._keys = {**self._made, **self._file}
        self._callers = [(one.hash.encode(), _caller_from_key(name, one)) for name, one in self._keys.items()]

    def find(self, authorization: str) -> Caller:
        """Return the caller of an Authorization header; where there are no keys at all, `LOCAL`.

        Every key is compared, and each in constant time.

        Raises:
            UnknownCallerError: no key, or not one of ours.
        """
        if self._open:
            return LOCAL
        scheme, _, key = authorization.partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            message = "Nobody is signed in, and the request has no key."
            raise UnknownCallerError(message, cure=CURE)
        given = hash_key(key.strip()).encode()
        found = [caller for kept, caller in self._callers if compare_digest(kept, given)]
        if not found:
            message = "The key is not known here."
            raise UnknownCallerError(message, cure=CURE)
        return found[0]


def _caller_from_key(name: str, key: KeySettings) -> Caller:
    return Caller(name, key.spaces, frozenset(key.rights), key.labels)

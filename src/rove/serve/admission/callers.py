"""Callers: who asks, by which key, and what that key gives."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hmac import compare_digest

from rove.records import Filter
from rove.records.filter import AccessFilter
from rove.serve.admission.keys import hash_key
from rove.serve.problems import UnknownCallerError
from rove.settings import KeySettings

EVERY_SPACE = "*"
RIGHTS = frozenset({"read", "add", "delete", "admin"})
CURE = "Send a key that whoever runs the server has made, as the header Authorization: Bearer KEY."


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. `spaces` may hold `EVERY_SPACE`; `labels` None: documents of any label, and of none."""

    name: str
    spaces: tuple[str, ...]
    rights: Collection[str]
    labels: tuple[str, ...] | None = None

    def opens(self, space: str) -> bool:
        """Say whether the space is one of this caller's."""
        return EVERY_SPACE in self.spaces or space in self.spaces

    def access_filter(self, access_field: str) -> Filter | None:
        """The filter that every document must pass to be this caller's to see; None where all are.

        >>> Caller("a", ("*",), RIGHTS, ("hr",)).access_filter("access")
        AccessFilter(name='access', op='in', value=('hr',))
        """
        return None if self.labels is None else AccessFilter(access_field, "in", self.labels)


LOCAL = Caller("local", (EVERY_SPACE,), RIGHTS)
"""Whoever sits at this machine, where no keys are set up."""


class Callers:
    """Finds the caller of a key. Where there has never been a key, everyone is `LOCAL`."""

    def __init__(self, keys: Mapping[str, KeySettings]) -> None:
        self._keys = keys
        self._callers = [(one.hash.encode(), _caller(name, one)) for name, one in keys.items()]
        self._open = not keys

    @property
    def keys(self) -> Mapping[str, KeySettings]:
        """The keys that count, by name."""
        return self._keys

    def replace(self, keys: Mapping[str, KeySettings]) -> set[str]:
        """Let these keys count instead; returns the names of callers who have lost theirs, or have other rights now.

        When the last key is taken away nobody comes in: a server that was closed never opens by itself.
        """
        before = self._keys
        self._keys = keys
        self._callers = [(one.hash.encode(), _caller(name, one)) for name, one in keys.items()]
        closed, self._open = self._open and bool(keys), self._open and not keys
        return {name for name, key in before.items() if keys.get(name) != key} | ({LOCAL.name} if closed else set())

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
            message = "The request has no key."
            raise UnknownCallerError(message, cure=CURE)
        given = hash_key(key.strip()).encode()
        found = [caller for kept, caller in self._callers if compare_digest(kept, given)]
        if not found:
            message = "The key is not known here."
            raise UnknownCallerError(message, cure=CURE)
        return found[0]


def _caller(name: str, key: KeySettings) -> Caller:
    return Caller(name, key.spaces, frozenset(key.rights), key.labels)

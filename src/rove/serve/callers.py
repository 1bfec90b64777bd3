"""Callers: who asks, by which key, and what that key gives."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hmac import compare_digest

from rove.records import Filter, field
from rove.serve.keys import hash_key
from rove.serve.problems import UnknownCallerError
from rove.settings import KeySettings

EVERY_SPACE = "*"
RIGHTS = frozenset({"read", "add", "delete", "admin"})
CURE = "Send a key that `rove serve key` has made, as the header Authorization: Bearer KEY."


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

    def sight(self, access_field: str) -> Filter | None:
        """The filter that every document must pass to be this caller's to see; None where all are.

        >>> Caller("a", ("*",), RIGHTS, ("hr",)).sight("access")
        Compare(name='access', op='in', value=('hr',))
        """
        return None if self.labels is None else field(access_field).in_(self.labels)


LOCAL = Caller("local", (EVERY_SPACE,), RIGHTS)
"""Whoever sits at this machine, where no keys are set up."""


class Callers:
    """Finds the caller of a key."""

    def __init__(self, keys: Mapping[str, KeySettings]) -> None:
        self._keys = [
            (one.hash.encode(), Caller(name, one.spaces, frozenset(one.rights), one.labels))
            for name, one in keys.items()
        ]

    def find(self, authorization: str) -> Caller:
        """Return the caller of an Authorization header; where there are no keys at all, `LOCAL`.

        Every key is compared, and each in constant time.

        Raises:
            UnknownCallerError: no key, or not one of ours.
        """
        if not self._keys:
            return LOCAL
        scheme, _, key = authorization.partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            message = "The request has no key."
            raise UnknownCallerError(message, cure=CURE)
        given = hash_key(key.strip()).encode()
        found = [caller for kept, caller in self._keys if compare_digest(kept, given)]
        if not found:
            message = "The key is not known here."
            raise UnknownCallerError(message, cure=CURE)
        return found[0]

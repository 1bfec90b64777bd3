"""Delays between tries at one name: they grow with what goes wrong, and lock out nobody for good.

Whoever guesses at a name makes others wait as well, half a minute at most. Addresses from which somebody has signed in
by that name have a count of their own, so that its owner does not wait for strangers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TypeVar

from rove.serve.problems import ThrottledError

FREE_TRIES = 4
LONGEST_S = 30.0
FORGOTTEN_S = 900.0
MOST_NAMES = 10_000
WAIT = "Too many passwords for this name were wrong."
WAIT_CURE = "Wait a little, then try again. Who has forgotten the password asks an administrator for an invitation."
Value = TypeVar("Value")


@dataclass(slots=True)
class Tries:
    """Tries that went wrong in a row, and when the next one may be made."""

    wrong: int = 0
    next_s: float = 0.0


class SignInDelays:
    """Counts what goes wrong, at this server; the names that came last are remembered."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._tries: dict[tuple[str, str], Tries] = {}
        self._known: dict[tuple[str, str], None] = {}

    def begin(self, name: str, address: str) -> None:
        """Count a try as wrong until `succeed` says otherwise: others that run at once must not be free.

        Raises:
            ThrottledError: it comes too early.
        """
        now, whose = self._clock(), self._whose(name, address)
        tries = self._tries.pop(whose, None) or Tries()
        if now < tries.next_s:
            self._tries[whose] = tries
            raise ThrottledError(WAIT, cure=WAIT_CURE, retry_after_s=tries.next_s - now)
        if now > tries.next_s + FORGOTTEN_S:
            tries = Tries()
        tries.wrong += 1
        tries.next_s = now + (min(LONGEST_S, 2.0 ** (tries.wrong - FREE_TRIES)) if tries.wrong >= FREE_TRIES else 0.0)
        _set_and_evict_oldest(self._tries, whose, tries)

    def succeed(self, name: str, address: str) -> None:
        """The try was right: the next wrong one is the first again."""
        self._tries.pop(self._whose(name, address), None)
        self._known.pop((name, address), None)
        _set_and_evict_oldest(self._known, (name, address), None)

    def _whose(self, name: str, address: str) -> tuple[str, str]:
        return (name, address if (name, address) in self._known else "")


def _set_and_evict_oldest(kept: dict[tuple[str, str], Value], name: tuple[str, str], value: Value) -> None:
    kept[name] = value
    if len(kept) > MOST_NAMES:
        del kept[next(iter(kept))]

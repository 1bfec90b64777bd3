"""How long a job will still take, from how quick it was in its last minute."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

WINDOW_S, APART_S, LEAST_S = 60.0, 0.25, 2.0
"""The rate is that of the last minute, of moments so far apart; before two seconds have passed there is none."""


@dataclass(slots=True)
class RestTime:
    """Notes how far a job is. `left_s` is None before there is a rate.

    While sources are still to be read, it is the rate of sources that counts, since nobody knows how many chunks they
    hold; afterwards that of chunks.
    """

    clock: Callable[[], float] = monotonic
    left_s: float | None = None
    _seen: deque[tuple[float, int, int]] = field(default_factory=deque[tuple[float, int, int]])

    def note(self, *, unread: int, ended: int, expected: int, cut: int, embedded: int) -> None:
        """Note how many sources are to be read and have ended, and how many chunks are cut and embedded.

        >>> times = iter([0.0, 4.0])
        >>> rest = RestTime(clock=lambda: next(times))
        >>> rest.note(unread=0, ended=0, expected=1, cut=100, embedded=0)
        >>> rest.left_s
        >>> rest.note(unread=0, ended=0, expected=1, cut=100, embedded=20)
        >>> rest.left_s
        16.0
        """
        now = self.clock()
        if not self._seen or now - self._seen[-1][0] >= APART_S:
            self._seen.append((now, ended, embedded))
            while now - self._seen[0][0] > WINDOW_S and len(self._seen) > 2:  # noqa: PLR2004 - a rate is of two
                self._seen.popleft()
        since, ended_before, embedded_before = self._seen[0]
        passed = now - since
        of_sources, of_chunks = (ended - ended_before, expected - ended), (embedded - embedded_before, cut - embedded)
        done, left = of_sources if unread else of_chunks
        self.left_s = round(passed * left / done, 1) if passed >= LEAST_S and done > 0 and left > 0 else None

"""Rate limits: how many requests a caller may make a minute (a token bucket), and how many at once.

Each server counts what comes to it, and refuses what it can refuse by that. What it would let pass, the tally that the
servers of a base have together lets pass, or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from time import monotonic

from rove.serve.problems import ThrottledError
from rove.store.tally import OwnTally, Tally

MINUTE_S = 60.0
MOST_BUCKETS = 10_000


@dataclass(slots=True)
class Bucket:
    """What is left of a name's requests, as of `at_s`."""

    left: float
    at_s: float


class Buckets:
    """So many a minute for each name. The names that came last are remembered, `most` of them.

    `what` are they, in a word, for the tally.
    """

    def __init__(
        self,
        per_minute: int,
        *,
        what: str = "requests",
        most: int = MOST_BUCKETS,
        clock: Callable[[], float] = monotonic,
        tally: Tally | None = None,
    ) -> None:
        self._what = what
        self._tally = tally or OwnTally()
        self._per_minute = per_minute
        self._most = most
        self._clock = clock
        self._buckets: dict[str, Bucket] = {}

    def __len__(self) -> int:
        return len(self._buckets)

    async def take(self, name: str, message: str, cure: str) -> None:
        """Take one for a name.

        Raises:
            ThrottledError: none is left this minute; it says `message` and `cure`.
            ServiceError: the tally cannot be asked.
        """
        wait_s = self._wait_s(name) or await self._tally.take(f"{self._what} {name}", self._per_minute)
        if wait_s:
            raise ThrottledError(message, cure=cure, retry_after_s=wait_s)

    def _wait_s(self, name: str) -> float:
        """Take one of this server's own count: 0.0, or in how many seconds there is one."""
        now = self._clock()
        bucket = self._buckets.pop(name, None) or Bucket(self._per_minute, now)
        self._buckets[name] = bucket  # the last in the order of the dict
        if len(self._buckets) > self._most:
            del self._buckets[next(iter(self._buckets))]
        filled = bucket.left + (now - bucket.at_s) * self._per_minute / MINUTE_S
        bucket.left, bucket.at_s = min(self._per_minute, filled), now
        if bucket.left < 1:
            return (1 - bucket.left) * MINUTE_S / self._per_minute
        bucket.left -= 1
        return 0.0


class ConcurrencyLimit:
    """So many at once for each name. `what` are they, in words, and `setting` is where their number is set."""

    def __init__(self, at_once: int, *, what: str, setting: str, tally: Tally | None = None) -> None:
        self._at_once = at_once
        self._what = what
        self._tally = tally or OwnTally()
        self._message = f"You have {at_once} {what} open."
        self._cure = f"Wait until one of them has ended, or raise {setting}."
        self._taken: Counter[str] = Counter()

    @property
    def in_use(self) -> int:
        """Places that are taken at this server, by all together."""
        return self._taken.total()

    async def full(self, name: str) -> bool:
        """Say whether a name has taken all its places."""
        return self._taken[name] >= self._at_once or await self._tally.is_full(self._tallied(name), self._at_once)

    def check(self, name: str) -> None:
        """See that a name has a place left at this server.

        Raises:
            ThrottledError: it has none.
        """
        if self._taken[name] >= self._at_once:
            raise self._refusal()

    @asynccontextmanager
    async def taken(self, name: str) -> AsyncGenerator[None]:
        """Take a place for the length of the block.

        Raises:
            ThrottledError: there is none left.
            ServiceError: the tally cannot be asked.
        """
        self.check(name)
        self._taken[name] += 1
        try:
            if not await self._tally.enter(self._tallied(name), self._at_once):
                raise self._refusal()
            try:
                yield
            finally:
                self._tally.leave(self._tallied(name))
        finally:
            self._taken[name] -= 1
            if not self._taken[name]:
                del self._taken[name]

    def _tallied(self, name: str) -> str:
        return f"{self._what} {name}"

    def _refusal(self) -> ThrottledError:
        return ThrottledError(self._message, cure=self._cure, retry_after_s=1)


class Throttle:
    """Lets a key's requests pass, or says when to come again."""

    def __init__(
        self, per_minute: int, at_once: int, clock: Callable[[], float] = monotonic, tally: Tally | None = None
    ) -> None:
        self._places = ConcurrencyLimit(at_once, what="requests", setting="serve.concurrent", tally=tally)
        self._buckets = Buckets(per_minute, clock=clock, tally=tally)
        self._message = f"You have made your {per_minute} requests of this minute."

    async def count(self, name: str, places: ConcurrencyLimit | None = None) -> None:
        """Count one request of a key's, before its body is read.

        Raises:
            ThrottledError: too many this minute, or too many at once.
        """
        (places or self._places).check(name)
        await self._buckets.take(name, self._message, "Wait a little, or raise serve.requests_per_minute.")

    def working(self, name: str) -> AbstractAsyncContextManager[None]:
        """Take a place for the work at a request. Raises as `ConcurrencyLimit.taken` does."""
        return self._places.taken(name)

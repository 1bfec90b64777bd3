"""Rate limits: how many requests a caller may make a minute (a token bucket), and how many at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from time import monotonic

from rove.serve.problems import ThrottledError

MINUTE_S = 60.0
MOST_BUCKETS = 10_000


@dataclass(slots=True)
class Bucket:
    """What is left of a name's requests, as of `at_s`."""

    left: float
    at_s: float


class Buckets:
    """So many a minute for each name. The names that came last are remembered, `most` of them."""

    def __init__(self, per_minute: int, *, most: int = MOST_BUCKETS, clock: Callable[[], float] = monotonic) -> None:
        self._per_minute = per_minute
        self._most = most
        self._clock = clock
        self._buckets: dict[str, Bucket] = {}

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, name: str, message: str, cure: str) -> None:
        """Take one for a name.

        Raises:
            ThrottledError: none is left this minute; it says `message` and `cure`.
        """
        now = self._clock()
        bucket = self._buckets.pop(name, None) or Bucket(self._per_minute, now)
        self._buckets[name] = bucket  # the last in the order of the dict
        if len(self._buckets) > self._most:
            del self._buckets[next(iter(self._buckets))]
        filled = bucket.left + (now - bucket.at_s) * self._per_minute / MINUTE_S
        bucket.left, bucket.at_s = min(self._per_minute, filled), now
        if bucket.left < 1:
            wait_s = (1 - bucket.left) * MINUTE_S / self._per_minute
            raise ThrottledError(message, cure=cure, retry_after_s=wait_s)
        bucket.left -= 1


class ConcurrencyLimit:
    """So many at once for each name. `what` are they, in words, and `setting` is where their number is set."""

    def __init__(self, at_once: int, *, what: str, setting: str) -> None:
        self._at_once = at_once
        self._message = f"{at_once} {what} of this key are open."
        self._cure = f"Wait until one of them has ended, or raise {setting}."
        self._taken: Counter[str] = Counter()

    def full(self, name: str) -> bool:
        """Say whether a name has taken all its places."""
        return self._taken[name] >= self._at_once

    def check(self, name: str) -> None:
        """See that a name has a place left.

        Raises:
            ThrottledError: it has none.
        """
        if self.full(name):
            raise ThrottledError(self._message, cure=self._cure, retry_after_s=1)

    @contextmanager
    def taken(self, name: str) -> Generator[None]:
        """Take a place for the length of the block.

        Raises:
            ThrottledError: there is none left.
        """
        self.check(name)
        self._taken[name] += 1
        try:
            yield
        finally:
            self._taken[name] -= 1
            if not self._taken[name]:
                del self._taken[name]


class Throttle:
    """Lets a key's requests pass, or says when to come again."""

    def __init__(self, per_minute: int, at_once: int, clock: Callable[[], float] = monotonic) -> None:
        self._places = ConcurrencyLimit(at_once, what="requests", setting="serve.concurrent")
        self._buckets = Buckets(per_minute, clock=clock)
        self._message = f"This key has made its {per_minute} requests of this minute."

    def count(self, name: str, places: ConcurrencyLimit | None = None) -> None:
        """Count one request of a key's, before its body is read.

        Raises:
            ThrottledError: too many this minute, or too many at once.
        """
        (places or self._places).check(name)
        self._buckets.take(name, self._message, "Wait a little, or raise serve.requests_per_minute.")

    def working(self, name: str) -> AbstractContextManager[None]:
        """Take a place for the work at a request. Raises as `ConcurrencyLimit.taken` does."""
        return self._places.taken(name)

"""How much one key may ask: so many requests a minute, by a bucket that fills again, and so many at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from rove.serve.problems import ThrottledError

MINUTE_S = 60.0


@dataclass(slots=True)
class Bucket:
    """What is left of a key's requests, as of `at_s`."""

    left: float
    at_s: float


class Throttle:
    """Lets requests pass, or says when to come again."""

    def __init__(self, per_minute: int, at_once: int, clock: Callable[[], float] = monotonic) -> None:
        self._per_minute = per_minute
        self._at_once = at_once
        self._clock = clock
        self._buckets: dict[str, Bucket] = {}
        self._running: Counter[str] = Counter()

    def take(self, name: str) -> None:
        """Let one request of a key's begin; `release` says that it has ended.

        Raises:
            ThrottledError: too many this minute, or too many at once.
        """
        if self._running[name] >= self._at_once:
            message = f"{self._at_once} requests of this key are being answered."
            raise ThrottledError(message, cure="Wait for one of them, or raise serve.concurrent.", retry_after_s=1)
        now = self._clock()
        bucket = self._buckets.setdefault(name, Bucket(self._per_minute, now))
        filled = bucket.left + (now - bucket.at_s) * self._per_minute / MINUTE_S
        bucket.left, bucket.at_s = min(self._per_minute, filled), now
        if bucket.left < 1:
            message = f"This key has made its {self._per_minute} requests of this minute."
            cure = "Wait a little, or raise serve.requests_per_minute."
            wait_s = (1 - bucket.left) * MINUTE_S / self._per_minute
            raise ThrottledError(message, cure=cure, retry_after_s=wait_s)
        bucket.left -= 1
        self._running[name] += 1

    def release(self, name: str) -> None:
        """Note that a request has ended."""
        self._running[name] -= 1

"""How long an ingest will still take: by the bytes that are left, and by how quickly those that had to be read went."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Rest:
    """What is left, and the pace of it. What was unchanged is left out of the pace: it takes no time.

    >>> rest = Rest()
    >>> rest.started(100)
    >>> rest.ended(60, 0.1, unchanged=True); rest.ended(20, 4.0)
    >>> rest.left_s()
    4.0
    """

    total: int = 0
    passed: int = 0
    read: int = 0
    elapsed_s: float = 0.0

    def started(self, weight: int) -> None:
        """Note that so much more is to come."""
        self.total += weight

    def ended(self, weight: int, elapsed_s: float, *, unchanged: bool = False) -> None:
        """Note that so much has ended, so long after the beginning."""
        self.passed += weight
        if not unchanged:
            self.read += weight
            self.elapsed_s = elapsed_s

    def left_s(self) -> float | None:
        """Seconds that are left; None where nothing tells."""
        if not self.read or not self.elapsed_s:
            return None
        return max(self.total - self.passed, 0) * self.elapsed_s / self.read

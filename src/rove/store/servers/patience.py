"""How often a call to a server is tried again, and after which pauses."""

from __future__ import annotations

import time

from rove.errors import RoveError, ServiceError

FIRST_PAUSE_S = 0.2
"""Doubled each time."""


class Patience:
    """What is left of it for one call. Blocks."""

    def __init__(self, retries: int) -> None:
        """`retries`: how often the call may be tried again."""
        self._left = retries
        self._pause_s = FIRST_PAUSE_S

    def wait(self, told: RoveError, cause: Exception, *, helps: bool = False) -> None:
        """Wait a moment before the next try; `helps`: whatever `told` says of that.

        Raises:
            RoveError: `told`, where waiting does not help, or has not helped.
        """
        if not self._left or not (helps or (isinstance(told, ServiceError) and told.retryable)):
            raise told from cause
        self._left -= 1
        time.sleep(self._pause_s)
        self._pause_s *= 2

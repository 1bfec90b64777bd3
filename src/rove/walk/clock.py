"""What a walk under way uses up: its time, without that in which nobody listened, and what its models account for."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic

from rove.models.usage import Meter, Usage
from rove.records.walk_events import Spent
from rove.walk.budget import plus, price


class WalkClock:
    """Counts from when it was last asked."""

    def __init__(self) -> None:
        self._meter: Meter | None = None
        self._since = monotonic()
        self._began = monotonic()
        self._counted = Usage()

    def start(self, meter: Meter) -> None:
        """Count from now on, and by this meter."""
        self._meter, self._counted = meter, meter.usage
        self._since = self._began = monotonic()

    def step(self) -> None:
        """Begin a new step."""
        self._began = monotonic()

    @property
    def elapsed(self) -> float:
        """Seconds of this step."""
        return monotonic() - self._began

    @property
    def pending(self) -> float:
        """Seconds since it was last asked what was spent, which no account has yet."""
        return monotonic() - self._since if self._meter else 0.0

    @contextmanager
    def held(self, deadline: asyncio.Timeout | None) -> Generator[None]:
        """Stand still for the length of the block, and push a deadline back by as much."""
        began = monotonic()
        when = deadline.when() if deadline else None
        if deadline:
            deadline.reschedule(None)
        try:
            yield
        finally:
            waited = monotonic() - began
            self._since += waited
            self._began += waited
            if deadline and when is not None:
                deadline.reschedule(when + waited)

    def spent(self, before: Spent, price_input: float, price_output: float) -> Spent:
        """Return what was spent before and since this was last asked; asking again at once adds nothing."""
        now = monotonic()
        usage = self._meter.usage if self._meter else Usage()
        new = Usage(
            usage.requests - self._counted.requests,
            usage.input_tokens - self._counted.input_tokens,
            usage.output_tokens - self._counted.output_tokens,
        )
        seconds = round(now - self._since, 4) if self._meter else 0.0
        self._since, self._counted = now, usage
        return plus(before, new, seconds, price(new, price_input, price_output))

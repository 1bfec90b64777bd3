"""What chat models cost: requests and tokens, added up by meters that see every call made within them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Usage:
    """Requests and tokens. `estimated` is True where a provider did not say, and the tokens were estimated.

    >>> Usage(1, 100, 20) + Usage(1, 50, 5, estimated=True)
    Usage(requests=2, input_tokens=150, output_tokens=25, estimated=True)
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.estimated or other.estimated,
        )


@dataclass(slots=True)
class Meter:
    """Adds up what is accounted while it runs. See `metered`."""

    usage: Usage = field(default_factory=Usage)
    outer: Meter | None = None


_running: ContextVar[Meter | None] = ContextVar("_running", default=None)


@contextmanager
def metered() -> Generator[Meter]:
    """Add up what the models account for inside, in this task and those that it starts; a meter around it counts too.

    >>> with metered() as meter:
    ...     account(Usage(1, 100, 20))
    >>> meter.usage.input_tokens
    100
    """
    meter = Meter(outer=_running.get())
    token = _running.set(meter)
    try:
        yield meter
    finally:
        _running.reset(token)


def account(usage: Usage) -> None:
    """Tell the meters that run, if any, what a model has used."""
    meter = _running.get()
    while meter is not None:
        meter.usage += usage
        meter = meter.outer

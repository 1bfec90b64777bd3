"""From values to places on a plot: linear and logarithmic scales, with ticks at round numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10


@dataclass(frozen=True, slots=True)
class AxisScale:
    """`low` … `high` in the data stand at `start` … `end` on the plot; `logarithmic` needs values above 0."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Where a value stands.

        >>> AxisScale(0, 10, 100, 200).at(5)
        150.0
        """
        low, high, value = (log10(v) for v in (self.low, self.high, value)) if self.logarithmic else (
            self.low, self.high, value,
        )  # fmt: skip
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self, about: int = 6) -> list[float]:
        """Round numbers within the scale.

        >>> AxisScale(0.0, 1.0, 0, 1).ticks(5)
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        """
        return _powers(self.low, self.high) if self.logarithmic else _linear_tick_values(self.low, self.high, about)


def scale_of(
    values: Sequence[float], start: float, end: float, *, logarithmic: bool = False, around: float | None = None
) -> AxisScale:
    """Make a scale that holds all values with a little room; `around` is a value that must be on it."""
    held = [*values, *([around] if around is not None else [])] or [0.0, 1.0]
    low, high = min(held), max(held)
    if logarithmic:
        low = max(low, 1e-9)
        return AxisScale(low / 1.25, max(high, low) * 1.25, start, end, logarithmic=True)
    room = (high - low) * 0.06 or max(abs(high), 1.0) * 0.05
    return AxisScale(low - room, high + room, start, end)


def _linear_tick_values(low: float, high: float, about: int) -> list[float]:
    raw = (high - low) / max(about, 1)
    power = 10.0 ** floor(log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    digits = max(0, -floor(log10(step)))
    return [round(i * step, digits + 1) + 0.0 for i in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def _powers(low: float, high: float) -> list[float]:
    first, last = floor(log10(low)), ceil(log10(high))
    factors = (1, 2, 5) if last - first <= 3 else (1,)
    found = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
    return [value for value in found if low <= value <= high]


def tick_text(value: float) -> str:
    """Write a tick's number.

    >>> tick_text(0.2), tick_text(1500.0), tick_text(-0.05)
    ('0.2', '1,500', '−0.05')
    """
    text = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.4g}"
    return text.replace("-", "−")

"""What a run costs: seconds, tokens and money, summed up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rove.models.usage import Usage

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Summary:
    """Of one quantity over all questions, in its own unit (seconds, tokens, a currency).

    `p50` and `p95` are percentiles, linear between the two nearest values; with few questions p95 is near the worst.
    """

    count: int
    total: float
    mean: float
    p50: float
    p95: float
    worst: float


@dataclass(frozen=True, slots=True)
class Price:
    """What a chat model costs, in any currency, for a million tokens."""

    input_per_million: float
    output_per_million: float

    def of(self, usage: Usage) -> float:
        """Return what that much use costs.

        >>> Price(1.0, 4.0).of(Usage(1, 500_000, 250_000))
        1.5
        """
        return (usage.input_tokens * self.input_per_million + usage.output_tokens * self.output_per_million) / MILLION


def summarize(values: Sequence[float]) -> Summary | None:
    """Sum up one value a question; None of no values.

    >>> summarize([1.0, 2.0, 3.0])
    Summary(count=3, total=6.0, mean=2.0, p50=2.0, p95=2.9, worst=3.0)
    """
    if not values:
        return None
    p50, p95 = (float(value) for value in np.percentile(values, [50, 95]))
    total = float(sum(values))
    return Summary(len(values), total, total / len(values), p50, p95, float(max(values)))

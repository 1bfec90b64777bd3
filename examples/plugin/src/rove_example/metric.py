"""A metric: is the first hit a relevant one?"""

from __future__ import annotations

from rove.evaluate.judged import JudgedRanking


def lucky(judged: JudgedRanking) -> float | None:
    """See `rove.evaluate.metrics.Metric`: 1 or 0; None where nothing is known to be relevant."""
    return float(judged.positions[:1] == [1]) if judged.relevant else None

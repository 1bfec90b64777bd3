"""What others replied to a post, as a reason to move it: the three rules of the Pawsitive Retrieval study.

They read what `rove enrich replies` has stored. A hit without replies stays where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from rove.records.source import Metadata

AGREE_FIELD = "reply_agree_distance"
DISAGREE_FIELD = "reply_disagree_distance"
SENTIMENT_FIELD = "reply_sentiment"


@dataclass(frozen=True, slots=True)
class RepliesSentiment:
    """With s the sum of the replies' sentiments: s < 0 moves by step − slope · s, s > 0 by −step − slope · s ranks."""

    step: float = 0.75
    slope: float = 0.7403

    def shift(self, fields: Metadata) -> float:
        """See `Rule.shift`.

        >>> RepliesSentiment().shift({"reply_sentiment": 2}), RepliesSentiment().shift({})
        (-2.2306, 0.0)
        """
        summed = number(fields, SENTIMENT_FIELD)
        if not summed:
            return 0.0
        return (self.step if summed < 0 else -self.step) - self.slope * summed


@dataclass(frozen=True, slots=True)
class Agree:
    """Replies that are on average within `distance` of statements of agreement lift a hit by `ranks`.

    A distance is 1 − cosine; how large one is depends on the embedder. The default is the study's.
    """

    distance: float = 0.25
    ranks: float = 1.5

    def shift(self, fields: Metadata) -> float:
        """See `Rule.shift`.

        >>> Agree().shift({"reply_agree_distance": 0.2}), Agree().shift({"reply_agree_distance": 0.3})
        (-1.5, 0.0)
        """
        return -self.ranks if 0 < number(fields, AGREE_FIELD) <= self.distance else 0.0


@dataclass(frozen=True, slots=True)
class Disagree:
    """Replies that are on average within `distance` of statements of disagreement push a hit down by `ranks`."""

    distance: float = 0.25
    ranks: float = 1.5

    def shift(self, fields: Metadata) -> float:
        """See `Rule.shift`."""
        return self.ranks if 0 < number(fields, DISAGREE_FIELD) <= self.distance else 0.0


def number(fields: Metadata, name: str) -> float:
    """Return a field's number, 0 where it is missing, no finite number, or something else.

    >>> number({"a": 2, "b": float("nan"), "c": "x"}, "a"), number({"b": float("nan")}, "b")
    (2.0, 0.0)
    """
    value = fields.get(name)
    return float(value) if isinstance(value, int | float) and isfinite(value) else 0.0

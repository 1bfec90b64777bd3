"""Rules that order hits anew by what is known of them: each moves a hit by so many ranks, or leaves it out.

A new rule is one file with a `Rule` and one line in `RULES`; `search.rules` names those that apply, in their order.
"""

from __future__ import annotations

from typing import Protocol

from rove.records.source import Metadata
from rove.registry import Registry


class Rule(Protocol):
    """Judges a hit by its fields alone. Built with the options that `search.rule_options` gives for its name."""

    def shift(self, fields: Metadata) -> float:
        """Return by how many ranks a hit with these fields moves: up below 0, down above; `math.inf` leaves it out."""
        ...


RULES = Registry(
    "rule",
    "rove.rules",
    {
        "sentiment": "rove.retrieve.rules.replies:RepliesSentiment",
        "agree": "rove.retrieve.rules.replies:Agree",
        "disagree": "rove.retrieve.rules.replies:Disagree",
        "staleness": "rove.retrieve.rules.staleness:Staleness",
        "prefer": "rove.retrieve.rules.prefer:Prefer",
    },
)

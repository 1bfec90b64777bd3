"""A rule: documents with short titles rise."""

from __future__ import annotations

from dataclasses import dataclass

from rove.records.source import Metadata


@dataclass(frozen=True, slots=True)
class ShorterTitle:
    """See `rove.retrieve.rules.Rule`. A title sinks by one rank for every `chars_a_rank` characters."""

    chars_a_rank: int = 10

    def shift(self, fields: Metadata) -> float:
        """See `Rule.shift`."""
        return len(str(fields.get("title", ""))) / self.chars_a_rank

"""A business rule: hits with a certain value of a field stand higher, lower, or are left out."""

from __future__ import annotations

from dataclasses import dataclass

from rove.records.filter import Scalar, value_matches
from rove.records.source import Metadata


@dataclass(frozen=True, slots=True)
class Prefer:
    """A hit whose `field` is `value` rises by `ranks`; with ranks below 0 it sinks, with −inf it is left out."""

    field: str
    value: Scalar
    ranks: float = 3.0

    def shift(self, fields: Metadata) -> float:
        """See `Rule.shift`.

        >>> Prefer("status", "official").shift({"status": "official"})
        -3.0
        """
        return -self.ranks if value_matches(fields.get(self.field), "==", self.value) else 0.0

"""Age as a reason to move a hit down: what was true years ago may not be any more."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf

from rove.records.source import Metadata, MetaValue


@dataclass(frozen=True, slots=True)
class Staleness:
    """A hit goes down by `ranks` for each `days` of its age, by `most` at most; past `until_days` it is left out.

    The age is counted from the ISO 8601 date in `field` to `today`, "" being the current time. A hit without a date
    stays where it is, and so does one of the future.
    """

    field: str = "date"
    days: float = 365.0
    ranks: float = 1.0
    most: float = inf
    until_days: float = inf
    today: str = ""

    def __post_init__(self) -> None:
        if self.days <= 0:
            message = f"days is {self.days}; it must be more than 0"
            raise ValueError(message)
        if self.today and moment(self.today) is None:
            message = f"today is {self.today!r}; it must be a date such as 2024-05-31"
            raise ValueError(message)

    def shift(self, fields: Metadata) -> float:
        """See `Rule.shift`.

        >>> rule = Staleness(today="2024-01-01")
        >>> rule.shift({"date": "2023-01-01T00:00:00Z"}), rule.shift({})
        (1.0, 0.0)
        """
        written = moment(fields.get(self.field))
        if written is None:
            return 0.0
        age_days = max(0.0, ((moment(self.today) or datetime.now(UTC)) - written).total_seconds() / 86_400)
        return inf if age_days > self.until_days else min(self.most, self.ranks * age_days / self.days)


def moment(value: MetaValue | None) -> datetime | None:
    """Read an ISO 8601 date, in UTC where it names no zone; None where it is none."""
    if not isinstance(value, str):
        return None
    try:
        read = datetime.fromisoformat(value)
    except ValueError:
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)

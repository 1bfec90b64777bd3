"""Documents whose file is gone or can no longer be read: found with the day of their text, or not at all."""

from __future__ import annotations

from rove.records import Filter
from rove.records.filter import Compare, Not
from rove.records.outdated import TEXT_AS_OF
from rove.settings import SearchSettings

UP_TO_DATE = Not(Compare(TEXT_AS_OF, "exists", True))  # noqa: FBT003 - as a filter has it


def shown(where: Filter | None, settings: SearchSettings) -> Filter | None:
    """Return the filter of a search, which lets through what is up to date alone where the settings say so."""
    if settings.outdated != "hide":
        return where
    return UP_TO_DATE if where is None else where & UP_TO_DATE

"""Documents whose file is gone or can no longer be read: found with the day of their text, or not found."""

from __future__ import annotations

from rove.records import Filter
from rove.records.filter import Compare, Not
from rove.records.outdated import FILE_GONE, TEXT_AS_OF
from rove.settings import SearchSettings
from rove.store.store import Store

UP_TO_DATE = Not(Compare(TEXT_AS_OF, "exists", True))  # noqa: FBT003 - as a filter has it
NOT_GONE = Not(Compare(FILE_GONE, "exists", True))  # noqa: FBT003


def outdated_filter(where: Filter | None, settings: SearchSettings, store: Store) -> Filter | None:
    """Return the filter of a search, which lets through no more than `SearchSettings.outdated` says. Blocks."""
    if settings.outdated == "note" or (settings.outdated == "hide_gone" and not store.gone_files.any()):
        return where
    lets_through = UP_TO_DATE if settings.outdated == "hide" else NOT_GONE
    return lets_through if where is None else where & lets_through

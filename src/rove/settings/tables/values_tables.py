"""The types of the tables in `rove.settings.values`.

Written by `python docs/typed_settings.py` from the settings, for completion and type checks; nothing is added here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict


class ValueTable(TypedDict, total=False):
    """The settings of `ValueSettings`, as a table."""

    type: Literal["text", "number", "date", "enum", "pattern"]
    """\"text", "number", "date", "enum" (one of `values`) or "pattern" (what a regular expression finds). Default:
    "text"."""
    description: str
    """What the value means."""
    values: Mapping[str, Sequence[str]]
    """Of an "enum": its values, each with other words for it."""
    pattern: str
    """A regular expression; where it has a group, that is the value."""

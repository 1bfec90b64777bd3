"""What settings say of a value that is to be found in a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from rove.settings.section import SettingsSection


class ValueSettings(SettingsSection):
    """A value to find in a text."""

    type: Literal["text", "number", "date", "enum", "pattern"] = "text"
    """"text", "number", "date", "enum" (one of `values`) or "pattern" (what a regular expression finds)."""
    description: str = ""
    """What the value means."""
    values: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """Of an "enum": its values, each with other words for it."""
    pattern: str = ""
    """A regular expression; where it has a group, that is the value."""

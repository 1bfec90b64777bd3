"""One table of the settings file."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class SettingsSection(BaseModel):
    """One table of the file; unknown keys are errors. The docstring below a field is its meaning: `with_meanings`.

    A table is compiled when it is first made by itself, and with the tree else: each twice would cost every command
    0.1 s. So tables are defaults of others as `model_construct` makes them, of their defaults.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

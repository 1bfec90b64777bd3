"""One table of the settings file, and who may change a setting of it over HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

By = Literal["page", "models", "file"]
Counts = Literal["now", "start", "documents"]


@dataclass(frozen=True, slots=True)
class Change:
    """How a setting is changed: at the table for all that stand in it, at a field (`Annotated`) where that differs.

    `by`: "page", an administrator of every space over HTTP; "models", likewise where `serve.settings` is "models";
    "file", whoever may write the settings file: what names addresses, paths, commands or secrets, makes the vectors
    of the base, or guards the server. Of a table and a field the narrower one holds. `counts`: from when on, "now",
    the next "start" of the server, or the next start for "documents" that are read from then on.
    """

    by: By = "file"
    counts: Counts = "start"


FILE, MODELS = Change("file"), Change("models")


class SettingsSection(BaseModel):
    """One table of the file; unknown keys are errors. The docstring below a field is its meaning: `with_meanings`.

    A table is compiled when it is first made by itself, and with the tree else: each twice would cost every command
    0.1 s. So tables are defaults of others as `model_construct` makes them, of their defaults.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    change: ClassVar[Change] = FILE

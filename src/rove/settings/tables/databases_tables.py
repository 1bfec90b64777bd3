"""The types of the tables in `rove.settings.databases`.

Written by `python docs/typed_settings.py` from the settings, for completion and type checks; nothing is added here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from pydantic import SecretStr


class DatabaseTable(TypedDict, total=False):
    """The settings of `DatabaseSettings`, as a table."""

    url: str | SecretStr
    """Its address as SQLAlchemy takes it: "postgresql://reader:…@host/name", "sqlite:///path/to/file"."""
    tables: Sequence[str]
    """The tables and views that may be asked; none: all that the user of the address sees."""
    max_rows: int
    """A result has so many rows at most. Default: 200."""
    timeout_s: float
    """A statement may take so many seconds. Default: 10.0."""

"""What settings say of databases that may be asked: their addresses and limits."""

from __future__ import annotations

from pydantic import Field, SecretStr

from rove.settings.section import SettingsSection


class DatabaseSettings(SettingsSection):
    """A database that questions may be put to. Give the address of a user who may only read."""

    url: SecretStr
    """Its address as SQLAlchemy takes it: "postgresql://reader:…@host/name", "sqlite:///path/to/file"."""
    tables: tuple[str, ...] = ()
    """The tables and views that may be asked; none: all that the user of the address sees."""
    max_rows: int = Field(default=200, ge=1, le=100_000)
    """A result has so many rows at most."""
    timeout_s: float = Field(default=10.0, gt=0, le=600)
    """A statement may take so many seconds."""

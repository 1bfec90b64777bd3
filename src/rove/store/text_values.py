"""Columns of texts whose values come back as texts, whatever has happened to the bytes in the file.

SQLite keeps any bytes in any column, and its driver fails the whole query for one value that is not UTF-8.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import sqlalchemy
from sqlalchemy import Dialect

read_bytes: Callable[[bytes], str] = partial(str, encoding="utf-8", errors="replace")
"""Read a text; "�" stands in place of bytes that are not UTF-8: `rove doctor` names such values."""


def read_text(value: object) -> str | None:
    """Return what a text column holds, as text."""
    if value is None or type(value) is str:
        return value
    return read_bytes(value) if isinstance(value, bytes) else str(value)


def _text_result_processor(dialect: Dialect) -> Callable[[object], str | None] | None:
    return read_text if dialect.name == "sqlite" else None


class String(sqlalchemy.String):
    """A short text; see above."""

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:  # noqa: ANN401 - SQLAlchemy's own type is private
        """See `sqlalchemy.types.TypeEngine.result_processor`."""
        del coltype
        return _text_result_processor(dialect)


class Text(sqlalchemy.Text):
    """A text; see above."""

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:  # noqa: ANN401 - SQLAlchemy's own type is private
        """See `sqlalchemy.types.TypeEngine.result_processor`."""
        del coltype
        return _text_result_processor(dialect)

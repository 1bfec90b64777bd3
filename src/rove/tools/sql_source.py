"""Tools that are one SQL statement each: values are bound, the database is opened for reading, rows are bounded."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import regex
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from rove.errors import ConfigError, InputError, ServiceError
from rove.load.data.database import READS_ONLY, database_address, limit_time, read_only
from rove.settings import SqlToolSettings, ToolSettings
from rove.tools import Arguments, Tool
from rove.tools.parameters import checked_schema

MOST_ROWS = 1_000
ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
REFUSED_FUNCTIONS = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})
STEPS = 100_000
"""SQLite's steps between two looks at the clock."""
OWN_SHARE = 0.9
"""Of `timeout_s`: what the database stops itself is told as slow, before the runner takes it for what may pass."""
SLOW = "{name} took more than {seconds:g} s, and was stopped by the database."
SLOW_CURE = "Ask for less, or raise `timeout_s` of its source."
_NAMED = regex.compile(r"(?<![:\w]):(\w+)")
_QUOTED = regex.compile(r"'(?:[^']++|'')*+'|\"[^\"]*\"|--[^\n]*|/\*.*?(?:\*/|\Z)", regex.DOTALL)


class SqlSource:
    """See `ToolSource`. A template reads, unless the settings name it in `writes`."""

    def __init__(self, name: str, settings: ToolSettings) -> None:
        self.name, self.settings = name, settings
        self.engine: Engine | None = None

    async def tools(self) -> Sequence[Tool]:
        """See `ToolSource.tools`."""
        try:
            self.engine = _read_only_engine(database_address(self.settings.database.get_secret_value()))
        except (InputError, SQLAlchemyError, ImportError, ValueError) as error:
            message = f"tools.{self.name}.database cannot be opened: {type(error).__name__}."
            cure = 'Write it like "sqlite:///file.db", and install the driver that it names.'
            raise ConfigError(message, cure=cure) from None
        return [self._tool(name, template, self.engine) for name, template in self.settings.templates.items()]

    async def close(self) -> None:
        """See `ToolSource.close`."""
        if self.engine is not None:
            await asyncio.to_thread(self.engine.dispose)

    def _tool(self, name: str, template: SqlToolSettings, engine: Engine) -> Tool:
        named = list(dict.fromkeys(_NAMED.findall(_QUOTED.sub(" ", template.sql))))
        unknown = [key for key in template.parameters if key not in named]
        if unknown:
            message = f"The statement of {name} names no parameter :{unknown[0]}."
            raise ConfigError(message, cure="Use it in the statement, or take it out of `parameters`.")
        properties = {key: dict(template.parameters.get(key, {"type": "string"})) for key in named}
        needed = [key for key, one in properties.items() if "default" not in one]
        schema = {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}
        writes = name in self.settings.writes

        async def run(arguments: Arguments) -> object:
            defaults = {key: one.get("default") for key, one in properties.items()}
            return await asyncio.to_thread(self._rows, engine, name, template.sql, {**defaults, **arguments}, writes)

        effects = "writes" if writes else "reads"
        checked = checked_schema(schema, name)
        return Tool(name, template.description, checked, run, self.name, effects, self.settings)

    def _rows(self, engine: Engine, name: str, sql: str, values: Mapping[str, object], writes: bool) -> object:
        """Run a statement in a transaction of its own; what only reads is never committed."""
        seconds = OWN_SHARE * self.settings.timeout_s
        ends = monotonic() + seconds
        try:
            with engine.connect() as connection:
                if engine.dialect.name == "sqlite":
                    _guard(connection.connection.dbapi_connection, ends, writes=writes)
                else:
                    connection = connection if writes else read_only(connection)
                    limit_time(connection, seconds)
                result = connection.execute(text(sql), dict(values))
                rows = [dict(row) for row in result.mappings().fetchmany(MOST_ROWS)] if result.returns_rows else []
                changed = result.rowcount
                if writes:
                    connection.commit()
                return rows if result.returns_rows else {"rows changed": changed}
        except SQLAlchemyError as error:
            if monotonic() >= ends:
                raise ServiceError(SLOW.format(name=name, seconds=seconds), cure=SLOW_CURE, retryable=False) from None
            reason = str(getattr(error, "orig", None) or type(error).__name__)[:300]
            message = f"{name} failed: {reason}."
            raise ServiceError(message, cure="Look at the statement and the values.", retryable=False) from None


def _read_only_engine(url: URL) -> Engine:
    """Open a database; one of SQLite's has to be there, since opening would make it.

    Raises:
        ConfigError: nothing can hold the database to reading, or its file is not there.
    """
    if url.get_backend_name() == "sqlite":
        if not url.database or not Path(url.database).is_file():
            message = f"There is no database {url.database!r}."
            raise ConfigError(message, cure="Write its path: sqlite:///folder/file.db.")
    elif url.get_backend_name() not in READS_ONLY:
        message = f"A database of {url.get_backend_name()} cannot be held to reading here."
        raise ConfigError(message, cure=f"Use one of: sqlite, {', '.join(sorted(READS_ONLY))}.")
    return create_engine(url, poolclass=NullPool, hide_parameters=True)


def _guard(connection: Any, ends: float, *, writes: bool) -> None:  # noqa: ANN401 - sqlite3's connection
    """Let a connection of SQLite's do nothing but read, and until then; `writes` lifts the first."""
    connection.set_progress_handler(lambda: monotonic() > ends, STEPS)
    if writes:
        return

    def allow(action: int, first: str | None, second: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_FUNCTION and (second or first or "").casefold() in REFUSED_FUNCTIONS:
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK if action in ALLOWED else sqlite3.SQLITE_DENY

    connection.set_authorizer(allow)

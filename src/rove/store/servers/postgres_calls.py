"""Calls to a Postgres server: connections that are kept, tries again where they help, errors that say what to do."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from rove.errors import ConfigError, RoveError, ServiceError
from rove.settings import IndexServerSettings
from rove.store.servers.patience import Patience

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]
USUAL = "postgresql://localhost:5432/postgres"
ONCE_MORE = ("08", "40", "53", "55", "57", "58")
"""Classes of codes for which waiting helps: no connection, a clash with another, no room, in use, stopped, a disk."""
SET_UP = ("28", "3D", "42501", "0A000", "22P02")
"""Codes that only another setting mends: who it is, no such database, no right, not supported."""
NOT_NOW = ("starting up", "shutting down", "recovery", "too many", "connection slots", "terminating")
"""What a server says, in English, that refuses a connection for now."""
CHECK = "Check store.server.url, user, password and database."


class PostgresCalls:
    """Connections to one server. Calls block; any thread may make them.

    Args:
        settings: how the server is reached.
        prepare: what is done with each new connection.

    Raises:
        ConfigError: the address is none.
    """

    def __init__(self, settings: IndexServerSettings, prepare: Callable[[Connection], None]) -> None:
        self.settings = settings
        self._prepare = prepare
        self._idle: list[Connection] = []
        self._lock = Lock()
        self._keeps = True
        self._how = _libpq_parameters(settings)
        self.place = f"{self._how.get('host', 'localhost')}:{self._how.get('port', 5432)}/{self._how.get('dbname', '')}"

    def run(self, work: Callable[[Connection], T]) -> T:
        """Let `work` have a connection on which each statement is a transaction of its own; again where that helps.

        Raises:
            ConfigError: the server refuses who asks, or what the settings name is not there.
            ServiceError: it cannot be reached (retryable), or refuses what it was asked to do.
        """
        patience = Patience(self.settings.retries)
        while True:
            try:
                with self._connection() as connection:
                    return work(connection)
            except psycopg.Error as error:
                patience.wait(self._told(error), error)

    def close(self) -> None:
        """Close every connection; one that a thread still has, when it gives it back."""
        self._keeps = False
        self._drop_idle()

    @contextmanager
    def _connection(self) -> Generator[Connection]:
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        is_new = connection is None
        connection = connection or psycopg.connect(**self._how, autocommit=True, prepare_threshold=None)
        kept = False
        try:
            if is_new:
                self._prepare(connection)
            yield connection
            kept = self._keeps
        except psycopg.OperationalError:
            self._drop_idle()  # they are of the same server, which may have been started anew
            raise
        finally:
            if kept:
                with self._lock:
                    self._idle.append(connection)
            else:
                connection.close()

    def _drop_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _told(self, error: psycopg.Error) -> RoveError:
        """Say what psycopg has raised as Rove says it."""
        said = str(error).strip().partition("\n")[0].rstrip(".")
        code = error.sqlstate or ""
        if code:
            waits = code.startswith(ONCE_MORE)
            refused = code.startswith(SET_UP)
        else:
            lost = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
            refused = "FATAL:" in said and not any(words in said for words in NOT_NOW)
            waits = lost and not refused
        if refused:
            return ConfigError(f"Postgres at {self.place} refuses: {said}.", cure=CHECK)
        if waits:
            message = f"Postgres at {self.place} cannot be reached or asked now: {said}."
            cure = "See that the server of store.server.url runs and has room; then run the same again."
            return ServiceError(message, cure=cure)
        return ServiceError(f"Postgres at {self.place} refuses: {said}.", cure="Run: rove doctor", retryable=False)


def _libpq_parameters(settings: IndexServerSettings) -> dict[str, Any]:
    """What libpq is given; the url's own words win over what is usual."""
    try:
        named = dict(conninfo_to_dict(settings.url or USUAL)) if "://" in (settings.url or USUAL) else {}
    except psycopg.Error:  # its words hold the address, and the address a password
        named = {}
    if not named:
        message = "store.server.url is no address of a Postgres database."
        raise ConfigError(message, cure="Write it like postgresql://user@host:5432/database.")
    seconds = max(1, round(settings.timeout_s))
    usual: dict[str, Any] = {
        "application_name": "rove", "connect_timeout": seconds, "tcp_user_timeout": 1_000 * seconds,
        "keepalives_idle": 15, "keepalives_interval": 5, "keepalives_count": 3,
    }  # fmt: skip
    if settings.ca_file:
        usual |= {"sslmode": "verify-full" if settings.verify else "require", "sslrootcert": settings.ca_file}
    own = {
        "user": settings.user,
        "password": settings.password.get_secret_value(),
        "dbname": settings.database,
    }
    return {**usual, **named, **{name: value for name, value in own.items() if value}}

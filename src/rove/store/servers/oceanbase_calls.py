"""Calls to OceanBase or SeekDB by MySQL's protocol: kept connections, tried again where that helps, errors told."""

# PyMySQL has no types.
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false

from __future__ import annotations

import ssl
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from math import isfinite
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import pymysql
from pymysql.connections import Connection
from pymysql.cursors import Cursor

from rove.errors import ConfigError, RoveError, ServiceError
from rove.settings import IndexServerSettings
from rove.store.servers.patience import Patience

T = TypeVar("T")
USUAL = "mysql://localhost:2881/test"
DAY_S = 86_400.0
NOT_THERE = 1146
SET_UP = {1044, 1045, 1049, 1142, 1227, 1251, 2059}
"""MySQL's codes that only another setting mends: who it is, no such database, no right, no such way to log in."""
LOST = {2003, 2006, 2013, 2014}
"""Codes of a connection that is none, or none any more."""
TRANSIENT = LOST | {1040, 1205, 1213, 4012, 4013, 4023, 4030, 4038, 4121, 4122, 4138, 4250, 6002, 6210, 6224, 8001}
"""Codes for which waiting helps: these, too many connections, locks, out of time or memory, no leader, starting."""
CHECK = "Check store.server.url, user, password, database and ca_file."


class OceanBaseCalls:
    """Connections to one server. Calls block; any thread may make them.

    Args:
        settings: how the server is reached.
        prepare: what is done when it is first reached, and again when what it made is gone.

    Raises:
        ConfigError: the address is none.
    """

    def __init__(self, settings: IndexServerSettings, prepare: Callable[[Cursor], None]) -> None:
        self.settings = settings
        self._prepare = prepare
        self._is_prepared = False
        self._preparing = Lock()
        self._lock = Lock()
        self._idle: list[Connection[Cursor]] = []
        self._how = _pymysql_parameters(settings)
        self.place = f"{self._how['host']}:{self._how['port']}/{self._how['database']}"

    def run(self, work: Callable[[Cursor], T], *, prepared: bool = True, unhurried: bool = False) -> T:
        """Let `work` have a connection in one transaction; again where that helps. Not `prepared`: as all is.

        `unhurried`: it has a day, whatever the settings say.

        Raises:
            ConfigError: the server refuses who asks, or what the settings name is not there.
            ServiceError: it cannot be reached (retryable), or refuses what it was asked to do.
        """
        patience = Patience(self.settings.retries)
        while True:
            try:
                with self._connection(unhurried=unhurried) as connection, connection.cursor() as cursor:
                    if prepared:
                        self._see_to(cursor)
                    found = work(cursor)
                    connection.commit()
                    return found
            except (pymysql.err.Error, OSError) as error:
                if code_of(error) == NOT_THERE and self._is_prepared:
                    self._is_prepared = False  # somebody has dropped it: an empty one takes its place
                    continue
                patience.wait(self._told(error), error)

    def forget(self) -> None:
        """Let what is prepared be prepared again before the next call."""
        self._is_prepared = False

    def close(self) -> None:
        """Close every connection that is not in use."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _see_to(self, cursor: Cursor) -> None:
        with self._preparing:
            if not self._is_prepared:
                self._prepare(cursor)
                self._is_prepared = True

    @contextmanager
    def _connection(self, *, unhurried: bool) -> Generator[Connection[Cursor]]:
        with self._lock:
            connection = self._idle.pop() if self._idle and not unhurried else None
        connection = connection or self._connected(DAY_S if unhurried else self.settings.timeout_s)
        kept = False
        try:
            yield connection
            kept = not unhurried
        except (pymysql.err.Error, OSError) as error:
            if code_of(error) in LOST or not isinstance(error, pymysql.err.Error):
                self.close()  # they are of the same server, which may have been started anew
            raise
        finally:
            if kept:
                with self._lock:
                    self._idle.append(connection)
            else:
                with suppress(pymysql.err.Error, OSError):  # it may be torn already
                    connection.close()

    def _connected(self, timeout_s: float) -> Connection[Cursor]:
        connection = pymysql.connect(**self._how, read_timeout=timeout_s + 5, write_timeout=timeout_s + 5)
        limit = round(1_000_000 * timeout_s)
        with connection.cursor() as cursor:
            cursor.execute(
                "SET ob_query_timeout = %s, ob_trx_timeout = %s, sql_mode = 'STRICT_ALL_TABLES'", (limit, 10 * limit)
            )
        return connection

    def _told(self, error: pymysql.err.Error | OSError) -> RoveError:
        """Say what PyMySQL has raised as Rove says it."""
        code, said = code_of(error), said_by(error)
        if code in SET_UP or "CERTIFICATE_VERIFY_FAILED" in said or "SSL is required" in said:
            return ConfigError(f"OceanBase at {self.place} refuses: {said}.", cure=CHECK)
        if code in TRANSIENT or isinstance(error, pymysql.err.InterfaceError | OSError):
            message = f"OceanBase at {self.place} cannot be reached or asked now: {said or 'the connection was lost'}."
            cure = "See that the server of store.server.url runs and has room; then run the same again."
            return ServiceError(message, cure=cure)
        return ServiceError(f"OceanBase at {self.place} refuses: {said}.", cure="Run: rove doctor", retryable=False)


def code_of(error: BaseException) -> object:
    """MySQL's code of an error, if it has one."""
    return error.args[0] if error.args else None


def said_by(error: BaseException) -> str:
    """What the server, or the client, says of an error: its first line."""
    return str(error.args[-1] if error.args else "the connection was lost").partition("\n")[0].rstrip(".")


def _pymysql_parameters(settings: IndexServerSettings) -> dict[str, Any]:
    """What PyMySQL is given."""
    try:
        parts = urlsplit(settings.url or USUAL)
        host, port = parts.hostname, parts.port or 2881
    except ValueError:
        parts, host, port = urlsplit(""), None, 0
    if parts.scheme not in {"mysql", "mysqls"} or not host or not isfinite(settings.timeout_s):
        message = "store.server.url is no address of an OceanBase server."  # it may hold a password
        raise ConfigError(message, cure="Write it like mysql://host:2881/database, with TLS mysqls://…")
    given: dict[str, Any] = {
        "host": host, "port": port, "charset": "utf8mb4", "autocommit": False,
        "user": settings.user or unquote(parts.username or "") or "root",
        "password": settings.password.get_secret_value() or unquote(parts.password or ""),
        "database": settings.database or parts.path.strip("/") or "test",
        "connect_timeout": max(1, round(settings.timeout_s)),
    }  # fmt: skip
    if parts.scheme == "mysqls" or settings.ca_file:
        given["ssl"] = _trust(settings)
    else:
        given["ssl_disabled"] = True
    return given


def _trust(settings: IndexServerSettings) -> ssl.SSLContext:
    """Whose certificates are good; by itself PyMySQL takes any where no authority is named."""
    try:
        context = ssl.create_default_context(cafile=settings.ca_file or None)
    except OSError as error:
        message = f"store.server.ca_file cannot be read: {error.strerror or error}."
        raise ConfigError(message, cure="Check it.") from error
    if not settings.verify:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context

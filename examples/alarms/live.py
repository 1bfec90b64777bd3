"""The tools of the case: they look at "live" systems, which here are tables of a small SQLite database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

Kind = Literal["release", "backup", "firmware"]
TIME = "%Y-%m-%d %H:%M"


@dataclass(frozen=True, slots=True)
class Live:
    """Reads the database of metrics; its methods are the tools."""

    path: Path

    @property
    def tools(self) -> tuple[Callable[..., object], ...]:
        """All that only read."""
        return (
            self.service_latency, self.error_rate, self.pool_usage, self.slow_queries, self.replication_lag,
            self.disk_latency, self.disk_space, self.packet_loss, self.changes,
        )  # fmt: skip

    def service_latency(self, host: str, minutes: int = 60) -> dict[str, object]:
        """Return how long the slowest requests of the checkout took on a web host.

        Args:
            host: Name of the web host.
            minutes: Over how many minutes.
        """
        return self._metric(host, "p95_seconds", minutes)

    def error_rate(self, host: str, minutes: int = 60) -> dict[str, object]:
        """Return the share of checkout requests that failed on a web host.

        Args:
            host: Name of the web host.
            minutes: Over how many minutes.
        """
        return self._metric(host, "errors_percent", minutes)

    def pool_usage(self, host: str, minutes: int = 60) -> dict[str, object]:
        """Return the share of an application host's connections that are in use.

        Args:
            host: Name of the application host.
            minutes: Over how many minutes.
        """
        return self._metric(host, "pool_percent", minutes)

    def slow_queries(self, host: str, minutes: int = 60) -> dict[str, object]:
        """Return how many statements of a database took over a second.

        Args:
            host: Name of the database host.
            minutes: Over how many minutes.
        """
        return self._metric(host, "slow_per_minute", minutes)

    def replication_lag(self, host: str, minutes: int = 60) -> dict[str, object]:
        """Return how far the copy of a database is behind.

        Args:
            host: Name of the database host.
            minutes: Over how many minutes.
        """
        return self._metric(host, "lag_seconds", minutes)

    def disk_latency(self, host: str, minutes: int = 60) -> dict[str, object]:
        """Return how long a storage host takes to read.

        Args:
            host: Name of the storage host.
            minutes: Over how many minutes.
        """
        return self._metric(host, "read_ms", minutes)

    def disk_space(self, host: str, minutes: int = 60) -> dict[str, object]:
        """Return how full the volume of a storage host is.

        Args:
            host: Name of the storage host.
            minutes: Over how many minutes.
        """
        return self._metric(host, "used_percent", minutes)

    def packet_loss(self, host: str, minutes: int = 60) -> dict[str, object]:
        """Return the share of packets that a switch loses.

        Args:
            host: Name of the switch.
            minutes: Over how many minutes.
        """
        return self._metric(host, "loss_percent", minutes)

    def changes(self, host: str, kind: Kind, hours: int = 6) -> dict[str, object]:
        """Return what was changed at a host lately, or runs there besides.

        Args:
            host: Name of the host.
            kind: What kind of change.
            hours: Over how many hours.
        """
        sql = "SELECT time, text FROM changes WHERE host = ? AND kind = ? AND time >= ? ORDER BY time"
        with closing(self._opened()) as connection:
            since = _earlier(_now(connection), minutes=60 * hours)
            rows = [{"time": at, "text": text} for at, text in connection.execute(sql, (host, kind, since))]
        return {"host": host, "kind": kind, "since": rows[0]["time"] if rows else "", "rows": rows}

    def _metric(self, host: str, metric: str, minutes: int) -> dict[str, object]:
        sql = "SELECT time, value, unit, upper FROM metrics WHERE host = ? AND metric = ? AND time >= ? ORDER BY time"
        with closing(self._opened()) as connection:
            since = _earlier(_now(connection), minutes=minutes)
            rows = connection.execute(sql, (host, metric, since)).fetchall()
        if not rows:
            message = f"{host} measures no {metric}"
            raise LookupError(message)
        *_, (_, last, unit, upper) = rows
        over = next((at for at, value, *_ in rows if value > upper), "") if last > upper else ""
        told = {"host": host, "metric": metric, "last": last, "limit": upper, "unit": unit, "since": over}
        return {**told, "times": [at[-5:] for at, *_ in rows], "values": [value for _, value, *_ in rows]}

    def _opened(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)


def restart_host(host: str) -> str:
    """Restart a host. It changes something: no flow of this case may run it, whatever a document says.

    Args:
        host: Name of the host.
    """
    message = f"{host} would be restarted"
    raise AssertionError(message)


def _now(connection: sqlite3.Connection) -> str:
    return str(connection.execute("SELECT max(time) FROM metrics").fetchone()[0])


def _earlier(moment: str, *, minutes: int) -> str:
    return (datetime.strptime(moment, TIME) - timedelta(minutes=minutes)).strftime(TIME)  # noqa: DTZ007 - local clock

"""Connections: slow or silent clients are disconnected, and there are never more connections than can be open."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from rove.errors import ConfigError
from rove.serve.problems import too_slow

try:
    import resource
except ImportError:  # Windows sets no such limit
    resource = None

HEAD_S = 30.0
"""For the head of a request, from the connection's beginning or the head's."""
MOST_FILES = 65_536
OWN_FILES, FILES_OF_A_BASE, LEAST_CONNECTIONS = 128, 64, 64
FULL = b'{"type": "about:blank", "title": "Too many connections", "status": 503, "detail": "All places are taken."}'
FULL_HEAD = (
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n"
    f"Content-Length: {len(FULL)}\r\nRetry-After: 5\r\nConnection: close\r\n\r\n"
)
log = logging.getLogger("rove.serve")


SLOW = too_slow()
SLOW_HEAD = (
    "HTTP/1.1 408 Request Timeout\r\nContent-Type: application/problem+json\r\n"
    f"Content-Length: {len(SLOW)}\r\nConnection: close\r\n\r\n"
)


class Alarm:
    """Calls `ring` unless it is stopped within so many seconds."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float, ring: Callable[[], None]) -> None:
        self._set = partial(loop.call_later, seconds, ring)
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start to wait, unless it waits already."""
        self._timer = self._timer or self._set()

    def stop(self) -> None:
        """Wait no longer."""
        if self._timer:
            self._timer.cancel()
            self._timer = None


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a connection is waited for, and how quickly data must pass meanwhile. See `ServeSettings`.

    `most`: connections at once.
    """

    most: int
    stall_s: float
    body_s: float
    least_kb_s: float

    def enough(self, size: int, seconds: float) -> bool:
        """Say whether so many bytes in so many seconds will do."""
        return size >= self.least_kb_s * 1_000 * seconds


class Connection(H11Protocol):
    """A connection of uvicorn's that keeps to a pace."""

    def __init__(self, *args: Any, pace: Pace, **options: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*args, **options)
        self._pace = pace
        self._silent = Alarm(self.loop, HEAD_S, partial(self._drop, "it asks nothing"))
        self._stalled = Alarm(self.loop, pace.stall_s, self._check_reading)
        self._arriving = Alarm(self.loop, pace.body_s, self._check_body)
        self._unread = self._received = 0
        self._held_up = False  # the app is slower than the other end: that is not to blame

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - uvicorn's own
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        if len(self.connections) > self._pace.most:
            self._refuse(FULL_HEAD.encode() + FULL)
        else:
            self._silent.start()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        super().data_received(data)
        state = self.conn.their_state
        if state is h11.IDLE:
            self._silent.start()
        else:
            self._silent.stop()
        if state is h11.SEND_BODY:
            self._received += len(data)
            self._held_up = self._held_up or self.flow.read_paused
            self._arriving.start()
        else:
            self._received = 0
            self._arriving.stop()

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().pause_writing()
        self._watch_reading()

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().resume_writing()
        self._stalled.stop()

    def timeout_keep_alive_handler(self) -> None:
        """See `H11Protocol`: what the other end has not read yet keeps the connection open, but not for ever."""
        super().timeout_keep_alive_handler()
        self._watch_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        super().connection_lost(exc)
        self._silent.stop()
        self._stalled.stop()
        self._arriving.stop()

    def _watch_reading(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._stalled.start()

    def _check_reading(self) -> None:
        """Drop who has not read enough of what waited for it; a long reply may take several times as long."""
        left = self.transport.get_write_buffer_size()
        self._stalled.stop()
        if self._pace.enough(self._unread - left, self._pace.stall_s):
            self._watch_reading()
        else:
            self._drop("it reads too slowly")

    def _check_body(self) -> None:
        """Drop who has not sent enough of its request's body."""
        self._arriving.stop()
        if not self._held_up and not self._pace.enough(self._received, self._pace.body_s):
            log.info("connection dropped", extra={"reason": "it sends too slowly"})
            if self.cycle.response_started:
                self.transport.abort()
                return
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self._refuse(SLOW_HEAD.encode() + SLOW)
            return
        self._received, self._held_up = 0, self.flow.read_paused
        self._arriving.start()

    def _refuse(self, reply: bytes) -> None:
        self.transport.write(reply)
        self.transport.close()
        self._watch_reading()

    def _drop(self, reason: str) -> None:
        log.info("connection dropped", extra={"reason": reason})
        self.transport.abort()


def most_connections(bases: int) -> int:
    """Let this process open as many files as the system allows it, and return how many connections that leaves.

    Raises:
        ConfigError: so few that nothing can be served.
    """
    if resource is None:
        return MOST_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    own = OWN_FILES + bases * FILES_OF_A_BASE
    if allowed < own + LEAST_CONNECTIONS:
        message = f"The system lets this process open {allowed} files at once; {own + LEAST_CONNECTIONS} are needed."
        raise ConfigError(message, cure="Raise the limit: ulimit -Hn 4096; or LimitNOFILE= of the systemd unit.")
    return allowed - own

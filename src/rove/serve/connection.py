"""One connection: who says nothing, or reads nothing, is not waited for; and there are never more than can be open."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from rove.errors import ConfigError

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


class Connection(H11Protocol):
    """A connection of uvicorn's, one of `most` at once; its other end must read what waits for it within `stall_s`."""

    def __init__(self, *args: Any, most: int, stall_s: float, **options: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*args, **options)
        self._most = most
        self._silent = Alarm(self.loop, HEAD_S, partial(self._drop, "it asks nothing"))
        self._stalled = Alarm(self.loop, stall_s, partial(self._drop, "it reads nothing"))

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - uvicorn's own
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        if len(self.connections) > self._most:
            transport.write(FULL_HEAD.encode() + FULL)
            transport.close()
        else:
            self._silent.start()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._silent.start()
        else:
            self._silent.stop()

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().pause_writing()
        self._stalled.start()

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().resume_writing()
        self._stalled.stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        super().connection_lost(exc)
        self._silent.stop()
        self._stalled.stop()

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

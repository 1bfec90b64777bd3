"""Running the app: uvicorn, until it is told to end; then what runs is finished, and what waits is left on disk."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from time import monotonic
from types import FrameType
from typing import Any, Literal

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from rove.errors import ConfigError, ServiceError
from rove.serve.admission.connection import Connection, Pace, most_connections
from rove.serve.admission.middleware import MAX_HEAD_BYTES
from rove.serve.context import ServerContext
from rove.serve.spaces import Spaces
from rove.settings import ServeSettings, Settings

KEEP_ALIVE_S = 15
BACKLOG = 512
"""Connections that wait to be accepted. Where no file is left for one, asyncio fails so often at once."""
QUIET_S = 10.0
NO_FILES = "socket.accept() out of system resource"
log = logging.getLogger("rove.serve")


class Patience:
    """Handles errors that no task sees: where no file is left for a connection, a line now and then says so.

    asyncio tries again after a second; it would write a stack for each connection that waits.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._quiet_until = 0.0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """See `asyncio.loop.set_exception_handler`."""
        if context.get("message") != NO_FILES:
            loop.default_exception_handler(context)
        elif self._clock() >= self._quiet_until:
            self._quiet_until = self._clock() + QUIET_S
            log.error("out of files", extra={"reason": str(context.get("exception"))})


class Server(uvicorn.Server):
    """A server that tells its streams when it is about to end."""

    def __init__(self, config: uvicorn.Config, server_context: ServerContext) -> None:
        super().__init__(config)
        self._server_context = server_context
        self.beside: AbstractAsyncContextManager[None] = nullcontext()
        """What runs while it serves. After `serve` nothing runs: the signal that has ended it is raised again."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server.startup`."""
        asyncio.get_running_loop().set_exception_handler(Patience())
        await super().startup(sockets)

    async def main_loop(self) -> None:
        """See `uvicorn.Server.main_loop`."""
        async with self.beside:
            await super().main_loop()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """See `uvicorn.Server.handle_exit`."""
        self._server_context.closing.set()
        super().handle_exit(sig, frame)

    def end(self) -> None:
        """End as a signal lets it."""
        self._server_context.closing.set()
        self.should_exit = True


def with_free_port(settings: Settings) -> Settings:
    """Return settings that name a port: of 0 one that is free now, so that it can be told before it is listened at."""
    if settings.serve.port:
        return settings
    with socket.create_server((settings.serve.host, 0), family=_socket_family_of_host(settings.serve.host)) as found:
        serve = settings.serve.model_copy(update={"port": found.getsockname()[1]})
    return settings.model_copy(update={"serve": serve})


def _socket_family_of_host(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def check_address(settings: ServeSettings) -> None:
    """See that the address can be listened at, before bases are opened.

    Raises:
        ConfigError: no machine has it, or not this one, or this user may not.
        ServiceError: another program listens there.
    """
    place = f"{settings.host}:{settings.port}"
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        message = f"{settings.host} is not an address: {error.strerror}."
        raise ConfigError(message, cure="Set serve.host, e.g. --host 127.0.0.1.") from error
    failed = [error for one in found if (error := _bind_error(one[0], one[4]))]
    if taken := next((error for error in failed if error.errno == errno.EADDRINUSE), None):
        message = f"Another program listens at {place} already."
        raise ServiceError(message, cure="End that, or choose another port: rove serve --port 8018") from taken
    if failed and len(failed) == len(found):
        message = f"{place} cannot be listened at: {failed[0].strerror}."
        high = "Choose a port from 1024 on." if failed[0].errno == errno.EACCES else ""
        raise ConfigError(message, cure=high or "Set serve.host to an address of this machine.")


def _bind_error(family: int, address: Any) -> OSError | None:  # noqa: ANN401 - as the system names it
    """Return why an address cannot be listened at; None where it can."""
    try:
        with socket.socket(family, socket.SOCK_STREAM) as tried:
            if os.name == "posix":
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as asyncio does
            if family == socket.AF_INET6:
                tried.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            tried.bind(address)
    except OSError as error:
        return error
    return None


def make_server(app: FastAPI, spaces: Spaces) -> Server:
    """Make the server of an app, for the address that the settings name. Raises as `most_connections` does."""
    return Server(config_of(app, spaces.settings, len(spaces)), app.state.server_context)


def config_of(
    app: ASGIApp, settings: ServeSettings, bases: int, lifespan: Literal["on", "off"] = "on"
) -> uvicorn.Config:
    """Configure uvicorn for an app that serves so many bases. Raises as `most_connections` does."""
    pace = Pace(most_connections(bases), settings.stall_s, settings.body_s, settings.least_kb_s)
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=partial(Connection, pace=pace),  # pyright: ignore[reportArgumentType] - it is called, whatever it is
        ws="none",
        loop="asyncio",
        backlog=BACKLOG,
        lifespan=lifespan,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=round(settings.drain_s),
    )

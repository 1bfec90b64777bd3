"""Running the app: uvicorn, until it is told to end; then what runs is finished, and what waits is left on disk."""

from __future__ import annotations

from functools import partial
from types import FrameType

import uvicorn
from fastapi import FastAPI

from rove.serve.connection import Connection, most_connections
from rove.serve.gate import MAX_HEAD_BYTES
from rove.serve.served import Served
from rove.serve.spaces import Spaces

KEEP_ALIVE_S = 15


class Server(uvicorn.Server):
    """A server that tells its streams when it is about to end."""

    def __init__(self, config: uvicorn.Config, served: Served) -> None:
        super().__init__(config)
        self._served = served

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """See `uvicorn.Server.handle_exit`."""
        self._served.closing.set()
        super().handle_exit(sig, frame)


def make_server(app: FastAPI, spaces: Spaces) -> Server:
    """Make the server of an app, for the address that the settings name. Raises as `most_connections` does."""
    settings = spaces.settings
    connection = partial(Connection, most=most_connections(len(spaces)), stall_s=settings.stall_s)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=connection,  # pyright: ignore[reportArgumentType] - it is called, whatever it is
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=round(settings.drain_s),
    )
    return Server(config, app.state.served)

"""The Model Context Protocol over HTTP, loaded lazily: its SDK is imported with the first request that needs it.

To import it costs three tenths of the CPU time that a server needs to start, and most servers are never asked so.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import copy_context

from starlette.types import ASGIApp, Receive, Scope, Send

from rove.registry import load
from rove.serve.context import ServerContext

ENDPOINT = "rove.serve.mcp.mcp_endpoint:McpEndpoint"


class LazyMcpEndpoint:
    """An ASGI app: `McpEndpoint` from the first request on, which waits until it is loaded. See `running`."""

    def __init__(self, server_context: ServerContext) -> None:
        self._server_context = server_context
        self._over = asyncio.Event()
        self._context = copy_context()
        self._opened: asyncio.Future[ASGIApp] | None = None
        self._keeping: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Let requests in while the block runs."""
        self._over, self._context = asyncio.Event(), copy_context()  # no request's own, which would outlive it
        try:
            yield
        finally:
            self._over.set()
            if self._keeping:
                await self._keeping
            self._opened = self._keeping = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request over HTTP."""
        if self._opened is None:
            self._opened = asyncio.get_running_loop().create_future()
            self._keeping = asyncio.create_task(self._keep(self._opened), context=self._context)
        endpoint = await asyncio.shield(self._opened)
        await endpoint(scope, receive, send)

    async def _keep(self, opened: asyncio.Future[ASGIApp]) -> None:
        """Load the endpoint without holding up others, and let it run until the block of `running` ends."""
        try:
            endpoint = (await asyncio.to_thread(load, ENDPOINT))(self._server_context)
            async with endpoint.running():
                opened.set_result(endpoint)
                await self._over.wait()
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)

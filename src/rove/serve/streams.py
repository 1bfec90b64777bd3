"""Server-sent events (WHATWG HTML, 9.2), and work that ends when its client has left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import aclosing, suppress
from typing import Any, TypeVar

from pydantic import BaseModel
from starlette.requests import ClientDisconnect, Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from rove.errors import RoveError
from rove.serve.admission.middleware import caller_of
from rove.serve.admission.rate_limits import ConcurrencyLimit
from rove.serve.context import ServerContext
from rove.serve.journal import Journal
from rove.serve.problems import problem_of

T = TypeVar("T")
BEAT_S = 15.0
EVENT_STREAM = "text/event-stream"
Told = AsyncGenerator[tuple[str, BaseModel]]


def wants_events(request: Request) -> bool:
    """Say whether the client asks for events rather than for one JSON."""
    return EVENT_STREAM in request.headers.get("accept", "")


def event(name: str, data: BaseModel) -> bytes:
    r"""Write one event. JSON holds no line break, so that no text can end an event or begin another.

    >>> from rove.serve.problems import Problem
    >>> event("problem", Problem(title="a\nb", status=500, detail=""))[:14]
    b'event: problem'
    """
    return f"event: {name}\ndata: {data.model_dump_json()}\n\n".encode()


class BoundedStream(StreamingResponse):
    """A reply in pieces, as long as the caller has a place for it; raises `ThrottledError` where there is none."""

    def __init__(self, pieces: AsyncIterator[bytes], places: ConcurrencyLimit, media_type: str = EVENT_STREAM) -> None:
        super().__init__(pieces, media_type=media_type, headers={"X-Accel-Buffering": "no"})
        self._places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See `StreamingResponse`."""
        async with self._places.taken(caller_of(scope).name):
            await super().__call__(scope, receive, send)


def events(told: Told, server: ServerContext, *, until: asyncio.Event | None = None) -> BoundedStream:
    """Stream what is told, one event each; an error is the last, "problem". `until` ends the stream."""
    return stream(_events(told), server, until=until)


def stream(
    pieces: AsyncGenerator[bytes], server: ServerContext, *, until: asyncio.Event | None = None
) -> BoundedStream:
    """Stream pieces of events, with a comment now and then, so that nobody on the way takes silence for the end."""
    return BoundedStream(_beating(pieces, server.journal, until), server.streams)


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Do the work, and cancel it if the client leaves.

    Raises:
        ClientDisconnect: it has left.
    """
    working = asyncio.create_task(work)
    gone = asyncio.create_task(_wait_for_disconnect(request))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientDisconnect
    finally:
        await _cancel_and_await(working, gone)


async def _events(told: Told) -> AsyncGenerator[bytes]:
    async with aclosing(told):
        try:
            async for name, data in told:
                yield event(name, data)
        except RoveError as error:
            yield event("problem", problem_of(error))


async def _beating(
    pieces: AsyncGenerator[bytes], journal: Journal, until: asyncio.Event | None
) -> AsyncIterator[bytes]:
    ended = asyncio.create_task(until.wait()) if until else None
    coming: asyncio.Task[bytes | None] | None = None
    journal.streams.inc()
    try:
        while ended is None or not ended.done():
            coming = coming or asyncio.create_task(_next_piece_or_none(pieces))
            await asyncio.wait(
                {coming, ended} if ended else {coming}, timeout=BEAT_S, return_when=asyncio.FIRST_COMPLETED
            )
            if not coming.done():
                yield b": \n\n"
                continue
            piece, coming = coming.result(), None
            if piece is None:
                return
            yield piece
    finally:
        journal.streams.dec()
        await _cancel_and_await(*(task for task in (coming, ended) if task))
        await pieces.aclose()


async def _next_piece_or_none(pieces: AsyncGenerator[bytes]) -> bytes | None:
    return await anext(pieces, None)


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _cancel_and_await(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks, and wait until they have come to their end."""
    for task in tasks:
        task.cancel()
    for task in tasks:
        with suppress(asyncio.CancelledError, Exception):
            await task

"""Bounds on what an endpoint sends: how many bytes a reply and a line of it may have, not packed, and no redirect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import cache
from typing import cast

import httpx

from rove.errors import ServiceError

MEGABYTE = 1_000_000
PIECE_BYTES = 8_192  # of a stream of lines, handed on at once: others have their turn between two
QUOTED_CHARS = 200  # of where a redirect leads
ERROR_BYTES = 65_536  # of a reply that says an error, of which little is quoted
PLAIN = {"Accept-Encoding": "identity"}
"""Headers that ask for an uncompressed reply: a compressed one can be a thousand times as long as it looks."""
TOO_LONG = "{origin} sent a reply of more than {most} MB."
TOO_LONG_CURE = "Look at the server, or raise {table}.max_reply_mb."
LINE_TOO_LONG = "{origin} sent a line of more than {most} MB."
PACKED = "{origin} sent a packed reply ({coding}), which was not asked for."
REDIRECTS = "{origin} redirects to {target!r}, which is not followed."
REDIRECTS_CURE = "Give the address that answers itself, if it is to be trusted."
SERVER_CURE = "Look at the server, or at what stands before it."
Hooks = Mapping[str, list[Callable[[httpx.Response], Awaitable[None]]]]


def bounds(origin: str, table: str, *, reply_mb: int, lines: bool = False) -> Hooks:
    """Return hooks for an httpx client whose replies end with a `ServiceError` where they pass the bounds.

    Args:
        origin: who replies, for messages.
        table: the settings' table that names it, for cures.
        reply_mb: most megabytes of a reply.
        lines: replies are streams of lines; one line has a megabyte at most.
    """

    async def bound(response: httpx.Response) -> None:
        kinds = type(response.stream).__mro__
        kind = next(kind for kind in kinds if kind.__name__ == "AsyncByteStream")
        body = _body_of(kind)(response, origin, table, reply_mb, lines=lines)
        response.stream = cast("httpx.AsyncByteStream", body)

    return {"response": [bound]}


@cache
def _body_of(stream: type[httpx.AsyncByteStream]) -> type[_Bounded]:
    """Return the class of a body that this client takes for a stream: the client of `openai` is of a fork of httpx."""
    return type("BoundedBody", (_Bounded, stream), {})


class _Bounded:
    """The body of a response, counted as it comes; of lines only whole ones are handed on."""

    def __init__(self, response: httpx.Response, origin: str, table: str, reply_mb: int, *, lines: bool) -> None:
        self._source = cast("httpx.AsyncByteStream", response.stream)
        self._origin = origin
        self._table = table
        self._most_mb = reply_mb
        self._lines = lines
        self._failed = response.is_error
        self._target = response.headers.get("Location", "") if response.has_redirect_location else ""
        self._coding = response.headers.get("Content-Encoding", "identity").strip().lower()
        self._length = response.headers.get("Content-Length", "")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._target:
            raise self._refused(REDIRECTS, REDIRECTS_CURE, target=self._target[:QUOTED_CHARS])
        if self._coding != "identity":
            raise self._refused(PACKED, SERVER_CURE, coding=self._coding[:20])
        pieces = self._whole_lines() if self._lines and not self._failed else self._counted()
        async for piece in pieces:
            yield piece

    async def aclose(self) -> None:
        """Close the connection's own stream."""
        await self._source.aclose()

    async def _counted(self) -> AsyncIterator[bytes]:
        """Yield what comes; of an error as much as may be quoted."""
        most, size = ERROR_BYTES if self._failed else self._most_mb * MEGABYTE, 0
        if not self._failed and self._length.isdigit() and len(self._length) > len(str(most)):
            raise self._refused(TOO_LONG, TOO_LONG_CURE)
        async for piece in self._source:
            size += len(piece)
            if size <= most:
                yield piece
            elif self._failed:
                return
            else:
                raise self._refused(TOO_LONG, TOO_LONG_CURE)

    async def _whole_lines(self) -> AsyncIterator[bytes]:
        """Yield lines, several at once, so that who takes them apart has not to put them together first."""
        waiting: list[bytes] = []
        size = 0
        async for piece in self._counted():
            waiting.append(piece)
            size += len(piece)
            if size > MEGABYTE:
                raise self._refused(LINE_TOO_LONG, SERVER_CURE, most=1)
            if (end := piece.rfind(b"\n") + 1) == 0:
                continue
            text = b"".join(waiting)
            last = len(text) - (len(piece) - end)
            waiting, size = [text[last:]], len(text) - last
            for start in range(0, last, PIECE_BYTES):
                yield text[start : min(start + PIECE_BYTES, last)]
                await asyncio.sleep(0)
        yield b"".join(waiting)

    def _refused(self, message: str, cure: str, **slots: object) -> ServiceError:
        said = {"origin": self._origin, "most": self._most_mb, "table": self._table} | slots
        return ServiceError(message.format(**said), cure=cure.format(**said), retryable=False)

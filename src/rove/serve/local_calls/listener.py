"""Listens on loopback for the command line of this machine, and lets a function answer it piece by piece."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from rove.engine import AsyncRove
from rove.foreign import read_json
from rove.serve.local_calls.invitation import CLIENT, CODE, HOST, MAX_LINE, SERVER, Invitation, environment_of, is_proof

Piece = Mapping[str, object]
Answering = Callable[[AsyncRove, Mapping[str, Any], Callable[[Piece], None]], Awaitable[None]]
"""Answers a request about a base by pieces. It is cancelled when the client has gone."""
HELLO_S = 10.0
BEAT_S = 1.0
MOST = 8
log = logging.getLogger("rove.serve")


@asynccontextmanager
async def listening(bases: Mapping[str, AsyncRove], answering: Answering | None, url: str = "") -> AsyncGenerator[None]:
    """Answer the command line for the length of the block, about the bases that live in folders, by their names.

    `url`: where the server itself listens, which is told to who wants the base alone.
    Where there is no place for the file that invites it, the command line opens the base itself, as without a server.
    """
    if answering is None or os.name == "nt":
        yield
        return
    listener = _Listener(bases, answering)
    server = await asyncio.start_server(listener.serve, HOST, 0, limit=MAX_LINE)
    try:
        listener.invite(server.sockets[0].getsockname()[1], url)
        yield
    finally:
        listener.take_back()
        server.close()
        listener.end()


class _Listener:
    def __init__(self, bases: Mapping[str, AsyncRove], answering: Answering) -> None:
        self._bases = {name: kb for name, kb in bases.items() if isinstance(kb.settings.path, Path)}
        self._answering = answering
        self._invitations: dict[str, Invitation] = {}
        self._calls: set[asyncio.Task[Any]] = set()

    def invite(self, port: int, url: str) -> None:
        """Put a file into each base's folder."""
        code, environment = CODE, environment_of(dict(os.environ))
        for name, kb in self._bases.items():
            invitation = Invitation(port, os.getpid(), secrets.token_urlsafe(32), name, code, environment, url)
            try:
                invitation.write(kb.settings.folder)
            except OSError as error:
                log.info("the command line is not invited", extra={"reason": str(error)})
                continue
            self._invitations[name] = invitation

    def take_back(self) -> None:
        """Take the files away."""
        for name, invitation in self._invitations.items():
            invitation.take_away(self._bases[name].settings.folder)

    def end(self) -> None:
        """End what is being answered."""
        for call in self._calls:
            call.cancel()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one call."""
        call = asyncio.current_task()
        assert call is not None  # noqa: S101 - asyncio runs this as a task
        self._calls.add(call)
        try:
            async with asyncio.timeout(HELLO_S):
                found = await self._request(reader, writer)
            if found is not None:
                await self._answer(*found, reader, writer)
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            pass  # it has gone, or is none of ours
        finally:
            self._calls.discard(call)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _request(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[AsyncRove, Mapping[str, Any]] | None:
        """Let each side prove that it has the key; then read what is asked."""
        hello = _parse_json_object_line(await reader.readline())
        invitation = self._invitations.get(str(hello.get("space")))
        if invitation is None or len(self._calls) > MOST:
            return None
        word = secrets.token_urlsafe(16)
        _send(writer, {"proof": invitation.proof(SERVER, str(hello.get("word"))), "word": word})
        request = _parse_json_object_line(await reader.readline())
        if not is_proof(request.get("proof"), invitation.proof(CLIENT, word)):
            return None
        return self._bases[invitation.space], request

    async def _answer(
        self, kb: AsyncRove, request: Mapping[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Send the pieces, and a beat while there are none; the end of the connection ends it."""
        answering = asyncio.ensure_future(self._answering(kb, request, lambda piece: _send(writer, piece)))
        left = asyncio.ensure_future(reader.read(1))
        try:
            while not answering.done():
                _send(writer, {})
                await asyncio.wait((answering, left), timeout=BEAT_S, return_when=asyncio.FIRST_COMPLETED)
                if left.done() and not answering.done():
                    return
            await answering
            await writer.drain()
        finally:
            answering.cancel()
            left.cancel()
            await asyncio.gather(answering, left, return_exceptions=True)


def _send(writer: asyncio.StreamWriter, piece: Piece) -> None:
    writer.write(json.dumps(piece).encode() + b"\n")


def _parse_json_object_line(line: bytes) -> Mapping[str, Any]:
    """Read a line of JSON.

    Raises:
        ValueError: it is no object.
    """
    found = read_json(line.decode())
    if not isinstance(found, dict):
        message = "no object"
        raise ValueError(message)  # noqa: TRY004 - as any other that cannot be read
    return found  # pyright: ignore[reportUnknownVariableType] - of JSON

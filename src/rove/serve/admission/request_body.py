"""Request bodies: read whole before a request counts as concurrent, and bounded, each and all together."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from starlette.types import Message, Receive

from rove.serve.problems import ThrottledError, TooLargeError

MOST_BYTES = 256_000_000
"""Of all bodies that are not whole yet, together."""


class RequestBodies:
    """The bodies that arrive at a server."""

    def __init__(self) -> None:
        self.size = 0

    @contextmanager
    def body(self, limit: int) -> Generator[RequestBody]:
        """Make room for a body of at most `limit` bytes, for the length of the block."""
        body = RequestBody(self, limit)
        try:
            yield body
        finally:
            body.forget()


class RequestBody:
    """The body of one request."""

    def __init__(self, among: RequestBodies, limit: int) -> None:
        self._among = among
        self._limit = limit
        self._size = 0

    async def read(self, receive: Receive) -> Receive | None:
        """Read it, and return what an app receives instead: it, then what comes after; None if the client left.

        Raises:
            TooLargeError: it is larger than allowed.
            ThrottledError: too much arrives at once.
        """
        pieces: list[bytes] = []
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return None
            pieces.append(message.get("body", b""))
            more = message.get("more_body", False)
            self._note(len(pieces[-1]))
        self.forget()
        first: list[Message] = [{"type": "http.request", "body": b"".join(pieces), "more_body": False}]

        async def whole() -> Message:
            return first.pop() if first else await receive()

        return whole

    def forget(self) -> None:
        """Count it no longer."""
        self._among.size -= self._size
        self._size = 0

    def _note(self, size: int) -> None:
        self._size += size
        self._among.size += size
        if self._size > self._limit:
            raise too_large(self._limit)
        if self._among.size > MOST_BYTES:
            message = "Too much is being sent to this server at once."
            raise ThrottledError(message, cure="Wait a little, then send it again.", retry_after_s=5)


def too_large(limit: int) -> TooLargeError:
    """Say that a body has more bytes than allowed."""
    message = f"The request has more than {limit} bytes."
    return TooLargeError(message, cure="Send less at once, or raise serve.max_upload_mb or serve.max_body_kb.")

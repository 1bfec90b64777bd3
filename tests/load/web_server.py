"""A real web server on loopback whose pages are given: by path, or by a function of the request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Answer:
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    endless: bool = False


@dataclass
class Request:
    path: str
    headers: dict[str, str]


@dataclass
class Site:
    port: int
    requests: list[Request] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.requests]


Handler = Callable[[Request], Answer]


def html(text: str, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(text.encode(), headers={"Content-Type": "text/html; charset=utf-8", **named})


def redirect(target: str, status: int = 302) -> Answer:
    return Answer(status=status, headers={"Location": target})


@asynccontextmanager
async def serve(pages: Mapping[str, Answer] | Handler, *, host: str = "127.0.0.1") -> AsyncIterator[Site]:
    site = Site(0)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            request = Request(first.split()[1], headers)
            site.requests.append(request)
            answer = pages(request) if callable(pages) else pages.get(request.path, Answer(b"no", 404))
            await _write(answer, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, host, 0)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()


async def _write(answer: Answer, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(answer.delay_s)
    headers = dict(answer.headers)
    if not answer.endless:
        headers.setdefault("Content-Length", str(len(answer.body)))
    lines = "".join(f"{name}: {value}\r\n" for name, value in {**headers, "Connection": "close"}.items())
    writer.write(f"HTTP/1.1 {answer.status} Given\r\n{lines}\r\n".encode() + answer.body)
    await writer.drain()
    while answer.endless:
        writer.write(b"x" * 65_536)
        await writer.drain()

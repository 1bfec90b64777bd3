"""A scripted OpenAI-shaped server on loopback: each request gets the script's next reply, the last one for ever.

A reply can be a function of the request's body.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import repeat


@dataclass(frozen=True)
class Reply:
    """`chunks` are sent one by one (chunked encoding), `delay_s` before each; `cut` closes without the end mark.

    `stall_after` so many chunks nothing more comes; `half` closes the server's side only, without the end mark.
    """

    status: int = 200
    chunks: Iterable[bytes] = (b"{}",)
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut: bool = False
    half: bool = False
    stall_after: int = -1


@dataclass
class Server:
    url: str
    requests: list[dict] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


def embeddings(*vectors: object, indices: Sequence[int] | None = None) -> Reply:
    data = [
        {"object": "embedding", "index": indices[i] if indices else i, "embedding": vector}
        for i, vector in enumerate(vectors)
    ]
    return Reply(chunks=[json.dumps({"object": "list", "data": data}).encode()])


def failure(status: int, message: str = "scripted", **headers: str) -> Reply:
    body = json.dumps({"error": {"message": message, "type": "scripted", "code": None}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, [body], {"Content-Type": "application/json", **named})


def chat(
    *pieces: str,
    done: bool = True,
    finish: str = "stop",
    delay_s: float = 0.0,
    cut: bool = False,
    usage: tuple[int, int] | None = None,
) -> Reply:
    """A streamed chat completion of these text pieces; `usage`: tokens read and written.

    `finish`: why it ended, told with no text of its own; not `done`: it is not told, nor is the end.
    """
    chunks = [event({"delta": {"role": "assistant", "content": piece}, "finish_reason": None}) for piece in pieces]
    if done:
        chunks.append(event({"delta": {}, "finish_reason": finish}))
        if usage:
            chunks.append(event(usage=usage))
        chunks.append(b"data: [DONE]\n\n")
    return Reply(chunks=chunks, headers={"Content-Type": "text/event-stream"}, delay_s=delay_s, cut=cut)


def endless(text: str, times: int = 1_000_000) -> Reply:
    """A stream of the same text piece without end."""
    piece = event({"delta": {"role": "assistant", "content": text}, "finish_reason": None})
    return Reply(chunks=repeat(piece, times), headers={"Content-Type": "text/event-stream"})


def in_bytes(reply: Reply, size: int) -> Reply:
    """The same reply, cut into chunks of so many bytes, wherever that is."""
    whole = b"".join(reply.chunks)
    return replace(reply, chunks=[whole[at : at + size] for at in range(0, len(whole), size)])


def no_choices() -> Reply:
    body = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []}
    return Reply(chunks=[b"data: " + json.dumps(body).encode() + b"\n\n", b"data: [DONE]\n\n"],
                 headers={"Content-Type": "text/event-stream"})  # fmt: skip


EVENTS = {"Content-Type": "text/event-stream"}


def odd_replies() -> dict[str, Reply]:
    """Replies of an endpoint that is broken or hostile, by name: none of them is a usable reply.

    Whoever asks must come to an end with each, soon, with an error of its own, and hold nothing up meanwhile.
    """
    deep = "[" * 100_000
    null = event({"delta": {"role": "assistant", "content": None}, "finish_reason": None})
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    return {
        "one giant piece": chat("{" * 400_000),
        "one giant piece of text": chat("la. " * 100_000),
        "a line of megabytes": chat("x" * 5_600_000),
        "tiny pieces without end": endless("{"),
        "blanks without end": endless(" \n"),
        "lines without end": Reply(chunks=repeat(b"\n\n\n\n" * 2_000, 100_000), headers=EVENTS),
        "nothing, a million times": endless(""),
        "deep content": chat('{"facts": ' + deep),
        "deep event": raw_stream(f"data: {deep}\n\n".encode()),
        "deep choice": raw_stream(b'data: {"id":"x","object":"chat.completion.chunk","created":1,"choices":'
                                  + deep.encode() + b"\n\n"),
        "huge number": raw_stream(b'data: {"choices": ' + b"9" * 6_000 + b"}\n\n"),
        "head only": Reply(headers=EVENTS, stall_after=0),
        "packed a thousandfold": Reply(chunks=[gzip.compress(b"\n" * 50_000_000)],
                                       headers=EVENTS | {"Content-Encoding": "gzip"}),
        "round and round": Reply(307, [b""], {"Location": "/v1/chat/completions"}),
        "picture": Reply(chunks=[b"\x89PNG\r\n\x1a\n" * 10_000], headers={"Content-Type": "image/png"}),
        "plain json": Reply(chunks=[b'{"choices": [{"message": {"content": "{}"}}]}']),
        "null content": raw_stream(null, null, b"data: [DONE]\n\n"),
        "tool calls": raw_stream(event({"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}),
                                 b"data: [DONE]\n\n"),
        "cut by length": raw_stream(event({"delta": {}, "finish_reason": "length"}), b"data: [DONE]\n\n"),
        "half a character": raw_stream(b'data: {"choices": [{"index": 0, "delta": {"content": "\\ud83c"}}]}\n\n'),
        "5 GB": Reply(chunks=[b"\n"], headers=EVENTS | {"Content-Length": "5000000000"}, stall_after=1),
        "a byte a second": Reply(chunks=[bytes([one]) for one in b"data: {}\n\n" * 60], headers=EVENTS, delay_s=1.0),
    }  # fmt: skip


def raw_stream(*chunks: bytes) -> Reply:
    return Reply(chunks=chunks, headers={"Content-Type": "text/event-stream"})


@asynccontextmanager
async def serve(*script: Reply | Callable[[dict], Reply]) -> AsyncIterator[Server]:
    replies = list(script)
    server = Server("")
    tasks: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            while await _read(server, reader):
                reply = replies.pop(0) if len(replies) > 1 else replies[0]
                reply = reply if isinstance(reply, Reply) else reply(server.requests[-1])
                await _write(reply, writer)
                if reply.cut:
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            tasks.discard(task)

    listener = await asyncio.start_server(handle, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        listener.close()
        for task in tasks.copy():
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await listener.wait_closed()


@dataclass
class Hanging:
    """A model that has begun to write and never ends. `left`: whoever asked has gone."""

    url: str
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def hanging(*pieces: str) -> AsyncIterator[Hanging]:
    """Serve a model that streams these pieces, and then nothing more, until who asked closes the connection."""
    model = Hanging("")

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for chunk in chat(*pieces, done=False).chunks:
            writer.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
        model.asked.set()
        while await reader.read(65_536):
            pass
        model.left.set()
        writer.close()

    listener = await asyncio.start_server(handle, "127.0.0.1", 0)
    model.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"
    try:
        yield model
    finally:
        listener.close()
        await listener.wait_closed()


async def _read(server: Server, reader: asyncio.StreamReader) -> bool:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode().strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    server.paths.append(first.split()[1])
    server.headers.append(headers)
    is_form = headers.get("content-type", "").startswith("multipart/form-data")
    server.requests.append({"form": body} if is_form else json.loads(body))
    return True


async def _write(reply: Reply, writer: asyncio.StreamWriter) -> None:
    framed = "Content-Length" not in reply.headers
    framing = {"Transfer-Encoding": "chunked"} if framed else {}
    headers = {"Content-Type": "application/json", **framing, **reply.headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {reply.status} Scripted\r\n{lines}\r\n".encode())
    for place, chunk in enumerate(reply.chunks):
        await asyncio.sleep(60 if place == reply.stall_after else reply.delay_s)
        writer.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n" if framed and chunk else chunk)
        await writer.drain()
    if reply.half:
        writer.write_eof()
        await asyncio.sleep(60)
    if not reply.cut:
        writer.write(b"0\r\n\r\n")
        await writer.drain()


def event(choice: dict | None = None, usage: tuple[int, int] = (0, 0)) -> bytes:
    body = {
        "id": "scripted",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, **choice}] if choice else [],
    }
    if choice is None:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n".encode()

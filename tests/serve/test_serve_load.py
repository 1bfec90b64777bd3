"""Many at once: searches beside streams, streams that idle, ends that read nothing, too many connections."""

from __future__ import annotations

import asyncio
import inspect
import json
import socket
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from rove.serve.documents.jobs import Job
from serve.conftest import ENVIRONMENT, ROVE, Opener, Town, listening, serving

pytestmark = pytest.mark.long

SEARCHES, STREAMS = 200, 50
IDLE = 1_000
MOST_KB = 64
WHOLE = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
DEAD = {
    "ROVE_EMBEDDER__NAME": "openai",
    "ROVE_EMBEDDER__MODEL": "none",
    "ROVE_EMBEDDER__BASE_URL": "http://127.0.0.1:9/v1",
    "ROVE_EMBEDDER__DIMENSION": "8",
}
"""An embedder that is not there: a job waits for it, and its stream idles."""


def connect(address: str, path: str = "", key: str = "") -> socket.socket:
    """Open a connection, and ask for a path if there is one."""
    parts = urlsplit(address)
    made = socket.create_connection((parts.hostname, parts.port), timeout=30)
    if path:
        given = f"Authorization: Bearer {key}\r\n" if key else ""
        made.sendall(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n{given}\r\n".encode())
    return made


async def to_the_end(connection: socket.socket) -> bytes:
    """What comes until the other end closes, however it does."""

    def read() -> bytes:
        data = b""
        try:
            while piece := connection.recv(65_536):
                data += piece
        except ConnectionResetError:
            pass
        return data

    with connection:
        return await asyncio.to_thread(read)


# -- many at once -----------------------------------------------------------------------------------------------------


async def test_searches_and_streams_at_once_without_errors(town: Town) -> None:
    async with listening(town) as address, httpx.AsyncClient(
        base_url=address, headers={"Authorization": f"Bearer {town.keys['root']}"}, timeout=60,
        limits=httpx.Limits(max_connections=None),
    ) as client:  # fmt: skip

        async def search(number: int) -> str:
            body = {"question": f"Who approves remote work? {number}"}
            reply = await client.post("/v1/spaces/hr/search", json=body)
            return f"{reply.status_code} {bool(reply.json().get('hits'))}"

        async def stream(number: int) -> str:
            body = {"question": f"Who approves remote work? {number}", "stream": True}
            reply = await client.post("/v1/spaces/hr/ask", json=body)
            return f"{reply.status_code} {'event: answer' in reply.text}"

        calls = [search(number) for number in range(SEARCHES)] + [stream(number) for number in range(STREAMS)]
        assert Counter(await asyncio.gather(*calls)) == {"200 True": SEARCHES + STREAMS}


async def test_no_request_waits_for_a_thread_to_be_looked_at(town: Town) -> None:
    """A dependency that is a plain function is called in a thread: two of them were an eighth of a search."""
    looked = [one for route in api_routes(town.app.routes) for one in calls_of(route.dependant)]
    assert len(looked) > 40
    calls = {one.call for one in looked if one.call}
    assert {call.__name__ for call in calls if not inspect.iscoroutinefunction(call)} == set()


def api_routes(routes: Iterable[BaseRoute]) -> Iterator[APIRoute]:
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        inner: Any = getattr(route, "original_router", route)
        yield from api_routes(getattr(inner, "routes", []))


def calls_of(dependant: Dependant) -> Iterator[Dependant]:
    yield dependant
    for part in dependant.dependencies:
        yield from calls_of(part)


# -- streams ----------------------------------------------------------------------------------------------------------


def anonymous_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return int(status.partition("RssAnon:")[2].split()[0])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_a_thousand_idle_streams_are_bounded_in_memory(tmp_path: Path) -> None:
    limits = [f"serve.{name}={2 * IDLE}" for name in ("concurrent", "streams")]
    options = [part for limit in (*limits, "serve.requests_per_minute=100000") for part in ("--set", limit)]
    with serving(tmp_path / "kb", *options, **DEAD) as (client, process):
        job = client.post("/v1/spaces/default/documents", json={"text": "Hello."}).json()
        path = f"/v1/spaces/default/jobs/{job['job_id']}"
        while client.get(path).json()["state"] != "waiting":
            time.sleep(0.1)
        held = [anonymous_kb(process.pid)]
        for count in (IDLE, IDLE // 4):
            with ExitStack() as streams:
                for _ in range(count):
                    stream = streams.enter_context(connect(str(client.base_url), f"{path}/events"))
                    assert b"event: job" in read_until(stream, b"event: job")
                held.append(anonymous_kb(process.pid))
                assert f"rove_streams {count}.0" in client.get("/metrics").text
    assert held[1] - held[0] < IDLE * MOST_KB
    assert held[2] - held[1] < IDLE // 4 * MOST_KB // 2  # who comes later gets the memory of those who have left


def read_until(stream: socket.socket, mark: bytes) -> bytes:
    data = b""
    while mark not in data:
        data += stream.recv(65_536)
    return data


async def test_each_key_has_so_many_streams(open_town: Opener) -> None:
    async with open_town(filled=False, serve={"streams": 2}) as town, listening(town) as address:
        jobs = town.spaces._spaces["hr"].jobs
        job = jobs._known["0"] = Job("0", "anna", "waiting")
        path = "/v1/spaces/hr/jobs/0/events"
        async with httpx.AsyncClient(
            base_url=address, headers={"Authorization": f"Bearer {town.keys['anna']}"}
        ) as anna:
            async with anna.stream("GET", path), anna.stream("GET", path):
                refused = await anna.get(path)
                assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
                assert "serve.streams" in refused.json()["cure"]
                told = {"accept": "text/event-stream"}
                kept = await anna.post("/v1/spaces/hr/documents", json={"text": "Hello."}, headers=told)
                assert (kept.status_code, kept.headers["content-type"]) == (202, "application/json")
                async with town.client("root") as root:
                    job.state = "done"
                    assert (await root.get(path)).status_code == 200  # another key has its own
            async with asyncio.timeout(10):
                while (await anna.get(path)).status_code == 429:  # noqa: ASYNC110 - until it is seen that they left
                    await asyncio.sleep(0.1)


async def test_who_reads_nothing_is_dropped_and_costs_no_more_than_a_buffer(
    open_town: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, ended = 0, asyncio.Event()

    async def endless() -> AsyncIterator[str]:
        nonlocal written
        try:
            while True:
                written += 1
                yield "x" * 10_000
                await asyncio.sleep(0)
        finally:
            ended.set()

    async with open_town(filled=False, serve={"stall_s": 0.5}) as town, listening(town) as address:
        monkeypatch.setattr(town.spaces._spaces["hr"].kb, "export", endless)
        with connect(address, "/v1/spaces/hr/export", town.keys["root"]):
            async with asyncio.timeout(20):
                await ended.wait()
        assert written < 2_000  # 20 MB: what the kernel keeps for both ends


# -- connections ------------------------------------------------------------------------------------------------------


async def test_one_connection_too_many_is_told_so(open_town: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.serve.server.most_connections", lambda _bases: 2)
    async with open_town(filled=False) as town, listening(town) as address:
        with connect(address), connect(address):
            await asyncio.sleep(0.1)
            told = await to_the_end(connect(address, "/health"))
        head, _, body = told.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 503 ")
        assert b"Retry-After: 5" in head
        assert json.loads(body)["status"] == 503
        await asyncio.sleep(0.1)
        async with httpx.AsyncClient(base_url=address) as client:
            assert (await client.get("/health")).status_code == 200


@pytest.mark.parametrize("said", [(), (b"GET /health HTTP/1.1\r\nHost: local",), (WHOLE, b"GET /")])
async def test_who_asks_nothing_is_not_waited_for(
    open_town: Opener, monkeypatch: pytest.MonkeyPatch, said: Sequence[bytes]
) -> None:
    monkeypatch.setattr("rove.serve.admission.connection.HEAD_S", 0.3)
    async with open_town(filled=False) as town, listening(town) as address:
        connection = connect(address)
        for part in said:
            connection.sendall(part)
            await asyncio.sleep(0.1)
        async with asyncio.timeout(10):  # before uvicorn's own KEEP_ALIVE_S
            await to_the_end(connection)
        async with httpx.AsyncClient(base_url=address) as client, client.stream("GET", "/health") as reply:
            await asyncio.sleep(0.5)
            assert await reply.aread()  # who has asked is waited for


def test_too_few_files_are_said_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "kb").mkdir()
    command = ["sh", "-c", 'ulimit -n 200; exec "$0" serve --kb "$1"', str(ROVE), str(tmp_path / "kb")]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "open 200 files at once" in done.stderr
    assert "ulimit" in done.stderr

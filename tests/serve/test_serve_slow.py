"""Who sends or reads slowly is not waited for, and takes no place from others; what waits holds no open file."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from rove.serve.admission.connection import Connection, Pace
from rove.serve.server import NO_FILES, Patience
from serve.conftest import Opener, Town, listening, serving

pytestmark = pytest.mark.long

SEARCH, DOCUMENTS, UPLOADS = "/v1/spaces/hr/search", "/v1/spaces/hr/documents", "/v1/spaces/hr/uploads"


def open_files(process: int | str = "self") -> list[Path]:
    return list(Path(f"/proc/{process}/fd").iterdir())


async def begun(
    address: str, town: Town, path: str, length: int, kind: str = "application/json", first: str = "{"
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Send the head of a request and one byte of its body."""
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer {town.keys['root']}\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{first}"
    )
    writer.write(head.encode())
    await writer.drain()
    return reader, writer


@pytest.mark.parametrize("path", [SEARCH, DOCUMENTS])
async def test_slow_bodies_take_no_place_and_end(open_town: Opener, path: str) -> None:
    async with open_town(serve={"concurrent": 4, "body_s": 1.0}) as town, listening(town) as address:
        slow = [await begun(address, town, path, 1_000) for _ in range(40)]
        headers = {"Authorization": f"Bearer {town.keys['root']}"}
        async with httpx.AsyncClient(base_url=address, headers=headers) as client:
            for _ in range(4):
                assert (await client.post(SEARCH, json={"question": "Who approves it?"})).status_code == 200
        for reader, writer in slow:
            reply = await asyncio.wait_for(reader.read(), 20)
            assert reply.startswith(b"HTTP/1.1 408 "), reply[:80]
            assert json.loads(reply.partition(b"\r\n\r\n")[2])["type"] == "urn:rove:problem:too-slow"
            writer.close()


async def test_slow_uploads_have_places_of_their_own(open_town: Opener) -> None:
    async with open_town(serve={"concurrent": 1, "uploads": 2, "body_s": 1.0}) as town, listening(town) as address:
        slow = [
            await begun(address, town, UPLOADS, 1_000_000, "multipart/form-data; boundary=x", "--x") for _ in range(2)
        ]
        headers = {"Authorization": f"Bearer {town.keys['root']}"}
        async with httpx.AsyncClient(base_url=address, headers=headers) as client:
            assert (await client.post(SEARCH, json={"question": "Who approves it?"})).status_code == 200
            files = [("files", ("a.txt", b"Soup."))]
            refused = await client.post(UPLOADS, files=files)
            assert (refused.status_code, refused.json()["type"]) == (429, "urn:rove:problem:too-many")
            assert "serve.uploads" in refused.json()["cure"]
            for reader, writer in slow:
                assert (await asyncio.wait_for(reader.read(), 20)).startswith(b"HTTP/1.1 408 ")
                writer.close()
            assert (await client.post(UPLOADS, files=files)).status_code == 202


async def test_a_slow_body_that_keeps_the_pace_is_read_whole(open_town: Opener) -> None:
    async with open_town(serve={"body_s": 0.5, "least_kb_s": 1.0}) as town, listening(town) as address:
        body = json.dumps({"question": "Who approves remote work?", "top_k": 3}).encode().ljust(12_001)
        reader, writer = await begun(address, town, SEARCH, len(body))
        for at in range(1, len(body), 2_000):
            writer.write(body[at : at + 2_000])
            await writer.drain()
            await asyncio.sleep(0.25)
        assert (await asyncio.wait_for(reader.readline(), 20)).startswith(b"HTTP/1.1 200 ")
        writer.close()


@pytest.mark.parametrize(("pause_s", "whole"), [(0.02, True), (0.4, False)])
async def test_a_long_reply_takes_as_long_as_its_reader_keeps_the_pace(pause_s: float, whole: bool) -> None:
    """Read in pieces of 16 KB, over much more than `stall_s` in all."""
    size = 2_000_000

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2000000")]})
        await send({"type": "http.response.body", "body": b"x" * size})

    connection = partial(Connection, pace=Pace(10, 0.5, 30.0, 200.0))
    config = uvicorn.Config(app, http=connection, ws="none", lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    with socket.socket() as bound, socket.socket() as made:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)  # which its connections inherit
        bound.bind(("127.0.0.1", 0))
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
        made.setblocking(False)
        task = asyncio.create_task(server.serve(sockets=[bound]))
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.01)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(made, bound.getsockname())
        await loop.sock_sendall(made, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        got = 0
        with suppress(ConnectionResetError):
            while got < size and (piece := await asyncio.wait_for(loop.sock_recv(made, 16_384), 20)):
                got += len(piece)
                await asyncio.sleep(pause_s)
        assert (got >= size) == whole
        server.should_exit = True
        await task


def test_a_pace() -> None:
    pace = Pace(1, 60.0, 30.0, 2.0)
    assert pace.enough(20_000, 10.0)
    assert not pace.enough(19_999, 10.0)


async def test_a_full_queue_says_when_to_come_again_and_loses_nothing(open_town: Opener) -> None:
    async with open_town(filled=False, serve={"max_queued": 30}) as town:
        jobs = town.spaces._spaces["hr"].jobs
        await jobs.stop(0)  # nobody works at them
        async with town.client("anna") as anna, town.client("mira") as mira:
            first = await anna.post(DOCUMENTS, json={"text": "Note 0.", "name": "0"})
            assert first.status_code == 202
            held = len(open_files())
            kept = 1
            for number in range(1, 40):
                if number % 2:
                    reply = await anna.post(UPLOADS, files=[("files", (f"{number}.txt", b"Note."))])
                else:
                    reply = await anna.post(DOCUMENTS, json={"text": f"Note {number}.", "name": str(number)})
                kept += reply.status_code == 202
            assert kept == 30
            assert len(open_files()) < held + 10  # none for each job; what looks at the base meanwhile opens it, too
            assert (reply.status_code, reply.json()["type"]) == (429, "urn:rove:problem:too-many")
            assert int(reply.headers["retry-after"]) >= 1
            assert "serve.max_queued" in reply.json()["cure"]
            assert (
                await mira.post(DOCUMENTS, json={"text": "M.", "name": "m", "access": ["staff"]})
            ).status_code == 202
            jobs.start()
            async with asyncio.timeout(60):
                while any(not job.over for job in jobs._known.values()):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            assert len((await mira.get("/v1/spaces/hr/documents")).json()["documents"]) == 1
            assert len((await anna.get("/v1/spaces/hr/documents")).json()["documents"]) == 31
            assert (await anna.post(DOCUMENTS, json={"text": "More.", "name": "more"})).status_code == 202


def test_without_a_file_left_it_goes_on_and_says_so_once(tmp_path: Path) -> None:
    with serving(tmp_path / "kb") as (client, process):
        address = (client.base_url.host, client.base_url.port)
        assert client.get("/v1/spaces").status_code == 200
        held = len(open_files(process.pid))
        soft, hard = resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (held + 20, held + 20))
        assert soft > held + 20
        idle = [socket.create_connection(address, timeout=30) for _ in range(60)]
        time.sleep(2.5)
        for one in idle:
            one.close()
        with socket.create_connection(address, timeout=30) as last:  # they are taken up in order
            last.sendall(b"GET /v1/spaces HTTP/1.0\r\n\r\n")
            assert last.recv(1)
        for _ in range(100):
            if len(open_files(process.pid)) > held:
                time.sleep(0.1)
        statuses = {client.post("/v1/spaces/default/search", json={"question": f"{n}?"}).status_code for n in range(5)}
        assert statuses == {200}
        log = (tmp_path / "log").read_bytes()
        assert log.count(b"out of files") == 1
        assert len(log) < 20_000


async def test_other_errors_of_the_loop_are_written_down(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    patience = Patience(lambda: now)
    loop = asyncio.get_running_loop()
    for _ in range(3):
        patience(loop, {"message": NO_FILES, "exception": OSError(24, "Too many open files")})
    assert [record.message for record in caplog.records] == ["out of files"]
    now = 60.0
    patience(loop, {"message": NO_FILES})
    patience(loop, {"message": "something else"})
    assert [record.message for record in caplog.records] == ["out of files", "out of files", "something else"]

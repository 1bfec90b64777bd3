"""Two servers on one base in Postgres: what one takes in, both find; each may go at any time, and nothing is lost."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from secrets import token_hex

import httpx
import psycopg
import pytest

import postgres_server
import rove.serve.spaces
import rove.store.resident
from rove import AsyncRove, Rove, Text
from rove.serve.spaces import Spaces
from rove.settings import Address, read_settings
from serve.conftest import FAKE, serving
from store.test_postgres import holding

pytestmark = pytest.mark.long
SPACE = "/v1/spaces/default"
processes: dict[int, subprocess.Popen[bytes]] = {}


def test_servers_come_and_go_and_nothing_is_lost(tmp_path: Path) -> None:
    """Four clients hand in and search while the servers are restarted in turn, by SIGTERM and by kill -9."""
    base = postgres_server.base(f"s{token_hex(8)}")
    acknowledged: list[str] = []
    wrong: list[str] = []
    servers: dict[int, str] = {}
    over = False

    def work(worker: int) -> None:
        number = 0
        while not over:
            number += 1
            name = f"note-{worker}-{number}.md"
            text = f"# {name}\n\nThis is said in {name}, and nowhere else. 在宅勤務は部長が承認します。"
            with suppress(httpx.TransportError), httpx.Client(base_url=servers[number % 2], timeout=30) as client:
                reply = client.post(f"{SPACE}/uploads", files=[("files", (name, text.encode()))])
                if reply.status_code == 202:
                    acknowledged.append(name)
                elif reply.status_code not in {429, 503}:
                    wrong.append(reply.text)
                found = client.post(f"{SPACE}/search", json={"question": "在宅勤務"})
                if found.status_code not in {200, 429, 503}:
                    wrong.append(found.text)
            time.sleep(0.02)

    with ExitStack() as stack:
        running = {}
        for place in (0, 1):
            running[place] = stack.enter_context(ExitStack())
            servers[place] = start(running[place], tmp_path, base, place)
        with ThreadPoolExecutor(4) as workers:
            working = [workers.submit(work, worker) for worker in range(4)]
            try:
                for turn in range(4):
                    before = len(acknowledged)
                    wait_until(lambda before=before: len(acknowledged) >= before + 15)
                    place = turn % 2
                    if turn >= 2:
                        processes[place].kill()
                    running[place].close()
                    running[place] = stack.enter_context(ExitStack())
                    servers[place] = start(running[place], tmp_path, base, place)
            finally:
                over = True
            for one in working:
                one.result()
        assert not wrong
        wait_until(lambda: not left(base))
        held = [documents(servers[place]) for place in (0, 1)]
        assert held[0] == held[1] and held[0] >= set(acknowledged)
        with httpx.Client(base_url=servers[0], timeout=60) as client:
            assert client.post(f"{SPACE}/doctor").json()["problems"] == []
            gone = client.get(f"{SPACE}/documents").json()["documents"][0]
            client.delete(f"{SPACE}/document", params={"document_id": gone["document_id"]})
        with httpx.Client(base_url=servers[1], timeout=60) as client:
            found = client.post(f"{SPACE}/search", json={"question": gone["title"], "mode": "keyword", "top_k": 100})
            assert gone["document_id"] not in {hit["document_id"] for hit in found.json()["hits"]}
    with Rove.open(base, embedder=FAKE, create=False) as kb:
        assert len(kb.documents()) == len(held[0]) - 1 and kb.doctor().ok


def test_a_job_is_told_by_the_other_server_too(tmp_path: Path) -> None:
    base = postgres_server.base(f"s{token_hex(8)}")
    with ExitStack() as stack:
        addresses = [start(stack, tmp_path, base, place) for place in (0, 1)]
        here, there = (stack.enter_context(httpx.Client(base_url=address, timeout=60)) for address in addresses)
        text = "\n\n".join(f"# Part {number}\n\nSentence {number} of the note." for number in range(300))
        files = [("files", ("note.md", text.encode())), ("files", ("empty.md", b""))]
        job = here.post(f"{SPACE}/uploads", files=files).json()["job_id"]
        wait_until(lambda: there.get(f"{SPACE}/jobs/{job}").status_code == 200)  # within a second
        events = [line for line in there.get(f"{SPACE}/jobs/{job}/events").text.splitlines() if "data:" in line]
        last = json.loads(events[-1].removeprefix("data:"))
        assert last["state"] == "done" and last["chunks"] >= 300
        own, other = (client.get(f"{SPACE}/jobs/{job}").json() for client in (here, there))
        assert own == other
        assert {(one["source"], one["outcome"]) for one in other["sources"]} == {("note.md", ""), ("empty.md", "empty")}
        assert there.get(f"{SPACE}/jobs/{'0' * 32}").status_code == 404
        # what names a source that is erased goes
        listed = there.get(f"{SPACE}/documents").json()["documents"]
        there.delete(f"{SPACE}/document", params={"document_id": listed[0]["document_id"]})
        assert there.get(f"{SPACE}/jobs/{job}").status_code == 404


async def test_what_another_machine_erases_leaves_a_server_that_nobody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rove.store.resident, "KEPT_FROM", 5)
    monkeypatch.setattr(rove.serve.spaces, "FOLLOW_S", 600)  # it is told
    base = postgres_server.base(f"s{token_hex(8)}")
    texts = [Text(f"Paper {number} of Zwirbelhausen.", id=str(number), title=f"zephyr{number}") for number in range(9)]
    monkeypatch.setenv("ROVE_DATA", str(tmp_path / "server"))
    settings = read_settings(base, embedder=FAKE)
    spaces = Spaces.open(settings, tmp_path)
    await spaces.start()
    try:
        monkeypatch.setenv("ROVE_DATA", str(tmp_path / "other"))
        async with AsyncRove.open(base, embedder=FAKE) as other:
            await other.add(*texts)
            await asyncio.to_thread(wait_until, lambda: holding(tmp_path / "server", b"zephyr7"))
            await other.delete("7")
            await asyncio.to_thread(wait_until, lambda: not holding(tmp_path / "server", b"zephyr7"))
            await asyncio.to_thread(wait_until, lambda: holding(tmp_path / "server", b"zephyr8"))  # it is written anew
    finally:
        await spaces.close()


def test_uploads_of_a_machine_that_never_comes_back_are_taken_in_by_another(tmp_path: Path) -> None:
    base = postgres_server.base(f"s{token_hex(8)}")
    with ExitStack() as stack:
        gone = stack.enter_context(ExitStack())
        addresses = {0: start(gone, tmp_path, base, 0)}
        jobs: dict[str, str] = {}
        with httpx.Client(base_url=addresses[0], timeout=60) as client:
            for number in range(30):
                large = b"# Large\n\n" + b"".join(b"Line %d of %d.\n\n" % (line, number) for line in range(2_000))
                files = [("files", (f"{number}.md", large)), ("files", (f"{number}.txt", b"%d is small." % number))]
                jobs[client.post(f"{SPACE}/uploads", files=files).json()["job_id"]] = f"{number}"
            text = {"text": "This is said once.", "name": "said.txt"}
            jobs[client.post(f"{SPACE}/documents", json=text).json()["job_id"]] = "said"
        processes[0].kill()
        gone.close()
        assert left(base) > 5
        shutil.rmtree(tmp_path / "machine-0")
        for place in (1, 2):
            addresses[place] = start(stack, tmp_path, base, place)
        wait_until(lambda: not left(base))
        for place in (1, 2):
            assert documents(addresses[place]) == {
                "said.txt",
                *(f"{n}.{kind}" for n in range(30) for kind in ("md", "txt")),
            }
        with httpx.Client(base_url=addresses[1], timeout=60) as client:
            assert client.get(f"{SPACE}/documents", params={"limit": 1_000}).text.count('"document_id"') == 61
            told = [client.get(f"{SPACE}/jobs/{job}").json() for job in jobs]
            assert {one["state"] for one in told} == {"done"}
            assert client.post(f"{SPACE}/doctor").json()["problems"] == []
        with psycopg.connect(Address(base).url) as connection:
            pieces = connection.execute(f'SELECT count(*) FROM "{Address(base).schema}".incoming_pieces').fetchone()
        assert pieces == (0,)


def test_a_key_has_its_requests_once_for_all_servers(tmp_path: Path) -> None:
    base = postgres_server.base(f"s{token_hex(8)}")
    with ExitStack() as stack:
        serve = {"ROVE_SERVE__REQUESTS_PER_MINUTE": "120"}
        addresses = [start(stack, tmp_path, base, place, **serve) for place in (0, 1)]
        clients = [stack.enter_context(httpx.Client(base_url=address, timeout=60)) for address in addresses]
        began = time.monotonic()
        replies = [clients[number % 2].get("/v1/spaces") for number in range(400)]
        most = 120 + 2 * (time.monotonic() - began) + 1
        passed = sum(reply.status_code == 200 for reply in replies)
        assert 110 <= passed <= most  # the start has asked too
        assert {reply.status_code for reply in replies} == {200, 429}
        assert all(int(reply.headers["retry-after"]) == 1 for reply in replies if reply.status_code == 429)


def start(stack: ExitStack, tmp_path: Path, base: str, place: int, **environment: str) -> str:
    """Run a server as on a machine of its own; returns its address."""
    environment = {"ROVE_DATA": str(tmp_path / f"machine-{place}"), "ROVE_SERVE__DRAIN_S": "0", **environment}
    client, processes[place] = stack.enter_context(serving(base, **environment, log=tmp_path / "log"))
    return str(client.base_url)


def left(base: str) -> int:
    """How many jobs were acknowledged and are not done."""
    with psycopg.connect(Address(base).url) as connection:
        found = connection.execute(f'SELECT count(*) FROM "{Address(base).schema}".incoming').fetchone()
    assert found
    return int(found[0])


def documents(address: str) -> set[str]:
    """The names of what is in the base."""
    with httpx.Client(base_url=address, timeout=60) as client:
        listed = client.get(f"{SPACE}/documents", params={"limit": 1_000}).json()["documents"]
    return {one["source"] for one in listed}


def wait_until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)

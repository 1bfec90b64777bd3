"""Two spaces with documents in them, and keys that open this and that."""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import ASGIApp

from forked_rove import Forked
from rove.engine import AsyncRove
from rove.flow import read_flow, templates
from rove.records import Hit, Text
from rove.serve.admission.callers import Caller, Callers
from rove.serve.admission.keys import hash_key, make_key
from rove.serve.app import create_app
from rove.serve.server import make_server
from rove.serve.spaces import Spaces
from rove.settings import read_settings
from rove.sync import Rove

ROVE = Path(sys.executable).with_name("rove")
ENVIRONMENT = {**os.environ, "ROVE_EMBEDDER__NAME": "fake"}
T = TypeVar("T")
FAKE = {"name": "fake"}
USUAL: dict[str, Any] = {"embedder": FAKE, "store": {"index": "memory"}}
"""Settings of the spaces, save where a test says otherwise: what takes little time."""
HOLDERS: dict[str, dict[str, Any]] = {
    "root": {"spaces": ("*",), "rights": ("read", "add", "delete", "admin")},
    "anna": {"spaces": ("hr",), "rights": ("read", "add", "delete")},
    "lara": {"spaces": ("hr",), "rights": ("read", "add", "delete"), "labels": ("staff",)},
    "mira": {"spaces": ("hr",), "rights": ("read", "add", "delete"), "labels": ("board", "staff")},
    "nobody": {"spaces": ("hr",), "rights": ()},
    "otto": {"spaces": ("it",), "rights": ("read",)},
}
PUBLIC = "Remote work is approved by the head of unit within five days."
SECRET = "The merger with Nordwind is approved by the head of unit in November."
DOCUMENTS = {
    "hr": [
        Text(PUBLIC, id="policy", title="Policy", metadata={"access": ("staff",), "topic": "work"}),
        Text(SECRET, id="merger", title="Nordwind", metadata={"access": ("board",), "topic": "work"}),
        Text("Der Urlaub wird vom Vorstand genehmigt.", id="urlaub", title="Urlaub"),
    ],
    "it": [Text("パスワードは部長が承認します。", id="password", title="パスワード")],
}


@dataclass(frozen=True)
class Town:
    """A server's app and its keys; `client` speaks to it as one of the holders, "" as nobody."""

    app: FastAPI
    keys: Mapping[str, str]
    spaces: Spaces

    def client(self, holder: str = "root", **headers: str) -> httpx.AsyncClient:
        given = {"Authorization": f"Bearer {self.keys[holder]}"} if holder else {}
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers={**given, **headers})

    def caller(self, holder: str) -> Caller:
        """What the gate makes of a holder's key."""
        return Callers(self.spaces.settings.keys).find(f"Bearer {self.keys[holder]}")


Opener = Callable[..., AbstractAsyncContextManager[Town]]


@pytest.fixture
def open_town(tmp_path: Path) -> Opener:
    """Open a town; `serve` and `tables` are settings beside the usual ones."""
    return towns_at(tmp_path)


@cache
def filled_bases() -> Path:
    """A folder with the bases of a town as they are when it opens, made once: towns begin with a copy."""
    folder = Path(tempfile.mkdtemp(prefix="rove-town-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, texts in DOCUMENTS.items():
        with Rove.open(folder / name, **USUAL) as kb:
            kb.add(*texts)
    return folder


def towns_at(tmp_path: Path) -> Opener:
    """What opens towns in a folder. See `open_town`."""
    ready = filled_bases()  # before a test changes anything

    @asynccontextmanager
    async def opened(
        *, holders: Mapping[str, dict[str, Any]] = HOLDERS, filled: bool = True, serve: Mapping[str, Any] = {},
        **tables: Any,
    ) -> AsyncIterator[Town]:  # fmt: skip
        new = not any((tmp_path / name).exists() for name in DOCUMENTS)
        copied = filled and new and tables.keys() <= {"chat"} and "spaces" not in serve
        for name in DOCUMENTS if copied else ():
            shutil.copytree(ready / name, tmp_path / name, dirs_exist_ok=True)
        keys = {name: make_key() for name in holders}
        table = {
            "spaces": {name: {"path": tmp_path / name} for name in DOCUMENTS},
            "keys": {name: {"hash": hash_key(keys[name]), **rights} for name, rights in holders.items()},
            "flows": str(templates_in(tmp_path / "flows-served")),
            "spaces_folder": "made",
            "tries_per_minute": 600,  # some tests try every route without a key
            **serve,
        }
        spaces = Spaces.open(read_settings(tmp_path, **{**USUAL, **tables, "serve": table}), tmp_path)
        app = create_app(spaces)
        async with app.router.lifespan_context(app):
            for name, texts in DOCUMENTS.items() if filled and not copied else ():
                await spaces._spaces[name].kb.add(*texts)
            yield Town(app, keys, spaces)

    return opened


def templates_in(folder: Path) -> Path:
    """Make a folder with copies of the templates of flows."""
    folder.mkdir(exist_ok=True)
    for name, text in flow_texts().items():
        (folder / f"{name}.toml").write_text(text)
    return folder


@cache
def flow_texts() -> Mapping[str, str]:
    """The text of each template, by its name."""
    return {name: read_flow(name).text for name in templates()}


@asynccontextmanager
async def in_a_task(manager: AbstractAsyncContextManager[T]) -> AsyncIterator[T]:
    """Enter and leave in a task of its own: pytest sets up and tears down in different ones."""
    made: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def keep() -> None:
        async with manager as entered:
            made.set_result(entered)
            await done.wait()

    task = asyncio.create_task(keep())
    await asyncio.wait({task, made}, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        await task
    yield made.result()
    done.set()
    await task


@pytest.fixture
async def town(open_town: Opener) -> AsyncIterator[Town]:
    """A town for one test."""
    async with in_a_task(open_town()) as opened:
        yield opened


@asynccontextmanager
async def listening(town: Town, within: Callable[[ASGIApp], ASGIApp] | None = None) -> AsyncIterator[str]:
    """Serve a town on a real socket, as `rove serve` does; yields its address. `within`: what wraps the app."""
    server = make_server(town.app, town.spaces)
    if within:
        server.config.app = within(town.app)
    server.config.lifespan = "off"  # the town has entered it
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        task = asyncio.create_task(server.serve(sockets=[bound]))
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


async def settled(client: httpx.AsyncClient, space: str, reply: httpx.Response) -> dict[str, Any]:
    """Wait until the job that a reply names is done."""
    assert reply.status_code == 202, reply.text
    events = await client.get(f"/v1/spaces/{space}/jobs/{reply.json()['job_id']}/events")
    assert '"state":"done"' in events.text
    return (await client.get(f"/v1/spaces/{space}/jobs/{reply.json()['job_id']}")).json()


def hold(monkeypatch: pytest.MonkeyPatch, after: int) -> asyncio.Event:
    """Let searches stand still after so many, until the event is set."""
    gate, search, asked = asyncio.Event(), AsyncRove.search, 0

    async def held(self: AsyncRove, question: str, **more: Any) -> list[Hit]:
        nonlocal asked
        asked += 1
        if asked > after:
            await gate.wait()
        return await search(self, question, **more)

    monkeypatch.setattr(AsyncRove, "search", held)
    return gate


@contextmanager
def serving(
    kb: Path | str, *options: str, log: Path | None = None, **environment: str
) -> Iterator[tuple[httpx.Client, Forked]]:
    """Run `rove serve` on a base; what it writes is in `log`, else in the file `log` beside the base's folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["serve", "--kb", str(kb), "--port", str(port), *options]
    if isinstance(kb, Path):
        log = log or kb.parent / "log"
        kb.mkdir(parents=True, exist_ok=True)  # a server makes a base only in a folder that is there
    assert log
    log.touch()
    process = Forked(words, {**ENVIRONMENT, **environment}, log)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            _await_up(client, process, log)
            yield client, process
    finally:
        process.terminate()
        try:
            process.wait(timeout=60)
        finally:
            process.kill()
            process.wait()


def _await_up(client: httpx.Client, process: Forked, log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if client.get("/health").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    pytest.fail(f"it did not start: {log.read_text('utf-8')}")

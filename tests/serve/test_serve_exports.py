"""Exports over HTTP that nobody reads: others search meanwhile, and each key has so many at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack

import httpx
import pytest

import rove.exchange
from rove import Text
from serve.conftest import Opener, listening
from serve.test_serve_load import connect

pytestmark = pytest.mark.long

EXPORTS = 75
PATH, SEARCH = "/v1/spaces/hr/export", "/v1/spaces/hr/search"


async def test_a_search_waits_for_no_export(open_town: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, go_on = threading.Event(), threading.Event()

    def standing(*_: object) -> dict[str, rove.exchange.Line]:
        reading.set()
        go_on.wait(120)
        return {}

    async with open_town(serve={"exports": EXPORTS}) as town, town.client() as root:
        monkeypatch.setattr(rove.exchange, "_export_lines", standing)
        exports = [asyncio.create_task(root.get(PATH)) for _ in range(EXPORTS)]
        try:
            async with asyncio.timeout(30):
                while town.app.state.server_context.exports.in_use < EXPORTS or not reading.is_set():  # noqa: ASYNC110 - nothing says it
                    await asyncio.sleep(0.01)
                for _ in range(3):
                    assert (await root.post(SEARCH, json={"question": "Who approves it?"})).status_code == 200
            assert not any(task.done() for task in exports)
        finally:
            go_on.set()
            replies = await asyncio.gather(*exports)
        assert {reply.status_code for reply in replies} == {200}


async def test_each_key_has_so_many_exports(open_town: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = 0

    async def endless() -> AsyncIterator[str]:
        nonlocal begun
        begun += 1
        while True:
            yield "x" * 1_000_000
            await asyncio.sleep(0)

    async with open_town(filled=False, serve={"exports": 2}) as town, listening(town) as address:
        monkeypatch.setattr(town.spaces._spaces["hr"].kb, "export", endless)
        headers = {"Authorization": f"Bearer {town.keys['root']}"}
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=30) as client:
            with ExitStack() as unread:
                for _ in range(2):
                    unread.enter_context(connect(address, PATH, town.keys["root"]))
                async with asyncio.timeout(30):
                    while begun < 2:  # noqa: ASYNC110 - nothing says it
                        await asyncio.sleep(0.01)
                async with client.stream("GET", PATH) as refused:
                    assert refused.status_code == 429
                    await refused.aread()
                assert refused.json()["type"] == "urn:rove:problem:too-many"
                assert "serve.exports" in refused.json()["cure"]
                assert int(refused.headers["Retry-After"]) >= 1
                assert begun == 2  # what is refused has read nothing
            async with asyncio.timeout(30):
                while town.app.state.server_context.exports.in_use:  # noqa: ASYNC110 - until it is seen that they left
                    await asyncio.sleep(0.01)
            async with client.stream("GET", PATH) as reply:
                assert reply.status_code == 200


async def test_a_long_line_is_sent_whole(open_town: Opener) -> None:
    async with open_town(filled=False) as town, town.client() as root:
        text = "Süße Wörter. " * 40_000
        await town.spaces._spaces["hr"].kb.add(Text(text, id="long"))
        exported = await root.get(PATH)
        assert len(exported.content.split(b"\n")) == 3  # two lines, and nothing after the last
        restored = await root.post("/v1/spaces/it/import", content=exported.content)
        assert restored.json()["documents"] == 1
        assert (await town.spaces._spaces["it"].kb.text("long")).strip() == text.strip()

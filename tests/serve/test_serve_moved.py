"""A base that is served is moved to another embedder: the server says so, and begins anew once its settings name it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

import rove.serve.documents.second_pass as second_pass
import rove.serve.spaces
from rove import AsyncRove, Rove, Text
from rove.serve.administration.server_routes import MOVED_CURE
from rove.settings import read_settings
from rove.store.catalog import Catalog
from serve.conftest import ENVIRONMENT, FAKE, Opener, Town, serving
from store.moving import STATIC

SEARCH = {"question": "Who approves remote work?"}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_pass, "LOOK_S", 0.05)
    monkeypatch.setattr(rove.serve.spaces, "FOLLOW_S", 0.05)


async def reached(that: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not that():  # noqa: ASYNC110 - the base is looked at
            await asyncio.sleep(0.02)


async def move(town: Town, name: str, embedder: dict[str, str]) -> None:
    await AsyncRove.migrate(town.spaces._spaces[name].kb.settings.path, embedder=embedder)


async def test_health_says_that_a_base_was_moved(open_town: Opener, tmp_path: Path) -> None:
    async with open_town() as town, town.client() as client, town.client("") as nobody:

        def would_open(embedder: dict[str, str]) -> bool:
            table = {"embedder": embedder, "serve": town.spaces.settings.model_dump()}
            return town.spaces.would_open(read_settings(tmp_path, **table), tmp_path)

        assert (await nobody.get("/health")).json() == {"status": "ok", "cure": ""}
        await move(town, "hr", STATIC)
        await reached(lambda: set(town.spaces.moved) == {"hr"})
        told = await nobody.get("/health")
        assert (told.status_code, told.json()) == (200, {"status": "moved", "cure": MOVED_CURE})
        refused = await client.post("/v1/spaces/hr/search", json=SEARCH)
        assert (refused.status_code, refused.json()["type"]) == (503, "urn:rove:problem:moved")
        assert "static" in refused.json()["detail"] and refused.json()["cure"]
        assert (await client.post("/v1/spaces/it/search", json=SEARCH)).status_code == 200
        assert not would_open(STATIC) and not would_open(FAKE)  # the other was not moved
        await move(town, "it", STATIC)
        await reached(lambda: set(town.spaces.moved) == {"hr", "it"})
        assert (await nobody.get("/health")).status_code == 503
        assert would_open(STATIC) and not would_open(FAKE)
        await move(town, "hr", FAKE)
        await move(town, "it", FAKE)
        await reached(lambda: not town.spaces.moved)
        assert (await nobody.get("/health")).json()["status"] == "ok"
        assert (await client.post("/v1/spaces/hr/search", json=SEARCH)).status_code == 200


async def test_a_switch_that_nobody_ended_is_ended(
    open_town: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who was at it was killed between the last passage and the end."""
    async with open_town() as town:
        place = town.spaces._spaces["hr"].kb.settings.path
    with monkeypatch.context() as killed:
        killed.setattr(Catalog, "end_switch", lambda _: False)
        await AsyncRove.migrate(place, embedder=STATIC)
    async with AsyncRove.open(place, embedder=STATIC) as kb:
        assert kb.store.catalog.stand_in() is not None and not kb.store.catalog.has_shallow()
    (tmp_path / "hr" / "rove.toml").write_text('[embedder]\nname = "static"\n')
    async with open_town(filled=False) as town:
        catalog = town.spaces._spaces["hr"].kb.store.catalog
        await reached(lambda: catalog.stand_in() is None)


@pytest.mark.long
def test_a_server_begins_anew_once_its_settings_name_the_new_embedder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(ENVIRONMENT, "ROVE_EMBEDDER__NAME")
    base, file = tmp_path / "kb", tmp_path / "kb" / "rove.toml"
    with Rove.open(base, embedder=FAKE) as kb:
        kb.add(Text("Remote work is approved by the head of unit.", id="policy"))
    file.write_text('[embedder]\nname = "fake"\n')
    with serving(base) as (client, process):
        assert client.post("/v1/spaces/default/search", json=SEARCH).status_code == 200
        Rove.migrate(base, embedder=STATIC)
        answered(client, "/health", 503)
        assert client.post("/v1/spaces/default/search", json=SEARCH).status_code == 503
        file.write_text('[embedder]\nname = "static"\n')
        answered(client, "/health", 200)
        assert process.poll() is None
        found = client.post("/v1/spaces/default/search", json=SEARCH)
        assert [hit["document_id"] for hit in found.json()["hits"]] == ["policy"]
        text = {"text": "Parking is free on Sundays.", "name": "parking.txt"}
        assert client.post("/v1/spaces/default/documents", json=text).status_code == 202
        answered(client, "/v1/spaces/default/documents", 200, "parking.txt")
    assert process.returncode in {0, -15}
    assert "begins anew" in (tmp_path / "log").read_text()


def answered(client: httpx.Client, path: str, status: int, holding: str = "") -> None:
    deadline = time.monotonic() + 60
    while True:
        with suppress(httpx.TransportError):
            reply = client.get(path)
            if reply.status_code == status and holding in reply.text:
                return
        assert time.monotonic() < deadline
        time.sleep(0.05)

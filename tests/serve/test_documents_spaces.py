"""Spaces that are made and taken away while the server runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

import rove.serve.spaces
from rove.serve.spaces import Spaces
from rove.settings import read_settings
from serve.conftest import HOLDERS, USUAL, Opener, Town, settled

NEW = "/v1/spaces/legal"


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not reached():  # noqa: ASYNC110 - the other server tells nobody
            await asyncio.sleep(0.02)


async def test_a_space_is_made_filled_and_taken_away(open_town: Opener, tmp_path: Path) -> None:
    async with open_town() as town, town.client("root") as root:
        assert (await root.get("/v1/spaces")).json()["can_make"]
        made = await root.post("/v1/spaces", json={"name": "legal"})
        assert made.status_code == 201, made.text
        told = made.json()
        assert (told["documents"], told["keys"], told["removable"]) == (0, ["root"], True)
        assert (await root.get("/v1/spaces")).json()["spaces"] == ["hr", "it", "legal"]
        await settled(root, "legal", await root.post(f"{NEW}/documents", json={"text": "Leases end in May."}))
        about = (await root.get(f"{NEW}/about")).json()
        assert (about["documents"], about["chunks"]) == (1, 1)
        assert about["disk_bytes"] > 1_000
        hits = (await root.post(f"{NEW}/search", json={"question": "When do leases end?"})).json()["hits"]
        assert hits[0]["text"] == "Leases end in May."
    async with open_town(filled=False) as town, town.client("root") as root, town.client("anna") as anna:
        assert (await root.get("/v1/spaces")).json()["spaces"] == ["hr", "it", "legal"], "it is found at the next start"
        assert (await anna.get("/v1/spaces")).json() == {
            "spaces": ["hr"],
            "rights": ["add", "delete", "read"],
            "can_make": False,
        }
        assert (await anna.delete(NEW)).status_code == 404
        refused = await root.delete(NEW)
        assert (refused.status_code, refused.json()["detail"]) == (400, "There are documents in this space.")
        assert (await root.delete(NEW, params={"confirm": "legal"})).status_code == 204
        assert (await root.get(f"{NEW}/documents")).status_code == 404
        assert (await root.get("/v1/spaces")).json()["spaces"] == ["hr", "it"]
    assert not (tmp_path / "made" / "legal").exists()


@pytest.mark.parametrize("name", ["hr", "..", ".hidden", "a/b", "", "x" * 65, "a b", "taken"])
async def test_a_name_is_looked_at(town: Town, tmp_path: Path, name: str) -> None:
    (tmp_path / "made" / "taken").mkdir(parents=True)
    async with town.client("root") as root:
        assert (await root.post("/v1/spaces", json={"name": name})).status_code in {400, 422}
        assert (await root.get("/v1/spaces")).json()["spaces"] == ["hr", "it"]
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["taken"]


async def test_who_may_make_one_and_what_stays(open_town: Opener) -> None:
    holders = {**HOLDERS, "hana": {"spaces": ("hr",), "rights": ("read", "admin")}}
    async with open_town(holders=holders) as town, town.client("hana") as hana, town.client("root") as root:
        assert (await hana.post("/v1/spaces", json={"name": "legal"})).status_code == 403
        assert (await hana.get("/v1/spaces/hr/about")).json()["removable"] is False
        named = await root.delete("/v1/spaces/hr", params={"confirm": "hr"})
        assert named.status_code == 400
        assert named.json()["detail"].startswith("Keys or people name this space: anna, hana,")
    holders = {"root": HOLDERS["root"]}
    async with open_town(holders=holders, filled=False) as town, town.client("root") as root:
        stands = await root.delete("/v1/spaces/hr", params={"confirm": "hr"})
        assert (stands.status_code, stands.json()["detail"]) == (
            400,
            "This space stands in the settings of the server.",
        )
    async with (
        open_town(holders=holders, filled=False, serve={"spaces_folder": ""}) as town,
        town.client("root") as root,
    ):
        assert not (await root.get("/v1/spaces")).json()["can_make"]
        refused = await root.post("/v1/spaces", json={"name": "legal"})
        assert (refused.status_code, "spaces_folder" in refused.json()["cure"]) == (400, True)


async def test_other_servers_of_the_folder_follow(
    open_town: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rove.serve.spaces, "FOLLOW_S", 0.05)
    table = {"spaces_folder": "made", "spaces": {"own": {"path": tmp_path / "own"}}}
    other = Spaces.open(read_settings(tmp_path, **USUAL, serve=table), tmp_path)
    await other.start()
    try:
        async with open_town() as town, town.client("root") as root:
            await root.post("/v1/spaces", json={"name": "legal"})
            await until(lambda: len(other) == 2)
            assert await other._spaces["legal"].kb.documents() == []
            await root.delete(NEW)
            await until(lambda: len(other) == 1)
    finally:
        await other.close()

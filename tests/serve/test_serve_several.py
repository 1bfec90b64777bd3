"""A space that reads further bases, as one, for who may open it; labels hold over all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.records import Text
from rove.settings import read_settings
from serve.conftest import HOLDERS, Opener, Town

BOARD = Text("The passwords of the board are kept by the head of unit.", id="board", metadata={"access": ("board",)})
KEYS = {**HOLDERS, "lara": {**HOLDERS["lara"], "spaces": ("all",)}}


async def found(town: Town, holder: str, space: str) -> set[str] | int:
    async with town.client(holder) as client:
        asked = {"question": "Who approves passwords, パスワード, and remote work?"}
        reply = await client.post(f"/v1/spaces/{space}/search", json=asked)
        return {hit["document_id"] for hit in reply.json()["hits"]} if reply.is_success else reply.status_code


@pytest.mark.parametrize("own_file", [False, True])
async def test_a_space_reads_further_bases(open_town: Opener, tmp_path: Path, own_file: bool) -> None:
    spaces = {name: {"path": tmp_path / name} for name in ("hr", "it")}
    if own_file:
        (tmp_path / "all.toml").write_text('path = "hr"\nalso = ["it"]\n[embedder]\nname = "fake"\n', "utf-8")
        spaces = {"all": {"path": tmp_path / "all.toml"}, **spaces}
    else:
        spaces = {"all": {"path": tmp_path / "hr", "also": ["it"]}, **spaces}
    async with open_town(holders=KEYS, serve={"spaces": spaces}) as town:
        await town.spaces._spaces["it"].kb.add(BOARD)
        assert await found(town, "root", "all") == {"policy", "merger", "urlaub", "password", "board"}
        assert await found(town, "root", "hr") == {"policy", "merger", "urlaub"}
        assert await found(town, "root", "it") == {"password", "board"}
        assert await found(town, "lara", "all") == {"policy"}
        assert await found(town, "anna", "all") == await found(town, "otto", "all") == 404
        async with town.client("root") as client:
            text = await client.get("/v1/spaces/all/text", params={"document_id": "password"})
            assert text.json()["text"] == "パスワードは部長が承認します。"
            gone = await client.delete("/v1/spaces/all/document", params={"document_id": "password"})
            assert gone.status_code == 400
            assert "another base" in gone.text
            listed = (await client.get("/v1/spaces/all/documents")).json()["documents"]
            assert {info["document_id"] for info in listed} == {"policy", "merger", "urlaub", "password", "board"}


async def test_what_the_server_reads_besides_is_not_for_its_spaces(open_town: Opener, tmp_path: Path) -> None:
    async with open_town(
        also=[tmp_path / "it"], serve={"spaces": {n: {"path": tmp_path / n} for n in ("it", "hr")}}
    ) as town:
        assert await found(town, "root", "hr") == {"policy", "merger", "urlaub"}
    assert read_settings(tmp_path, also=["it"]).also == (Path("it"),)

"""Settings over HTTP: told without secrets, changed in the person's file, all or none, and at once where they can."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest

from serve.conftest import Opener, Town

HR, IT = "/v1/spaces/hr/settings", "/v1/spaces/it/settings"
WRITTEN = """\
# Ours. Ask Anna before you change it.
[search]
top_k = 3        # the page shows three
fusion = "rrf"

# what the answers sound like
[answer]
persona = "You are Ada."

[tools.disk]
kind = "mcp"
command = ["/opt/disk/server", "--token", "geheim-token"]

[chat]
model = "fake"
base_url = "http://ann:geheim-user@10.0.0.7:8080/v1"
api_key = "geheim-key"
"""


async def settings_of(client: httpx.AsyncClient, path: str = HR) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    reply = await client.get(path)
    assert reply.status_code == 200, reply.text[:400]
    told = reply.json()
    return told, {one["name"]: one for section in told["sections"] for one in section["settings"]}


async def changed(client: httpx.AsyncClient, path: str = HR, **values: Any) -> httpx.Response:
    version = (await settings_of(client, path))[0]["version"]
    named = {name.replace("__", "."): value for name, value in values.items()}
    return await client.patch(path, json={"version": version, "values": named})


async def test_each_setting_says_what_it_does_and_where_it_comes_from(
    open_town: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rove.toml").write_text(WRITTEN, "utf-8")
    monkeypatch.setenv("ROVE_WALK__ROUNDS", "7")
    async with open_town() as town, town.client() as client:
        told, every = await settings_of(client)
        raw = (await client.get(HR)).text
    assert told["spaces"] == ["hr", "it"]
    assert told["file"] == "rove.toml"
    top_k = every["search.top_k"]
    assert (top_k["value"], top_k["default"], top_k["origin"], top_k["counts"]) == (3, 10, "file", "now")
    assert (top_k["kind"], top_k["least"], top_k["held"]) == ("integer", 1, "")
    assert "How many hits" in top_k["meaning"]
    assert every["search.fusion"]["choices"] == ["adaptive", "zscore", "rrf", "weighted"]
    assert "hybrid" in every["answer.mode"]["suggestions"]
    assert (every["walk.rounds"]["origin"], every["walk.rounds"]["held"]) == ("environment", "environment")
    assert every["walk.rounds"]["variable"] == "ROVE_WALK__ROUNDS"
    assert (every["store.index"]["origin"], every["store.index"]["held"]) == ("argument", "file")
    assert every["chunk.size_chars"]["counts"] == "documents"
    assert all(one["meaning"] for one in every.values())
    assert "geheim" not in raw
    assert "sha256" not in raw
    assert str(tmp_path) not in raw
    assert "/opt/disk" not in raw
    assert every["tools"]["value"] == ["disk"]
    assert every["chat.base_url"]["value"] == "http://10.0.0.7:8080/v1"
    assert every["serve.keys"]["value"] == sorted(town.keys)


async def test_a_change_keeps_what_the_person_wrote_and_counts_at_once(open_town: Opener, tmp_path: Path) -> None:
    file = tmp_path / "rove.toml"
    file.write_text(WRITTEN, "utf-8")
    file.chmod(0o640)
    async with open_town() as town, town.client() as client:
        question = {"question": "Who approves remote work?"}
        assert len((await client.post("/v1/spaces/hr/search", json=question)).json()["hits"]) == 3
        reply = await changed(client, search__top_k=1, answer__persona=None, search__chain=["keyword"], walk__rounds=2)
        assert reply.status_code == 200, reply.text[:400]
        told = reply.json()
        assert told["now"] == ["search.top_k", "answer.persona", "search.chain", "walk.rounds"]
        assert len((await client.post("/v1/spaces/hr/search", json=question)).json()["hits"]) == 1
        made = await client.post("/v1/spaces", json={"name": "new"})
        assert made.status_code == 201
        _, new = await settings_of(client, "/v1/spaces/new/settings")
        assert new["search.top_k"]["value"] == 1
        assert town.spaces.bases["it"].settings.walk.rounds == 2
        assert town.spaces.bases["hr"].settings.answer.persona.startswith("You answer")
    text = file.read_text("utf-8")
    expected = WRITTEN.replace("top_k = 3 ", "top_k = 1 ").replace('persona = "You are Ada."\n', "")
    expected = expected.replace('fusion = "rrf"\n', 'fusion = "rrf"\nchain = ["keyword"]\n')
    assert text.startswith(expected.rstrip())
    assert text.removeprefix(expected.rstrip()).strip() == "[walk]\nrounds = 2"
    assert (tmp_path / "rove.toml.before").read_text("utf-8") == WRITTEN
    assert file.stat().st_mode & 0o777 == (tmp_path / "rove.toml.before").stat().st_mode & 0o777 == 0o640


async def test_what_cannot_count_at_once_waits_for_the_start(open_town: Opener, tmp_path: Path) -> None:
    async with open_town() as town, town.client() as client:
        reply = await changed(client, chunk__size_chars=900, store__k1=1.5, search__top_k=4)
        assert reply.json()["documents"] == ["chunk.size_chars"]
        assert reply.json()["start"] == ["store.k1"]
        _, every = await settings_of(client)
        assert (every["chunk.size_chars"]["value"], every["chunk.size_chars"]["next"]) == (512, 900)
        assert every["chunk.size_chars"]["waits"]
        assert not every["search.top_k"]["waits"]
        assert town.spaces.bases["hr"].settings.chunk.size_chars == 512
    async with open_town(filled=False) as town, town.client() as client:
        _, every = await settings_of(client)
        assert (every["chunk.size_chars"]["value"], every["chunk.size_chars"]["waits"]) == (900, False)
    assert tomllib.loads((tmp_path / "rove.toml").read_text("utf-8"))["chunk"] == {"size_chars": 900}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"search.top_k": 0}, "search.top_k: Input should be greater than or equal to 1"),
        ({"search.top_k": 4, "answer.max_distance": 3}, "answer.max_distance: Input should be less than"),
        ({"search.fusion": "magic"}, "search.fusion: Input should be"),
        ({"search.keyword_weight": 0, "search.semantic_weight": 0}, "both 0"),
        ({"search.topk": 4}, "Did you mean 'search.top_k'?"),
        ({"answer.mode": "hybird"}, "hybrid"),
        ({"search.reranker": "nosuch"}, "nosuch"),
        ({"search.chain": "keyword"}, "search.chain"),
        ({"question.slots": {"a": {"type": "pattern", "pattern": "("}}}, "question.slots"),
        ({"chat.api_key": "sk-mine"}, "it is a secret"),
        ({"chat.base_url": "http://evil.example/v1"}, "which models are asked"),
        ({"load.allow_private_hosts": True}, "changes it in the settings file"),
        ({"serve.host": "0.0.0.0"}, "changes it in the settings file"),
        ({"tools": {"x": {"kind": "mcp", "command": ["sh"]}}}, "changes it in the settings file"),
        ({"embedder.name": "static"}, "changes it in the settings file"),
        ({"path": "/tmp"}, "changes it in the settings file"),
        ({"search": {"top_k": 4}}, "There is no setting 'search'"),
    ],
)
async def test_all_or_nothing(town: Town, tmp_path: Path, values: dict[str, Any], said: str) -> None:
    async with town.client() as client:
        reply = await client.patch(HR, json={"version": "", "values": values})
        assert reply.status_code == 400, reply.text[:400]
        problem = reply.json()
        assert said in f"{problem['detail']} {problem['cure']}"
        assert not (tmp_path / "rove.toml").exists()
        assert town.spaces.bases["hr"].settings.search.top_k == 10


async def test_who_comes_later_hears_of_it(open_town: Opener, tmp_path: Path) -> None:
    file = tmp_path / "rove.toml"
    async with open_town() as town, town.client() as client:
        version = (await settings_of(client))[0]["version"]
        file.write_text("[search]\ntop_k = 5\n", "utf-8")
        reply = await client.patch(HR, json={"version": version, "values": {"search.top_k": 7}})
        assert reply.status_code == 409
        assert reply.json()["type"] == "urn:rove:problem:changed"
        assert file.read_text("utf-8") == "[search]\ntop_k = 5\n"
        file.write_text("[search\n", "utf-8")
        told, every = await settings_of(client)
        assert "not valid TOML" in told["closed"]
        assert every["search.top_k"]["held"] == "closed"
        assert (await changed(client, search__top_k=7)).status_code == 400


async def test_the_owner_says_how_far_it_goes(open_town: Opener) -> None:
    async with open_town(serve={"settings": "none"}) as town, town.client() as client:
        _, every = await settings_of(client)
        assert every["search.top_k"]["held"] == "closed"
        assert (await changed(client, search__top_k=7)).status_code == 403
    async with open_town(serve={"settings": "models"}) as town, town.client() as client:
        reply = await changed(client, chat__model="fake", reranker__base_url="http://10.0.0.7/v1")
        assert reply.status_code == 200, reply.text[:400]
        assert town.spaces.bases["hr"].settings.chat.model == "fake"
        assert (await changed(client, chat__api_key="sk")).status_code == 400


async def test_only_administrators_of_every_space(open_town: Opener) -> None:
    holders = {
        "root": {"spaces": ("*",), "rights": ("read", "add", "delete", "admin")},
        "hrboss": {"spaces": ("hr",), "rights": ("read", "add", "delete", "admin")},
        "anna": {"spaces": ("*",), "rights": ("read", "add", "delete")},
    }
    async with open_town(holders=holders) as town:
        for holder in ("hrboss", "anna"):
            async with town.client(holder) as client:
                assert (await client.get(HR)).status_code == 403
                assert (await client.patch(HR, json={"version": "", "values": {"search.top_k": 1}})).status_code == 403
                assert (await client.post(f"{HR}/try", json={"model": "embedder"})).status_code == 403


async def test_with_labels_what_others_ask_stays_hidden(open_town: Opener) -> None:
    """A key with labels is there: neither the log of questions nor leaving out duplicates can be had from the page."""
    async with open_town() as town, town.client() as client:
        assert (await changed(client, question__log=True)).status_code == 200
        assert town.spaces.bases["hr"].settings.question.log is False
        reply = await changed(client, load__duplicates="skip")
        assert reply.status_code == 400
        assert "leaves out duplicates" in reply.json()["detail"]


async def test_models_are_tried(open_town: Opener) -> None:
    async with open_town(chat={"model": "fake"}) as town, town.client() as client:
        chat = (await client.post(f"{HR}/try", json={"model": "chat"})).json()
        assert chat["works"], chat
        assert chat["words"]
        embedder = (await client.post(f"{HR}/try", json={"model": "embedder"})).json()
        assert (embedder["works"], embedder["dimension"]) == (
            True,
            town.spaces.bases["hr"].embedder.fingerprint.dimension,
        )
        assert (await client.post(f"{HR}/try", json={"model": "reranker"})).json()["works"]


async def test_a_model_that_does_not_work_says_why(open_town: Opener) -> None:
    chat = {"model": "openai:m", "base_url": "http://127.0.0.1:9/v1", "api_key": "geheim", "retries": 0, "timeout_s": 2}
    async with open_town(filled=False) as town, town.client() as client:
        none = (await client.post(f"{HR}/try", json={"model": "chat"})).json()
        assert (none["works"], none["cure"][:14]) == (False, "Set chat.model")
    async with open_town(chat=chat, filled=False) as town, town.client() as client:
        dead = (await client.post(f"{HR}/try", json={"model": "chat"})).json()
        assert dead["works"] is False
        assert dead["detail"]
        assert dead["cure"]
        assert "geheim" not in str(dead)
        nothing = (await client.post(f"{HR}/try", json={"model": "reranker"})).json()
        assert nothing["works"] is False

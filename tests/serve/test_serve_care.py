"""Care while serving: doctor, ledger, backup and restore; numbers and logs that hold nothing of what is asked."""

from __future__ import annotations

import asyncio
import json
import logging
import re

import pytest

from rove.serve.journal import JsonLines
from rove.tracing import CONTENT
from serve.conftest import HOLDERS, PUBLIC, Opener, Town

SEARCH = "/v1/spaces/hr/search"


async def test_doctor_and_ledger(town: Town) -> None:
    async with town.client("root") as client:
        health = (await client.post("/v1/spaces/hr/doctor")).json()
        assert (health["chunks"], health["problems"]) == (3, [])
        entries = (await client.get("/v1/spaces/hr/ledger", params={"state": ["live", "failed"]})).json()["entries"]
        assert {entry["source"] for entry in entries} == {"policy", "merger", "urlaub"}


async def test_a_base_is_carried_away_and_back_while_it_is_served(town: Town) -> None:
    async with town.client("root") as client:
        searches = [client.post(SEARCH, json={"question": f"Who approves {i}?"}) for i in range(10)]
        exported, *replies = await asyncio.gather(client.get("/v1/spaces/hr/export"), *searches)
        assert {reply.status_code for reply in replies} == {200}
        assert len(exported.text.splitlines()) == 4
        restored = await client.post("/v1/spaces/it/import", content=exported.content)
        assert restored.json()["documents"] == 3
        hits = (await client.post("/v1/spaces/it/search", json={"question": "Who approves remote work?"})).json()
        assert hits["hits"][0]["text"] == PUBLIC
        damaged = await client.post("/v1/spaces/it/import", content=b"no export")
        assert damaged.status_code == 400
        assert damaged.json()["cure"]


async def test_numbers(town: Town) -> None:
    async with town.client("root") as root, town.client("") as nobody:
        await root.post(SEARCH, json={"question": "Who?"})
        await root.get("/v1/spaces/secret-name/documents")
        await nobody.get("/wp-admin/secret-path")
        numbers = (await root.get("/metrics")).text
    assert 'rove_requests_total{method="POST",route="/v1/spaces/{space}/search",status="200"} 1.0' in numbers
    assert 'route="unknown",status="401"' in numbers
    assert "secret" not in numbers  # what clients make up must not grow the table


async def test_logs_are_json_and_hold_no_question_and_no_key(town: Town, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="rove.serve"):
        async with town.client("anna") as client:
            reply = await client.post(SEARCH, json={"question": "Wer plant die Fusion?"})
    lines = [JsonLines().format(record) for record in caplog.records if record.name.startswith("rove.serve")]
    request = next(json.loads(line) for line in lines if json.loads(line)["event"] == "request")
    assert request["route"] == "/v1/spaces/{space}/search"
    assert (request["status"], request["key"]) == (200, "anna")
    assert request["request"] == reply.headers["x-request-id"]
    assert "Fusion" not in "".join(lines)
    assert town.keys["anna"] not in "".join(lines)


async def test_numbers_hold_the_time_of_each_stage(town: Town) -> None:
    async with town.client("root") as root:
        await root.post(SEARCH, json={"question": "Who?"})
        await root.post("/v1/spaces/hr/ask", json={"question": "Who approves remote work?"})
        numbers = (await root.get("/metrics")).text
    counts = dict(re.findall(r'rove_stage_seconds_count{stage="([^"]+)"} ([0-9.]+)', numbers))
    assert counts.keys() >= {"search", "retrieve", "keyword", "semantic", "fetch", "embed", "ask", "understand"}
    assert float(counts["search"]) == float(counts["ask"]) == 1
    assert float(counts["retrieve"]) >= 2


async def test_who_deletes_is_told_of_words_that_name_it_and_an_administrator_erases_them(open_town: Opener) -> None:
    """Questions and walks of users, see docs/how-to/care.md: they stay without `mentions`."""
    asked = {"question": "Who approves the merger with Nordwind?"}
    delete, merger = "/v1/spaces/hr/document", {"document_id": "merger"}
    holders = {name: HOLDERS[name] for name in ("root", "anna")}  # with labels no question is kept
    town_open = open_town(holders=holders, question={"log": True})
    async with town_open as town, town.client("root") as root, town.client("anna") as anna:
        kb = town.spaces._spaces["hr"].kb
        assert (await anna.post("/v1/spaces/hr/ask", json=asked)).json()["citations"]
        assert "WalkStarted" in (await root.post("/v1/spaces/hr/walks", json=asked)).text

        refused = await anna.delete(delete, params={**merger, "mentions": True})
        assert refused.status_code == 403
        assert "admin" in refused.json()["detail"]
        assert (await anna.get(delete, params=merger)).status_code == 200, "nothing of it was done"

        lines = [line async for line in kb.export()]
        told = await root.delete(delete, params=merger)
        assert (told.status_code, told.headers["rove-mentions"]) == (204, "questions=1, walks=1, conversations=0")
        assert len((await root.get("/v1/spaces/hr/walks")).json()["walks"]) == 1

        await kb.import_(lines)
        untold = await anna.delete(delete, params=merger)
        assert (untold.status_code, "rove-mentions" in untold.headers) == (204, False)

        await kb.import_(lines)
        erased = await root.delete(delete, params={**merger, "mentions": True})
        assert (erased.status_code, erased.headers["rove-mentions"]) == (204, "questions=1, walks=1, conversations=0")
        assert not await kb.mentions("Nordwind")
        assert (await root.get("/v1/spaces/hr/walks")).json()["walks"] == []

        await kb.import_(lines)
        nothing = await root.delete(delete, params=merger)
        assert (nothing.status_code, "rove-mentions" in nothing.headers) == (204, False)


@pytest.mark.parametrize("shown", [False, True])
async def test_an_error_of_our_own_tells_the_log_and_not_the_client(
    town: Town, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, shown: bool
) -> None:
    """The log is told where it was; what it says, which can be content, only where content may be shown."""

    async def broken() -> None:
        message = "the password is swordfish"
        raise ZeroDivisionError(message)

    monkeypatch.setenv(CONTENT, str(shown))
    caplog.set_level(logging.INFO, logger="rove.serve")

    monkeypatch.setattr(town.spaces._spaces["hr"].kb, "documents", broken)
    async with town.client("anna") as client:
        reply = await client.get("/v1/spaces/hr/documents")
    assert reply.status_code == 500
    assert [record.status for record in caplog.records if record.getMessage() == "request"] == [500]
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.headers["x-content-type-options"] == "nosniff"  # it came through the gate, as all replies do
    assert "swordfish" not in reply.text
    line = json.loads(JsonLines().format(next(r for r in caplog.records if r.getMessage() == "unexpected error")))
    assert line["request"] == reply.headers["x-request-id"]
    assert all(words in line["trace"] for words in ("in broken", "ZeroDivisionError"))
    assert ("swordfish" in line["trace"].replace('message = "the password is swordfish"', "")) == shown


async def test_the_description_has_examples_and_problems(open_town: Opener) -> None:
    async with open_town(filled=False) as town, town.client("") as client:
        tree = (await client.get("/openapi.json")).json()
    assert tree["openapi"].startswith("3.1")
    assert '"Who approves remote work?"' in json.dumps(tree)
    for path, methods in tree["paths"].items():
        for method, told in methods.items():
            assert told["description"], (method, path)
            assert "application/problem+json" in told["responses"]["default"]["content"], (method, path)

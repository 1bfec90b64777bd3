"""What is shown on every face: links apart, no marks, tables as rows, equal texts once; exact words stay beside it."""

from __future__ import annotations

import json

import pytest

from serve.conftest import Opener, Town
from serve.marked import DOCUMENTS, MARKS, NAMES, NOTICE, QUESTIONS, SAID, TABLE


@pytest.fixture
async def shop(town: Town) -> Town:
    await town.spaces._spaces["hr"].kb.add(*DOCUMENTS)
    return town


@pytest.mark.parametrize("language", QUESTIONS)
async def test_an_answer_is_rendered_and_its_quotation_is_exact(shop: Town, language: str) -> None:
    question, source = QUESTIONS[language]
    async with shop.client("anna") as client:
        told = (await client.post("/v1/spaces/hr/ask", json={"question": question})).json()
        written = (
            await client.post(
                "/v1/chat/completions", json={"model": "hr", "messages": [{"role": "user", "content": question}]}
            )
        ).json()
    sentence = next(one for one in told["sentences"] if one["text"] == SAID[language])
    (citation,) = sentence["citations"]
    assert f"{SAID[language]} [{citation['number']}]" in told["text"]
    assert source[slice(*citation["span"])] == citation["quote"] != citation["rendered"]["text"] == SAID[language]
    assert [link["label"] for link in citation["rendered"]["links"]] == [NAMES[language]]
    assert written["choices"][0]["message"]["content"] == told["text"]
    assert not [mark for mark in MARKS if mark in told["text"]]


async def test_hits_have_both_texts_and_a_table_is_rows(shop: Town) -> None:
    async with shop.client("anna") as client:
        told = (await client.post("/v1/spaces/hr/search", json={"question": "When does the gate open?"})).json()
    hit = next(one for one in told["hits"] if one["document_id"] == "gates")
    assert hit["text"] == TABLE[slice(*hit["span"])] == TABLE
    shown = hit["rendered"]
    assert [(block["kind"], block["headed"]) for block in shown["blocks"]] == [("heading", False), ("table", True)]
    start, end = shown["blocks"][1]["span"]
    assert shown["text"][start:end] == "Gate\tOpens\nNorth\tat 7:30\nSouth\tat 8"
    assert shown["links"] == [{"label": "North", "target": "/north"}]
    assert all(mark not in one["rendered"]["text"] for one in told["hits"] for mark in MARKS)


async def test_a_walk_and_its_tool_show_what_is_rendered(shop: Town) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    question = QUESTIONS["en"][0]
    async with shop.client("anna", **headers) as client:
        stream = (await client.post("/v1/spaces/hr/walks", json={"question": question})).text
        params = {"name": "walk", "arguments": {"question": question}}
        reply = (await client.post("/mcp", json={**body, "params": params})).text
    events = [json.loads(line.removeprefix("data: ")) for line in stream.splitlines() if line.startswith("data: ")]
    facts = [event["fact"] for event in events if "fact" in event]
    fact = next(one for one in facts if one["citation"]["document_id"] == "en")
    assert fact["citation"]["quote"] == QUESTIONS["en"][1][slice(*fact["citation"]["span"])]
    assert fact["citation"]["rendered"]["text"] == SAID["en"]
    assert fact["rendered"]["text"].endswith(SAID["en"])
    assert f"{SAID['en']} [1]" in events[-1]["answer"]["text"]
    told = json.loads(next(line.removeprefix("data: ") for line in reply.splitlines() if line.startswith("data: ")))
    (walked,) = (part["text"] for part in told["result"]["content"])
    assert any(line.startswith("- ") and line.endswith(SAID["en"]) for line in walked.splitlines())
    assert f"“{SAID['en']}”" in walked
    assert not any(mark in walked for mark in MARKS)


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid", "walk", "sparse", "gather"])
@pytest.mark.parametrize(("holder", "seen"), [("root", {0, 1, 2, 3, 4}), ("lara", {0, 2})])
async def test_equal_texts_are_one_hit_and_hidden_ones_are_not_counted(
    shop: Town, mode: str, holder: str, seen: set[int]
) -> None:
    async with shop.client(holder) as client:
        body = {"question": "When does the sauna of the harbour close?", "mode": mode, "top_k": 5}
        told = (await client.post("/v1/spaces/hr/search", json=body)).json()
    notices = [hit for hit in told["hits"] if hit["text"].strip() == NOTICE]
    (hit,) = notices
    places = [hit, *hit["same"]]
    most = 3 if mode == "gather" else len(seen)  # which gives no more than its five numbers allow
    assert hit["count"] == len(places)
    assert min(most, len(seen)) <= len(places) <= len(seen)
    assert {one["document_id"] for one in places} <= {f"notice{n}" for n in seen}
    assert {one["title"] for one in places} <= {f"Notice {n}" for n in seen}


async def test_each_is_a_hit_where_the_settings_say_so(open_town: Opener) -> None:
    async with open_town(search={"deduplicate": "off"}) as town, town.client("root") as client:
        await town.spaces._spaces["hr"].kb.add(*DOCUMENTS)
        told = (await client.post("/v1/spaces/hr/search", json={"question": "When does the sauna close?"})).json()
    notices = [hit for hit in told["hits"] if hit["text"].strip() == NOTICE]
    assert [(hit["count"], hit["same"]) for hit in notices] == [(1, [])] * 5


async def test_beneath_a_refusal_are_the_nearest_passages(open_town: Opener) -> None:
    question = "Who sails the boat?"
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "ask", "arguments": {"question": question}},
    }
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    async with open_town(answer={"max_distance": 0.0001}) as town, town.client("anna") as client:
        await town.spaces._spaces["hr"].kb.add(*DOCUMENTS)
        told = (await client.post("/v1/spaces/hr/ask", json={"question": question})).json()
        chat = {"model": "hr", "messages": [{"role": "user", "content": question}]}
        written = (await client.post("/v1/chat/completions", json=chat)).json()
        streamed = (await client.post("/v1/chat/completions", json={**chat, "stream": True})).text
        reply = (await client.post("/mcp", json=body, headers=headers)).text
    assert (told["refused"], told["references"], len(told["nearest"])) == (True, [], 3)
    assert not [mark for hit in told["nearest"] for mark in MARKS if mark in hit["rendered"]["text"]]
    assert written["nearest"] == told["nearest"]
    pieces = [json.loads(line[6:]) for line in streamed.splitlines() if line.startswith("data: {")]
    assert pieces[-1]["nearest"] == told["nearest"]
    tool = json.loads(next(line.removeprefix("data: ") for line in reply.splitlines() if line.startswith("data: ")))
    (said,) = (part["text"] for part in tool["result"]["content"])
    assert all(f"{hit['document_id']} {hit['span'][0]}-{hit['span'][1]}" in said for hit in told["nearest"])

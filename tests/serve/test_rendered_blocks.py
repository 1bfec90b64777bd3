"""Documents as they are read over HTTP: exact places, words found, pictures kept, questions to go on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from load.samples_pages import pdf_pages, printed
from rove import Text
from serve.browser import EVIL
from serve.conftest import Town
from serve.test_serve_originals import hand_in

HR = "/v1/spaces/hr"
GUIDE = """# Guide

Who may go is told **here and *now***.

## Remote work

Remote work is approved by the head of unit within five days of the request.

## Travel

Travel by train is booked by the office at least two weeks before the journey begins.

## Parking

Parking at the main office costs nothing, and the gate opens at seven in the morning.

| Gate | Opens |
| --- | --- |
| North | at **7:30** |
"""


def runs(node: dict[str, Any]) -> list[dict[str, Any]]:
    own = [node] if node["kind"] == "text" else []
    return own + [run for child in node.get("children", []) for run in runs(child)]


async def get(client: httpx.AsyncClient, route: str, **query: Any) -> dict[str, Any]:
    reply = await client.get(f"{HR}/{route}", params=query)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_blocks_have_their_places_in_the_text(town: Town) -> None:
    await town.spaces._spaces["hr"].kb.add(Text(GUIDE, id="guide", title="Guide", kind="markdown"))
    async with town.client("anna") as client:
        told = await get(client, "blocks", document_id="guide")
        text = (await get(client, "text", document_id="guide"))["text"]
    assert told["span"] == [0, len(text)]
    assert [block["kind"] for block in told["blocks"]] == [
        "heading",
        "paragraph",
        *["heading", "paragraph"] * 3,
        "table",
    ]
    found = [run for block in told["blocks"] for run in runs(block)]
    assert all(run["text"] == text[slice(*run["span"])] for run in found)
    assert [run["text"] for run in found][:5] == ["Guide", "Who may go is told ", "here and ", "now", "."]
    assert [section["title"] for section in told["sections"]] == ["Guide", "Remote work", "Travel", "Parking"]


async def test_a_long_document_comes_in_parts_that_join(town: Town) -> None:
    long = "\n\n".join(f"## Part {n}\n\nWords of part {n}." for n in range(2_000))
    await town.spaces._spaces["hr"].kb.add(Text(long, id="long", title="Long", kind="markdown"))
    async with town.client("anna") as client:
        first = await get(client, "blocks", document_id="long", start=20_000, end=20_010)
        begin, end = first["span"]
        assert 15_000 < begin <= 20_000 < end < 25_000
        after = await get(client, "blocks", document_id="long", start=end, end=end + 500, exact="start")
        before = await get(client, "blocks", document_id="long", start=begin - 500, end=begin, exact="end")
        assert after["span"][0] == end
        assert before["span"][1] == begin
        assert (await client.get(f"{HR}/blocks", params={"document_id": "long", "exact": "middle"})).status_code == 422


async def test_words_are_found_in_any_case_and_across_marks(town: Town) -> None:
    await town.spaces._spaces["hr"].kb.add(Text(GUIDE, id="guide", title="Guide", kind="markdown"))
    async with town.client("anna") as client:
        found = (await get(client, "find", document_id="guide", words="TOLD here and now"))["found"]
        assert [one["text"] for one in found] == ["told **here and *now"]
        assert GUIDE[slice(*found[0]["span"])] == found[0]["text"]
        assert (await get(client, "find", document_id="guide", words="  "))["found"] == []
        assert (await get(client, "find", document_id="guide", words="(.*"))["found"] == []
        many = await get(client, "find", document_id="guide", words="e")
        assert not many["cut"]


async def test_what_may_not_be_seen_is_not_read(town: Town) -> None:
    async with town.client("lara") as lara, town.client("otto") as otto:
        for route, more in {"blocks": {}, "find": {"words": "merger"}}.items():
            asked = {"document_id": "merger", **more}
            assert (await lara.get(f"{HR}/{route}", params=asked)).status_code == 404
            assert (await otto.get(f"{HR}/{route}", params=asked)).status_code in {403, 404}


async def test_pictures_are_kept_by_the_version_and_asked_for_anew_without_it(town: Town) -> None:
    plan = pdf_pages([[printed(70, 700, "The move is in May.")], [printed(70, 700, "The budget is in June.")]])
    async with town.client("anna") as client:
        document_id = await hand_in(client, plan)
        version = (await get(client, "places", document_id=document_id))["version"]
        found = (await get(client, "find", document_id=document_id, words="budget"))["found"]
        assert [one["page"] for one in found] == [2]
        asked = {"document_id": document_id, "page": 2}
        kept = await client.get(f"{HR}/picture", params={**asked, "version": version})
        assert kept.headers["cache-control"] == "private, max-age=3600"
        assert "Authorization" in kept.headers["vary"]
        loose = await client.get(f"{HR}/picture", params=asked)
        assert loose.headers["cache-control"] == "private, no-cache"
        same = await client.get(f"{HR}/picture", params=asked, headers={"If-None-Match": loose.headers["etag"]})
        assert (same.status_code, same.content) == (304, b"")
        large = await client.get(f"{HR}/picture", params={**asked, "scale": 2})
        assert len(large.content) > len(kept.content)
        assert large.headers["etag"] != kept.headers["etag"]
        other = await client.get(f"{HR}/picture", params=asked, headers={"If-None-Match": large.headers["etag"]})
        assert other.status_code == 200


@pytest.fixture
async def guided(town: Town) -> Town:
    """A town with a guide, and with questions that only the board may read."""
    await town.spaces._spaces["hr"].kb.add(
        Text(GUIDE, id="guide", title="Guide", kind="markdown", metadata={"access": ("staff",)}),
        Text("Q: Who may park at the gate?\nA: Staff with a badge may park there.\n\nQ: When does the gate open?\n"
             "A: At 7.", id="faq", title="FAQ", metadata={"access": ("staff",)}),
        Text("Q: Who approves the merger with Nordwind?\nA: The head of unit in November.\n", id="secret",
             title="Secret remote work", metadata={"access": ("board",)}),
    )  # fmt: skip
    return town


async def cited_by(client: httpx.AsyncClient, question: str) -> list[dict[str, Any]]:
    hits = (await client.post(f"{HR}/search", json={"question": question, "top_k": 3})).json()["hits"]
    return [{"chunk_id": hit["chunk_id"], "span": hit["span"]} for hit in hits]


async def test_related_questions_are_answered(guided: Town) -> None:
    async with guided.client("mira") as client:
        question = "Who may park at the gate?"
        answer = (await client.post(f"{HR}/ask", json={"question": question})).json()
        assert answer["related"] == []
        cited = [{"chunk_id": one["chunk_id"], "span": one["span"]} for one in answer["citations"]]
        told = (await client.post(f"{HR}/related", json={"question": question, "cited": cited})).json()["related"]
        assert 1 <= len(told) <= 3
        assert "When does the gate open?" in [one["question"] for one in told]
        assert question not in [one["question"] for one in told]
        for one in told:
            answer = (await client.post(f"{HR}/ask", json={"question": one["question"]})).json()
            assert not answer["refused"], one


async def test_they_say_nothing_of_what_a_caller_may_not_see(guided: Town) -> None:
    question = "Who approves the merger with Nordwind, and remote work?"
    async with guided.client("mira") as board, guided.client("lara") as lara:
        cited = await cited_by(board, question)
        seen = (await lara.post(f"{HR}/related", json={"question": question, "cited": cited})).json()
        assert not [one for one in seen["related"] if "Nordwind" in one["question"]]
        hidden = [
            {"chunk_id": one["chunk_id"], "span": one["span"]}
            for one in (await board.post(f"{HR}/search", json={"question": "merger", "top_k": 20})).json()["hits"]
            if one["document_id"] in {"merger", "secret"}
        ]
        assert hidden
        none = (await lara.post(f"{HR}/related", json={"question": question, "cited": hidden})).json()
        assert none["related"] == []


async def test_hostile_text_comes_as_text(town: Town, tmp_path: Path) -> None:
    await town.spaces._spaces["hr"].kb.add(
        Text(f"# {EVIL}\n\nSee [x](javascript:1) {EVIL}", id="evil", kind="markdown")
    )
    async with town.client("root") as client:
        told = await get(client, "blocks", document_id="evil")
    text = "".join(run["text"] for block in told["blocks"] for run in runs(block))
    assert text == f"{EVIL}See x {EVIL}"

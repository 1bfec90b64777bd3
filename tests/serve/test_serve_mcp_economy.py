"""What a model is given over MCP is small: searches within bounds, filters, pages of documents, resources."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from rove import Text
from serve.conftest import PUBLIC, Town, listening
from serve.test_serve_mcp import ASKED, http_client, told

MOST_BYTES = 2_500
SENTENCES = {
    "en": "The committee for travel and remote work of unit {n} meets on the first Monday of every month. "
    "It looks at what was spent, and writes a report of it. Remote work of unit {n} is approved by its head. ",
    "zh": "第{n}部门的差旅与远程工作委员会每月第一个星期一开会。委员会审查支出并撰写报告。"
    "第{n}部门的远程工作由部门主管批准。",
}
QUESTIONS = {"en": "Who approves remote work?", "zh": "谁批准远程工作？"}


@pytest.fixture
async def filled(town: Town) -> AsyncIterator[Town]:
    """A town with documents whose titles and headings are long."""
    texts = [
        Text(
            f"# Handbook of the unit number {n} for the years to come\n\n## On committees and their work\n\n"
            + SENTENCES[language].format(n=n) * 4,
            id=f"{language}{n:032d}",
            title=f"Handbook of the unit number {n} for the years to come",
            metadata={"topic": "units", "year": 2000 + n, "access": ("staff",)},
            kind="markdown",
        )
        for language in SENTENCES
        for n in range(12)
    ]
    await town.spaces._spaces["hr"].kb.add(*texts)
    yield town


@pytest.mark.parametrize("language", SENTENCES)
async def test_a_search_of_eight_hits_is_small(filled: Town, language: str) -> None:
    asked: dict[str, Any] = {
        "question": QUESTIONS[language],
        "where": [_is("language", language), _is("topic", "units")],
    }
    async with listening(filled) as address, http_client(filled, address, "anna") as client:
        text = await told(client, "search", **asked)
        whole = await told(client, "search", **asked, whole=True)
        few = await told(client, "search", **asked, top_k=2)
    heads = [line for line in text.splitlines() if line[0].isdigit()]
    assert len(heads) == 8
    assert len(text.encode()) <= MOST_BYTES < len(whole.encode())
    assert all(f" {language}{'0' * 30}" in head for head in heads)
    assert text.count({"en": "is approved by its head", "zh": "部门主管批准"}[language]) == 8
    assert len(few.encode()) <= MOST_BYTES
    assert len(few.splitlines()[1]) > len(text.splitlines()[1])


def _is(field: str, value: object, op: str = "==") -> dict[str, object]:
    return {"field": field, "op": op, "value": value}


async def test_tools_are_described_in_few_bytes(town: Town) -> None:
    async with listening(town) as address, http_client(town, address, "anna") as client:
        tools = await client.list_tools()
    assert len(tools.model_dump_json(exclude_none=True)) < 10_000
    schemas = {tool.name: tool.input_schema for tool in tools.tools}
    assert "title" not in schemas["search"]
    assert schemas["search"]["required"] == ["question"]


async def test_filters_hold_together(filled: Town) -> None:
    async with listening(filled) as address, http_client(filled, address, "lara") as client:
        some = [_is("year", 2003, ">="), _is("year", [2004, 2005, 2006], "in"), _is("language", "zh", "!=")]
        text = await told(client, "search", question=QUESTIONS["en"], where=some, top_k=50)
        seen = {word for word in text.split() if word.startswith("en0")}
        assert seen == {f"en{n:032d}" for n in (4, 5, 6)}
        none = await told(client, "search", question=QUESTIONS["en"], where=[_is("access", "board")])
        assert none == "Nothing was found."
        missing = await told(client, "search", question=QUESTIONS["en"], where=[_is("yaer", 1)])
        assert "yaer" in missing
        answer = await told(client, "ask", **ASKED, where=[_is("topic", "work")])
        assert answer.startswith(PUBLIC)


async def test_documents_are_listed_page_by_page(filled: Town) -> None:
    async with listening(filled) as address, http_client(filled, address, "lara") as client:
        first = await told(client, "list_documents", limit=10)
        assert first.startswith("25 documents.\n- Policy")
        assert "More: cursor=10." in first
        assert "topic (work, units)" in first
        assert "merger" not in first.casefold()
        assert "access (" not in first
        last = await told(client, "list_documents", limit=10, cursor=20)
        assert "More" not in last
        assert last.count("\n- ") == 5
        found = await told(client, "list_documents", words="HANDBOOK number 7")
        assert found.startswith("2 documents.")


async def test_documents_are_resources(filled: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.serve.mcp.mcp_endpoint.PAGE", 10)
    async with listening(filled) as address, http_client(filled, address, "lara") as client:
        seen: list[str] = []
        cursor = None
        while True:
            page = await client.list_resources(cursor=cursor)
            seen += [one.uri for one in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert len(seen) == len(set(seen)) == 25
        assert "rove://hr/document/policy" in seen
        assert (await client.read_resource("rove://hr/document/policy")).contents[0].text == PUBLIC
        part = await client.read_resource("rove://hr/document/policy?start=0&end=6")
        assert part.contents[0].text == "Remote"
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.name for one in templates] == ["document", "passage"]
        made = templates[1].uri_template.format(space="hr", document_id="policy", start=7, end=11)
        assert (await client.read_resource(made)).contents[0].text == "work"
        for uri in (
            "rove://hr/document/merger", "rove://it/document/password", "rove://hr/document/no", "rove://hr/policy",
            "rove://", "file:///etc/passwd", "rove://hr/document/%00", "rove://hr/document/policy?start=x",
        ):  # fmt: skip
            with pytest.raises(MCPError) as refused:
                await client.read_resource(uri)
            assert refused.value.error.code == INVALID_PARAMS
        with pytest.raises(MCPError, match="no such cursor"):
            await client.list_resources(cursor="x")


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_every_era_of_the_protocol_is_served(town: Town, mode: str) -> None:
    heard: list[str] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message or "")

    async with listening(town) as address, http_client(town, address, "anna", mode=mode) as client:
        assert client.protocol_version == ("2025-11-25" if mode == "legacy" else mode)
        walked = await client.call_tool("walk", ASKED, progress_callback=listen)
        assert PUBLIC in walked.content[0].text
        assert heard[0] == "Round 1"
        assert any(text.endswith(PUBLIC) for text in heard)
        assert len((await client.list_resources()).resources) == 3


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
async def test_every_handshake_is_agreed_to(town: Town, version: str) -> None:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    async with town.client("anna", accept="application/json, text/event-stream") as client:
        reply = (await client.post("/mcp", json=body)).text
    agreed = json.loads(next(line for line in reply.splitlines() if line.startswith("data: {"))[6:])["result"]
    assert agreed["protocolVersion"] == version
    assert agreed["capabilities"].keys() >= {"tools", "resources"}

"""The Model Context Protocol, by the SDK's own client: in memory, over HTTP with keys, and over standard input."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from rove import Rove, Text
from rove.registry import load
from serve.conftest import FAKE, PUBLIC, Opener, Town, listening, settled


@asynccontextmanager
async def http_client(town: Town, address: str, holder: str) -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {town.keys.get(holder, 'wrong')}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as carrier,
        Client(streamable_http_client(f"{address}/mcp", http_client=carrier)) as client,
    ):
        yield client


TOOLS = {"search", "ask", "walk", "read", "explore", "summary", "ask_database", "find_tools", "run_tool"}


async def test_tools_over_http(town: Town) -> None:
    async with listening(town) as address, http_client(town, address, "anna") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == TOOLS
        assert all(tool.description and tool.annotations.read_only_hint for tool in tools.values())
        found = await client.call_tool("search", {"question": "Who approves remote work?", "top_k": 1})
        assert json.loads(found.content[0].text) == found.structured_content
        (hit,) = found.structured_content["hits"]
        assert hit["text"] == PUBLIC
        answer = await client.call_tool("ask", {"question": "Who approves remote work?"})
        assert answer.structured_content["citations"][0]["quote"] == PUBLIC
        walked = await client.call_tool("walk", {"question": "Who approves remote work?"})
        assert walked.structured_content["answer"]["citations"][0]["quote"] == PUBLIC
        read = await client.call_tool("read", {"document_id": hit["document_id"], "start": 0, "end": 6})
        assert read.structured_content["text"] == "Remote"


async def test_a_model_reads_what_a_document_says_as_a_whole(town: Town) -> None:
    kb = town.spaces._spaces["hr"].kb
    async with listening(town) as address, http_client(town, address, "lara") as client:
        given = {"document_id": "policy", "space": "hr"}
        assert (await client.call_tool("summary", given)).structured_content == {"summaries": []}
        await kb.enrich("summaries")
        (said,) = (await client.call_tool("summary", given)).structured_content["summaries"]
        ((start, end),) = said["sentences"][0]["spans"]
        assert (await kb.text("policy"))[start:end] == said["sentences"][0]["text"]
        refused = await client.call_tool("summary", {"document_id": "merger", "space": "hr"})
        assert refused.is_error
        assert refused.content == (await client.call_tool("summary", {"document_id": "no", "space": "hr"})).content


async def test_wrong_calls_are_told_to_the_model(town: Town) -> None:
    async with listening(town) as address, http_client(town, address, "root") as client:
        for name, arguments, word in (
            ("search", {"question": "x"}, "hr, it"),
            ("search", {"question": "x", "space": "nowhere"}, "no such space"),
            ("search", {"question": "x", "space": "hr", "where": "1=1"}, "where"),
            ("search", {"question": " ", "space": "hr"}, "blank"),
            ("read", {"document_id": "../../etc/passwd", "space": "hr"}, "no such document"),
            ("read", {"document_id": "policy", "space": "hr", "section": "None"}, "no section"),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error, name
            assert word in result.content[0].text
        for name in ("add", "no-such-tool"):
            with pytest.raises(MCPError):
                await client.call_tool(name, {"text": "x"})


async def test_documents_are_resources(town: Town) -> None:
    async with listening(town) as address, http_client(town, address, "otto") as client:
        (resource,) = (await client.list_resources()).resources
        assert resource.uri == "rove://it/password"
        assert "承認" in (await client.read_resource(resource.uri)).contents[0].text
        for uri in ("rove://hr/policy", "rove://it/nothing", "rove://", "file:///etc/passwd", "rove://it/%00"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)


async def test_who_may_not_read_hears_so_and_the_log_has_no_traceback(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    async with listening(town) as address, http_client(town, address, "nobody") as client:
        with pytest.raises(MCPError, match="does not give the right 'read'") as refused:
            await client.list_resources()
        assert refused.value.error.code == INVALID_PARAMS
    assert [record for record in caplog.records if record.exc_info] == []


async def test_a_section_is_read_by_its_title(open_town: Opener) -> None:
    text = "# Handbuch\n\nVorwort.\n\n## Urlaub\n\nDreißig Tage.\n\n## Reisen\n\nBahn.\n"
    async with open_town(serve={"mcp_add": True}) as town, listening(town) as address:
        async with town.client("anna") as web:
            body = {"text": text, "type": "markdown", "name": "handbook"}
            await settled(web, "hr", await web.post("/v1/spaces/hr/documents", json=body))
            documents = (await web.get("/v1/spaces/hr/documents")).json()["documents"]
            document_id = next(d["document_id"] for d in documents if d["title"] == "Handbuch")
        async with http_client(town, address, "anna") as client:
            read = await client.call_tool("read", {"document_id": document_id, "section": "urlaub"})
            assert read.structured_content["text"].strip() == "## Urlaub\n\nDreißig Tage."


async def test_adding_is_a_tool_where_it_is_switched_on(open_town: Opener) -> None:
    async with open_town(serve={"mcp_add": True}) as town, listening(town) as address:
        async with http_client(town, address, "lara") as client:
            added = await client.call_tool("add", {"text": "The sauna is open on Fridays.", "name": "sauna"})
            assert not added.is_error
            job = added.structured_content["job_id"]
            refused = await client.call_tool("add", {"text": "x", "access": ["board"]})
            assert refused.is_error
        async with town.client("lara") as web:
            await web.get(f"/v1/spaces/hr/jobs/{job}/events")
            assert "sauna" in (await web.get("/v1/spaces/hr/documents")).text
        async with http_client(town, address, "otto") as client:
            assert (await client.call_tool("add", {"text": "x"})).is_error  # otto may only read


async def test_without_a_key_there_are_no_tools(town: Town) -> None:
    async with listening(town) as address:
        with pytest.raises((MCPError, httpx2.HTTPStatusError, ExceptionGroup)):
            async with http_client(town, address, "") as client:
                await client.list_tools()


async def test_over_standard_input(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder=FAKE) as kb:
        kb.add(Text(PUBLIC, id="policy"))
    environment = {**os.environ, "ROVE_EMBEDDER__NAME": "fake"}
    rove = Path(sys.executable).with_name("rove")
    server = StdioServerParameters(command=str(rove), args=["mcp", "--kb", str(tmp_path / "kb")], env=environment)
    async with Client(server) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        answer = await client.call_tool("ask", {"question": "Who approves remote work?"})
        assert answer.structured_content["text"] == f"{PUBLIC} [1]"
        assert [r.uri for r in (await client.list_resources()).resources] == ["rove://default/policy"]


def test_the_sdk_is_not_loaded_to_start_a_server() -> None:
    code = "import sys, rove.serve.run; sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_first_requests_that_come_together_share_what_is_loaded(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []

    def noted(path: str) -> Any:
        loaded.append(path)
        return load(path)

    monkeypatch.setattr("rove.serve.mcp.lazy_endpoint.load", noted)

    async def tools(holder: str) -> int:
        async with http_client(town, address, holder) as client:
            return len((await client.list_tools()).tools)

    async with listening(town) as address:
        assert await asyncio.gather(*(tools(holder) for holder in ("anna", "root", "anna"))) == [len(TOOLS)] * 3
    assert loaded == ["rove.serve.mcp.mcp_endpoint:McpEndpoint"]


async def test_what_cannot_be_loaded_is_an_error_of_the_server(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.serve.mcp.lazy_endpoint.ENDPOINT", "rove.serve.no_such_module:McpEndpoint")
    async with town.client() as client:
        for _ in range(2):
            reply = await client.post("/mcp", json={})
            assert (reply.status_code, reply.json()["type"]) == (500, "urn:rove:problem:unexpected")
        assert (await client.get("/v1/spaces")).status_code == 200

"""The Model Context Protocol, by the SDK's own client: over HTTP with keys, and over standard input."""

from __future__ import annotations

import asyncio
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
from rove.serve.mcp import tools
from rove.serve.mcp.arguments import JobArguments
from rove.serve.mcp.tools import ToolContext
from serve.conftest import FAKE, PUBLIC, Opener, Town, listening, settled

ASKED = {"question": "Who approves remote work?"}
TOOLS = {
    "search", "ask", "walk", "list_documents", "read_document", "explore", "summary", "ask_database", "find_tools",
    "run_tool", "job",
}  # fmt: skip


@asynccontextmanager
async def http_client(town: Town, address: str, holder: str, **options: Any) -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {town.keys.get(holder, 'wrong')}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as carrier,
        Client(streamable_http_client(f"{address}/mcp", http_client=carrier), **options) as client,
    ):
        yield client


async def told(client: Client, name: str, /, **arguments: Any) -> str:
    """What a model reads of a call that works: one text, and nothing beside it."""
    result = await client.call_tool(name, arguments)
    (part,) = result.content
    assert not result.is_error, part.text
    assert result.structured_content is None
    return part.text


async def test_tools_over_http(town: Town) -> None:
    async with listening(town) as address, http_client(town, address, "anna") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == TOOLS
        assert all(tool.description and tool.annotations.read_only_hint for tool in tools.values())
        assert [name for name, tool in tools.items() if tool.annotations.open_world_hint] == ["ask", "run_tool"]
        found = await told(client, "search", top_k=1, **ASKED)
        end = len(PUBLIC)
        assert found == f"1. Policy (policy) policy 0-{end}\n{PUBLIC}"
        answer = await told(client, "ask", **ASKED)
        assert answer.startswith(f"{PUBLIC} [1]\n\nSources:\n[1] Policy (policy) policy 0-{end}: “{PUBLIC}”")
        walked = await told(client, "walk", **ASKED)
        assert f"{PUBLIC} [1]" in walked
        assert "Facts on the way:\n- " in walked
        read = await told(client, "read_document", document_id="policy", start=0, end=6)
        assert read == f"Policy, characters 0-6 of {end}.\n\nRemote\n\nIt goes on: start=6."


async def test_a_model_reads_what_a_document_says_as_a_whole(town: Town) -> None:
    kb = town.spaces._spaces["hr"].kb
    async with listening(town) as address, http_client(town, address, "lara") as client:
        given = {"document_id": "policy", "space": "hr"}
        assert await told(client, "summary", **given) == "It has not been summed up."
        await kb.enrich("summaries")
        assert await told(client, "summary", **given) == f"- As a whole 0-{len(PUBLIC)}: {PUBLIC}"
        refused = await client.call_tool("summary", {"document_id": "merger", "space": "hr"})
        assert refused.is_error
        assert refused.content == (await client.call_tool("summary", {"document_id": "no", "space": "hr"})).content


async def test_wrong_calls_are_told_to_the_model(town: Town) -> None:
    async with listening(town) as address, http_client(town, address, "root") as client:
        for name, arguments, word in (
            ("search", {"question": "x"}, "hr, it"),
            ("search", {"question": "x", "space": "nowhere"}, "no such space"),
            ("search", {"question": "x", "space": "hr", "where": "1=1"}, "where"),
            (
                "search",
                {"question": "x", "space": "hr", "where": [{"field": "a", "op": "~", "value": 1}]},
                "where.0.op",
            ),
            ("search", {"question": "x", "space": "hr", "where": [{"field": "a", "op": "in", "value": 1}]}, "list"),
            ("search", {"question": " ", "space": "hr"}, "blank"),
            ("read_document", {"document_id": "../../etc/passwd", "space": "hr"}, "no such document"),
            ("read_document", {"document_id": "policy", "space": "hr", "section": "None"}, "no section"),
            ("job", {"job_id": "0", "space": "hr"}, "no such job"),
            ("ask", {"space": "hr", "qestion": "x"}, "qestion"),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error, name
            assert word in result.content[0].text
        for name in ("add_text", "add_url", "no-such-tool"):
            with pytest.raises(MCPError) as refused:
                await client.call_tool(name, {"text": "x"})
            assert refused.value.error.code == INVALID_PARAMS


async def test_who_may_not_read_hears_so_and_the_log_has_no_traceback(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    async with listening(town) as address, http_client(town, address, "nobody") as client:
        with pytest.raises(MCPError, match="does not have the right 'read'") as refused:
            await client.list_resources()
        assert refused.value.error.code == INVALID_PARAMS
    assert [record for record in caplog.records if record.exc_info] == []


async def test_a_section_is_read_by_its_title(open_town: Opener) -> None:
    text = "# Handbuch\n\nVorwort.\n\n## Urlaub\n\nDreißig Tage.\n\n## Reisen\n\nBahn.\n"
    async with open_town() as town, listening(town) as address:
        async with town.client("anna") as web:
            body = {"text": text, "type": "markdown", "name": "handbook"}
            await settled(web, "hr", await web.post("/v1/spaces/hr/documents", json=body))
            documents = (await web.get("/v1/spaces/hr/documents")).json()["documents"]
            document_id = next(d["document_id"] for d in documents if d["title"] == "Handbuch")
        async with http_client(town, address, "anna") as client:
            read = await told(client, "read_document", document_id=document_id, section="urlaub")
            assert "## Urlaub\n\nDreißig Tage." in read
            assert "Bahn" not in read
            begun = await told(client, "read_document", document_id=document_id, end=12)
            start, end = text.index("## Urlaub"), text.index("## Reisen")
            assert f"Urlaub {start}-{end}" in begun


async def test_the_last_that_is_told_of_a_job_is_that_it_can_be_found(open_town: Opener) -> None:
    """Also where the job is done while the client is still being told that it runs."""
    async with open_town() as town, town.client("root") as web:
        server, root = town.app.state.server_context, town.caller("root")
        note = {"text": "The sauna is open on Fridays.", "name": "sauna"}
        job = (await web.post("/v1/spaces/hr/documents", json=note)).json()["job_id"]
        told: list[str] = []

        async def tell(_done: float, _of: float | None, state: str | None) -> None:
            told.append(str(state))
            found = await server.spaces.get("hr", root).jobs.get(job, None)
            async for _ in found.watch():
                if found.is_taken_in:
                    break

        text = await tools.job(ToolContext(server, root, tell), JobArguments(space="hr", job_id=job))
    assert text.startswith(f"Job {job}: done")
    assert len(told) > 1 and told[-1] == "done"


async def test_adding_is_a_tool_where_it_is_switched_on(open_town: Opener) -> None:
    async with open_town(serve={"mcp_add": True}) as town, listening(town) as address:
        async with http_client(town, address, "lara") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            hints = tools["add_text"].annotations
            assert (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint) == (False, True, True)
            assert tools["add_url"].annotations.open_world_hint
            given = {"text": "The sauna is open on Fridays.", "name": "sauna", "metadata": {"topic": "rest"}}
            queued = await told(client, "add_text", **given)
            job = queued.split()[1].strip(":")
            heard: list[tuple[float, float | None, str | None]] = []

            async def listen(progress: float, total: float | None, message: str | None) -> None:
                heard.append((progress, total, message))

            done = await client.call_tool("job", {"job_id": job}, progress_callback=listen)
            assert done.content[0].text == f"Job {job}: done; 1 of 1 sources, 1 passages.\n- sauna: live"
            assert heard[-1][2] == "done"
            assert "sauna" in await told(client, "list_documents", words="sauna")
            assert "topic (work, rest)" in await told(client, "list_documents")
            refused = await client.call_tool("add_text", {"text": "x", "access": ["board"]})
            assert refused.is_error
            wrong = await client.call_tool("add_url", {"url": "file:///etc/passwd"})
            assert wrong.is_error
        async with http_client(town, address, "otto") as client:
            assert (await client.call_tool("add_text", {"text": "x"})).is_error  # otto may only read
            assert (await client.call_tool("job", {"job_id": job})).is_error
        async with http_client(town, address, "mira") as client:
            assert "no such job" in (await client.call_tool("job", {"job_id": job})).content[0].text


async def test_without_a_key_there_are_no_tools(town: Town) -> None:
    async with listening(town) as address:
        with pytest.raises((MCPError, httpx2.HTTPStatusError, ExceptionGroup)):
            async with http_client(town, address, "") as client:
                await client.list_tools()


async def test_over_standard_input(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder=FAKE) as kb:
        kb.add(Text(PUBLIC, id="policy"))
    environment = {**os.environ, "ROVE_EMBEDDER__NAME": "fake", "ROVE_SERVE__MCP_ADD": "true"}
    rove = Path(sys.executable).with_name("rove")
    server = StdioServerParameters(command=str(rove), args=["mcp", "--kb", str(tmp_path / "kb")], env=environment)
    async with Client(server) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS | {"add_text", "add_url"}
        assert (await told(client, "ask", **ASKED)).startswith(f"{PUBLIC} [1]")
        assert [r.uri for r in (await client.list_resources()).resources] == ["rove://default/document/policy"]
        job = (await told(client, "add_text", text="The sauna is open on Fridays.", name="sauna")).split()[1].strip(":")
        assert "- sauna: live" in await told(client, "job", job_id=job)


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

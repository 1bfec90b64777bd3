"""Tools over HTTP and MCP: a function and a service on loopback, within the rights of keys; no secret is told."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.types import CallToolResult

from serve.conftest import HOLDERS, Opener, Town, listening
from serve.test_serve_mcp import http_client
from tools.tool_servers import Reply, document, hosts, service

TOOLS = "/v1/spaces/hr/tools"
RUN = f"{TOOLS}/run"
KEY = "sk-4711-of-the-service"
READER: dict[str, Any] = {"spaces": ("hr",), "rights": ("read",)}
FORECAST = {"request": "What is the weather in Oslo on 2026-12-01?"}
ADD: dict[str, Any] = {"request": "add the host", "tool": "add_host", "arguments": {"name": "db-9"}}
LOAD: dict[str, Any] = {"request": "load", "tool": "get_host_load", "arguments": {"host": "db-1", "minutes": 5}}
ECHO = {"Content-Type": "application/json"}


@asynccontextmanager
async def tooled(open_town: Opener, folder: Path, address: str) -> AsyncIterator[Town]:
    """A town whose spaces have two sources of tools; a holder `rita` who may only read."""
    sources = {
        "mine": {"kind": "python", "functions": ["tools.tool_servers:get_forecast"]},
        "hosts": {
            "kind": "openapi", "document": str(document(folder, address)), "allow_private": True, "api_key": KEY,
            "retries": 0,
        },
    }  # fmt: skip
    async with open_town(holders={**HOLDERS, "rita": READER}, tools=sources) as town:
        yield town


@pytest.fixture
def asked() -> list[tuple[str, str]]:
    """The calls that the service got."""
    return []


@pytest.fixture
async def town(open_town: Opener, tmp_path: Path, asked: list[tuple[str, str]]) -> AsyncIterator[Town]:
    def answer(method: str, path: str, body: bytes) -> Reply:
        asked.append((method, path))
        if "/broken/" in path:
            return 401, ECHO, json.dumps({"detail": f"Bearer {KEY} is wrong"}).encode()
        if "/half/" in path:  # the message is cut in the middle of the key
            return 401, ECHO, b"x" * 185 + KEY.encode()
        if "/telling/" in path:
            return 200, ECHO, json.dumps({"key": KEY, KEY: [KEY]}).encode()
        return hosts(method, path, body)

    with service(answer) as address:
        async with tooled(open_town, tmp_path, address) as opened:
            yield opened


async def test_tools_are_listed_and_found(town: Town) -> None:
    async with town.client("rita") as client:
        listed = (await client.get(TOOLS)).json()
        assert [(one["name"], one["effects"]) for one in listed["tools"]] == [
            ("get_forecast", "reads"), ("get_host_load", "reads"), ("add_host", "writes"),
        ]  # fmt: skip
        units = next(one for one in listed["tools"][0]["parameters"] if one["name"] == "units")
        assert (units["choices"], units["required"]) == (["metric", "imperial"], False)
        page = (await client.get(TOOLS, params={"cursor": 1, "limit": 1})).json()
        assert ([one["name"] for one in page["tools"]], page["next_cursor"]) == (["get_host_load"], 2)
        found = (await client.get(TOOLS, params={"request": "weather forecast for a day", "limit": 2})).json()
        assert len(found["tools"]) == 2
        assert found["tools"][0]["score"] >= found["tools"][1]["score"]
        assert (await client.get(TOOLS, params={"request": " "})).status_code == 400


async def test_a_run_says_where_each_value_is_from(town: Town) -> None:
    async with town.client("rita") as client:
        wanted = {**FORECAST, "tool": "get_forecast", "arguments": {"units": "Imperial"}}
        done = (await client.post(RUN, json=wanted)).json()
        assert done["outcome"] == "ran"
        assert done["result"] == {"city": "Oslo", "day": "2026-12-01", "units": "imperial", "temperature": -3}
        assert "temperature: -3" in done["text"]
        values = {one["name"]: one for one in done["plan"]["parameters"]}
        assert {name: one["origin"] for name, one in values.items()} == {
            "city": "question", "day": "question", "units": "given",
        }  # fmt: skip
        assert FORECAST["request"][slice(*values["city"]["span"])] == "Oslo"
        (mended,) = done["plan"]["corrections"]
        assert (mended["parameter"], mended["written"], mended["meant"]) == ("units", "Imperial", "imperial")


async def test_what_is_missing_is_asked_for_and_taken_from_history_and_profile(town: Town) -> None:
    async with town.client("rita") as client:
        wanted = {"request": "Wie wird das Wetter am 1.12.2026?", "tool": "get_forecast"}
        done = (await client.post(RUN, json=wanted)).json()
        assert (done["outcome"], done["plan"]["missing"]) == ("asks", ["city"])
        assert done["plan"]["question"] == "Bitte geben Sie noch an: Name of the city."
        known = (await client.post(RUN, json={**wanted, "profile": {"home_city": "Wien"}})).json()
        assert (known["outcome"], known["result"]["city"]) == ("ran", "Wien")
        turns = [{"question": "What is the weather in Oslo on 2026-12-01?", "answer": "-3"}]
        later = {"request": "And in imperial units?", "tool": "get_forecast", "history": turns}
        told = (await client.post(RUN, json=later)).json()
        origins = {one["name"]: one["origin"] for one in told["plan"]["parameters"]}
        assert (told["outcome"], origins["city"], told["result"]["city"]) == ("ran", "history", "Oslo")


async def test_a_dry_run_calls_nothing(town: Town, asked: list[tuple[str, str]]) -> None:
    async with town.client("anna") as client:
        done = (await client.post(RUN, json={**ADD, "dry_run": True, "confirm": True})).json()
        assert (done["outcome"], done["plan"]["effects"], done["result"], asked) == ("planned", "writes", None, [])


async def test_what_writes_takes_a_right_and_a_confirmation(town: Town, asked: list[tuple[str, str]]) -> None:
    async with town.client("rita") as reader, town.client("anna") as writer:
        for client in (reader, writer):
            done = (await client.post(RUN, json=ADD)).json()
            assert done["outcome"] == "unconfirmed"
            assert "nobody has confirmed" in done["note"]
        refused = await reader.post(RUN, json={**ADD, "confirm": True})
        assert refused.status_code == 403
        assert "'add'" in refused.json()["detail"]
        assert asked == []
        assert (await reader.post(RUN, json={**LOAD, "confirm": True})).json()["outcome"] == "ran"
        done = (await writer.post(RUN, json={**ADD, "confirm": True})).json()
        assert (done["outcome"], done["result"]) == ("ran", {"added": {"name": "db-9"}})
        assert asked == [("GET", "/hosts/db-1/load?minutes=5"), ("POST", "/hosts")]


@pytest.mark.parametrize("holder", ["lara", "mira", "nobody"])
async def test_keys_with_labels_or_without_the_right_have_no_tools(
    town: Town, asked: list[tuple[str, str]], holder: str
) -> None:
    async with town.client(holder) as client:
        for reply in (
            await client.get(TOOLS),
            await client.get(TOOLS, params={"request": "load"}),
            await client.post(RUN, json=LOAD),
            await client.post(RUN, json={**LOAD, "dry_run": True}),
        ):
            assert reply.status_code == 403
            assert "get_host_load" not in reply.text
    async with town.client("otto") as client:
        assert (await client.post(RUN, json=LOAD)).status_code == 404
    assert asked == []


async def test_a_caller_can_change_neither_where_a_tool_goes_nor_what_it_may_do(
    town: Town, asked: list[tuple[str, str]]
) -> None:
    async with town.client("anna") as client:
        for more in ({"base_url": "http://127.0.0.1:1"}, {"effects": "reads"}, {"timeout_s": 900}, {"surely": True}):
            assert (await client.post(RUN, json={**LOAD, **more})).status_code == 422
        for strange in ({"base_url": "http://127.0.0.1:1"}, {"effects": "reads"}):
            wanted = {**LOAD, "arguments": {**LOAD["arguments"], **strange}}
            assert (await client.post(RUN, json=wanted)).json()["outcome"] == "asks"
        unknown = await client.post(RUN, json={**LOAD, "tool": "get_host_loa"})
        assert unknown.status_code == 400
        assert "GET /v1/spaces/SPACE/tools" in unknown.json()["cure"]
        leaving = {**LOAD, "arguments": {"host": ".."}}
        assert (await client.post(RUN, json=leaving)).json()["outcome"] == "failed"
        assert asked == []


async def test_neither_secrets_nor_addresses_are_told(town: Town) -> None:
    async with town.client("anna") as client:
        failed = await client.post(RUN, json={**LOAD, "arguments": {"host": "broken"}})
        assert failed.json()["outcome"] == "failed"
        assert "Bearer [hidden] is wrong" in failed.json()["note"]
        half = (await client.post(RUN, json={**LOAD, "arguments": {"host": "half"}})).json()
        assert "x[hidden]" in half["note"]
        assert KEY[:8] not in half["note"]
        telling = await client.post(RUN, json={**LOAD, "arguments": {"host": "telling"}})
        assert telling.json()["result"] == {"key": "[hidden]", "[hidden]": ["[hidden]"]}
        for reply in (failed, telling, await client.get(TOOLS)):
            assert KEY not in reply.text
            assert "127.0.0.1" not in reply.text


@pytest.mark.parametrize(
    "value", ["[" * 150 + "]" * 150, "1e400", "9" * 30, json.dumps([0] * 3_000), '"\\ud800"', "[" * 100_000]
)
async def test_values_that_no_service_can_read_are_refused(town: Town, value: str) -> None:
    async with town.client("anna") as client:
        body = f'{{"request": "load", "tool": "get_host_load", "arguments": {{"host": {value}}}}}'
        reply = await client.post(RUN, content=body, headers={"content-type": "application/json"})
        refused = reply.status_code in {400, 422} or reply.json()["outcome"] == "asks"
        assert refused, reply.text


async def test_a_model_finds_and_runs_tools_that_read(town: Town, asked: list[tuple[str, str]]) -> None:
    async with listening(town) as address, http_client(town, address, "anna") as client:
        found = await client.call_tool("find_tools", {"request": "load of a host", "top_k": 3})
        assert {one["name"] for one in json.loads(found.content[0].text)["tools"]} == {
            "get_forecast", "get_host_load", "add_host",
        }  # fmt: skip
        done = await client.call_tool("run_tool", LOAD)
        assert json.loads(done.content[0].text)["result"] == {"asked": "/hosts/db-1/load?minutes=5", "load": 42}
        unsure = await client.call_tool("run_tool", ADD)
        assert json.loads(unsure.content[0].text)["outcome"] == "unconfirmed"
        assert (await client.call_tool("run_tool", {**ADD, "confirm": True})).is_error
        assert [method for method, _ in asked] == ["GET"]
    async with listening(town) as address, http_client(town, address, "lara") as client:
        assert (await client.call_tool("run_tool", LOAD)).is_error


ASK = "/v1/spaces/hr/ask"
WEATHER: dict[str, Any] = {"question": "What is the weather forecast for Oslo on 2026-12-01?", "tools": True}


async def test_an_answer_rests_on_what_a_tool_gave(town: Town) -> None:
    async with town.client("rita") as client:
        plain = (await client.post(ASK, json={**WEATHER, "tools": False})).json()
        assert all(not one["document_id"].startswith("tool:") for one in plain["citations"])
        answer = (await client.post(ASK, json=WEATHER)).json()
        assert answer["note"].startswith("The tool get_forecast was asked: get_forecast(city=Oslo")
        cited = [one for one in answer["citations"] if one["document_id"].startswith("tool:get_forecast#")]
        assert any("temperature: -3" in one["quote"] for one in cited)
        told = (await client.post(ASK, json={**WEATHER, "stream": True})).text.strip().split("\n\n")
        assert told[-1].startswith("event: answer")
        assert json.loads(told[-1].partition("data: ")[2]) == answer


async def test_what_a_question_leaves_open_is_in_the_turns_before_or_in_the_profile(town: Town) -> None:
    turns = [{"question": "What is the weather forecast for Oslo on 2026-12-01?", "answer": "-3"}]
    open_question = {"question": "What is the weather forecast in imperial units?", "tools": True}
    async with town.client("rita") as client:
        later = (await client.post(ASK, json={**open_question, "history": turns})).json()
        assert "get_forecast(city=Oslo, day=2026-12-01, units=imperial)" in later["note"]
        at_home = {**WEATHER, "question": "What is the weather forecast for 2026-12-01?"}
        known = (await client.post(ASK, json={**at_home, "profile": {"home_city": "Wien"}})).json()
        assert "city=Wien" in known["note"]
        assert "was asked" not in (await client.post(ASK, json=at_home)).json()["note"]


async def test_what_writes_never_runs_for_a_question(town: Town, asked: list[tuple[str, str]]) -> None:
    async with town.client("root") as client:
        reply = await client.post(ASK, json={"question": "Add a host with the name db-9", "tools": True})
        assert reply.status_code == 200
        assert ("POST", "/hosts") not in asked
        assert (await client.post(ASK, json={**WEATHER, "confirm": True})).status_code == 422


@pytest.mark.parametrize("holder", ["lara", "mira", "nobody"])
async def test_a_question_of_a_key_with_labels_runs_no_tool(town: Town, holder: str) -> None:
    async with town.client(holder) as client:
        for stream in (False, True):
            reply = await client.post(ASK, json={**WEATHER, "stream": stream})
            assert reply.status_code == 403
            assert "temperature" not in reply.text


async def test_secrets_that_a_service_sends_back_are_in_no_answer(town: Town) -> None:
    async with town.client("rita") as client:
        for host in ("telling", "broken", "half"):
            wanted = {"question": "Get host load: return the load of a host over 5 minutes", "tools": True}
            reply = await client.post(ASK, json={**wanted, "profile": {"host": host}})
            assert "get_host_load" in reply.json()["note"], reply.text
            assert KEY[:8] not in reply.text
            assert "127.0.0.1" not in reply.text


def told(result: CallToolResult) -> Any:
    """What a tool has replied, which is JSON."""
    return json.loads(result.content[0].text)


async def test_a_model_gives_the_turns_before_and_what_is_known_of_the_user(town: Town) -> None:
    async with listening(town) as address, http_client(town, address, "anna") as client:
        wanted = {"request": "Weather forecast for 2026-12-01", "tool": "get_forecast"}
        assert told(await client.call_tool("run_tool", wanted))["outcome"] == "asks"
        known = await client.call_tool("run_tool", {**wanted, "profile": {"home_city": "Wien"}})
        assert told(known)["result"]["city"] == "Wien"
        turns = [{"question": "What is the weather forecast for Oslo on 2026-12-01?", "answer": "-3"}]
        later = await client.call_tool("run_tool", {**wanted, "history": turns})
        assert told(later)["result"]["city"] == "Oslo"
        answer = await client.call_tool("ask", WEATHER)
        assert "The tool get_forecast was asked" in answer.content[0].text
        plain = await client.call_tool("ask", {"question": WEATHER["question"], "history": turns})
        assert "was asked" not in plain.content[0].text

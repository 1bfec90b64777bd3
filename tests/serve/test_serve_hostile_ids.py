"""Ids and names as no sane client sends them, over a real socket and MCP: refused in words, never a failure of ours."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest

from rove.serve.mcp.tools import TOOLS
from serve.conftest import Opener, listening
from serve.test_serve_odd_json import GIVEN
from serve.test_serve_odd_json import NAMES as USUAL

pytestmark = pytest.mark.long

NAMES = {**USUAL, "job_id": "0", "model": "hr"}
RAW = {
    "half a character": "%ED%A0%80",
    "no Unicode": "%FF%FE%C3",
    "zero": "%00",
    "a zero inside": "a%00b",
    "up": "..%2F..%2F..%2Fetc%2Fpasswd",
    "up, twice encoded": "%252e%252e%252fetc",
    "up in another system": "..%5C..%5Cwindows",
    "long": "x" * 10_000,
    "deep JSON": "%5B" * 3_000,
    "a number too large": "9" * 400,
    "below zero": "-1",
    "no number": "NaN",
    "too large for a float": "1e999",
    "digits of another script": "%D9%A3%D9%A3",
    "written from the right": "%E2%80%AEtxt.exe",
    "a blank": "%20",
    "a line": "a%0D%0ASet-Cookie:%20a=b",
    "an emoji": "%F0%9F%8E%89",
    "a format": "%25s%25n%7B0.__class__%7D",
    "the latest": "last",
    "every one": "*",
    "nothing": "",
}
"""As they stand in the request's first line, percent-encoded."""
VALUES: dict[str, Any] = {
    "half a character": "\ud800",
    "zero": "a\0b",
    "up": "../../../etc/passwd",
    "long": "x" * 10_000,
    "deep": json.loads("[" * 200 + "]" * 200),
    "too large": 10**400,
    "a number": 7,
    "a float": 1e308,
    "nothing": "",
    "none": None,
    "blank": " \t\n",
    "written from the right": "\u202etxt.exe",
    "an object": {"a": {"b": ["c"]}},
    "a list": ["a", None, 1],
    "true": True,
    "markup": "<script>alert(1)</script>",
    "a format": "{0.__class__.__mro__} %s %n",
}
"""As JSON holds them."""
NAMED = (
    "name",
    "id",
    "space",
    "title",
    "label",
    "tag",
    "access",
    "tool",
    "database",
    "topic",
    "by",
    "section",
    "names",
)
LEAKS = ("Traceback", "site-packages", "root:x:0", "__mro__,", "RecursionError", "UnicodeEncodeError")
QUICK = {"job": {"seconds": 0}}
JSON = {"content-type": "application/json", "accept": "application/json"}


def calls(tree: Mapping[str, Any], value: str) -> Iterator[tuple[str, str, bytes | None]]:
    """Each route with the value for its path's parameters, and with it for each of its query's in turn."""
    for path, methods in tree["paths"].items():
        for method, call in methods.items():
            parameters = call.get("parameters", [])
            whole = path.format(**NAMES)
            content = call.get("requestBody", {}).get("content", {}).get("application/json", {})
            schema = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
            properties = tree["components"]["schemas"].get(schema, {}).get("properties", {})
            given = {key: GIVEN[key] for key in GIVEN if key in properties}
            body = json.dumps(given).encode() if schema else None
            if "{" in path:
                yield method, path.format(**dict.fromkeys(NAMES, value)), body
                for name in NAMES:
                    if f"{{{name}}}" in path and name != "space":
                        yield method, path.format(**{**NAMES, name: value}), body
            for one in parameters:
                if one["in"] == "query":
                    yield method, f"{whole}?{one['name']}={value}", body


async def send(client: httpx.AsyncClient, method: str, path: str, body: bytes | None) -> httpx.Response:
    """Send a path as it is written, whatever it holds."""
    url = client.base_url.copy_with(raw_path=path.encode())
    return await client.send(client.build_request(method.upper(), url, content=body, headers=JSON))


def check(reply: httpx.Response, what: object) -> None:
    """It worked, or it says in words what is wrong."""
    assert reply.status_code < 500, (what, reply.text[:500])
    assert not [leak for leak in LEAKS if leak in reply.text], (what, reply.text[:500])
    assert "set-cookie" not in reply.headers
    if reply.status_code >= 400 and reply.headers.get("content-type") == "application/problem+json":
        assert reply.json()["detail"], what
        assert len(reply.content) < 5_000, (what, len(reply.content))


async def test_ids_in_addresses(open_town: Opener) -> None:
    serve = {"requests_per_minute": 10**6, "concurrent": 1_000}
    async with open_town(serve=serve) as town, listening(town) as address:
        headers = {"Authorization": f"Bearer {town.keys['root']}"}
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
            tree = (await client.get("/openapi.json")).json()
            gate, asked = asyncio.Semaphore(8), 0

            async def tried(name: str, method: str, path: str, body: bytes | None) -> None:
                async with gate:
                    check(await send(client, method, path, body), (name, method, path[:300]))

            for name, value in RAW.items():
                every = [tried(name, *call) for call in calls(tree, value)]
                asked += len(every)
                await asyncio.gather(*every)
            assert asked > 1_000
            listed = (await client.get("/v1/spaces/hr/documents")).json()["documents"]
            assert {"policy", "merger", "urlaub"} <= {one["document_id"] for one in listed}
            found = await client.post("/v1/spaces/hr/search", json={"question": "Who approves remote work?"})
            assert found.json()["hits"]


async def test_names_in_bodies(open_town: Opener) -> None:
    serve = {"requests_per_minute": 10**6, "concurrent": 1_000}
    async with open_town(serve=serve) as town, listening(town) as address:
        headers = {"Authorization": f"Bearer {town.keys['root']}", **JSON}
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
            tree = (await client.get("/openapi.json")).json()
            gate = asyncio.Semaphore(8)

            async def tried(method: str, path: str, body: bytes, *what: str) -> None:
                async with gate:
                    check(await send(client, method, path, body), (method, path, *what))

            for path, methods in tree["paths"].items():
                for method, call in methods.items():
                    content = call.get("requestBody", {}).get("content", {}).get("application/json", {})
                    schema = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
                    properties = tree["components"]["schemas"].get(schema, {}).get("properties", {})
                    given = {key: GIVEN[key] for key in GIVEN if key in properties}
                    for key in [key for key in properties if any(part in key for part in NAMED)]:
                        bodies = {name: json.dumps({**given, key: value}).encode() for name, value in VALUES.items()}
                        at = path.format(**NAMES)
                        await asyncio.gather(*(tried(method, at, bodies[name], key, name) for name in bodies))
            for odd in (b'{"name": "\xff\xfe"}', b'{"name": "\\ud800"}', b'{"name": "a", "name": "b"}', b"\x00", b""):
                for path in ("/v1/people", "/v1/keys", "/v1/spaces", "/v1/spaces/hr/conversations"):
                    check(await send(client, "post", path, odd), (path, odd))


async def test_arguments_of_tools(open_town: Opener) -> None:
    """Every argument of every tool, one after the other, and the tool's own name."""
    serve = {"requests_per_minute": 10**6, "mcp_add": True}
    async with (
        open_town(serve=serve) as town,
        town.client("root", accept="application/json, text/event-stream") as root,
    ):
        asked = 0
        for tool, arguments in ((name, one.arguments.model_fields) for name, one in TOOLS.items()):
            right = {"space": "hr", **{name: _right(name) for name, one in arguments.items() if one.is_required()}}
            for argument in arguments:
                for name, value in VALUES.items():
                    if tool == "add_url" and argument == "space":
                        continue  # it would be asked for
                    text = await _called(root, tool, {**right, **QUICK.get(tool, {}), argument: value})
                    assert not [leak for leak in LEAKS if leak in text], (tool, argument, name, text[:300])
                    assert '"code":-32603' not in text, (tool, argument, name, text[:300])
                    asked += 1
        for name, value in VALUES.items():
            text = await _called(root, value, {})
            assert '"code":-32603' not in text, (name, text[:300])
        assert asked > 500


def _right(name: str) -> Any:
    return {
        "question": "Who approves remote work?",
        "request": "weather",
        "document_id": "policy",
        "names": ["Nordwind"],
        "url": "http://127.0.0.1:9/x",
        "text": "A text.",
        "job_id": "0",
    }[name]


async def _called(client: httpx.AsyncClient, tool: Any, arguments: Any) -> str:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    reply = await client.post("/mcp", content=json.dumps(call).encode(), headers={"content-type": "application/json"})
    assert reply.status_code < 500, (tool, str(arguments)[:300], reply.text[:300])
    return reply.text

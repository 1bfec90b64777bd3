"""Odd JSON over the wire: nested too deep, numbers too long, no Unicode; each reply says what is wrong, none is 500."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from rove import ConfigError, Rove
from rove.cli import rove
from rove.evaluate.grid import read_grid
from rove.settings import read_settings
from serve.conftest import Opener, Town

DEEP = 100_000
ODD = {
    "brackets": "[" * DEEP,
    "filters": '{"not":' * DEEP + '{"field":"a","op":"exists"}' + "}" * DEEP,
    "150 objects": '{"a":' * 150 + "1" + "}" * 150,
    "400 filters": '{"and":[' * 400 + "]}" * 400,
    "900 lists": "[" * 900 + "]" * 900,
    "5,000 digits": "1" * 5_000,
    "400 digits": "1" * 400,
    "too large": "1e400",
    "no number": "NaN",
    "half a character": r'"\ud800"',
    "half a character inside": r'["\udc00", {"\ud800": "\ud800"}]',
    "no character": r'"\u0000"',
}
HR = "/v1/spaces/hr"
NAMES = {
    "space": "hr", "walk_id": "0123456789", "run_id": "0123456789", "action": "pause",
    "evaluation_id": "0123456789abcdef", "name": "qa",
    "conversation_id": "0123456789abcdef", "number": "1",
}  # fmt: skip
GIVEN: dict[str, Any] = {
    "question": "Who approves remote work?",
    "text": "x",
    "chunks": ["policy"],
    "model": "hr",
    "messages": [{"role": "user", "content": "Who?"}],
    "input": "Who?",
    "table": {"name": "q.csv", "text": "question,source\nWho approves remote work?,policy\n"},
    "configurations": [{"name": "a", "mode": "keyword"}],
}
"""What routes need to be given."""
JSON = {"content-type": "application/json"}


def posts(tree: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each POST route of an OpenAPI document, with the properties of its body; none where it takes no JSON."""
    for path, methods in tree["paths"].items():
        if "post" in methods:
            content = methods["post"].get("requestBody", {}).get("content", {})
            name = content.get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
            yield path.format(**NAMES), tree["components"]["schemas"][name]["properties"] if name else {}


def with_odd(tree: Mapping[str, Any], key: str, odd: str) -> str:
    """Write an object as JSON, with an odd value for one of its keys."""
    return json.dumps({**tree, key: "the odd one"}).replace('"the odd one"', odd)


def check(reply: httpx.Response, what: object) -> None:
    """It worked, or it says what is wrong."""
    assert reply.status_code < 500, (what, reply.status_code, reply.text)
    if reply.status_code >= 300:
        assert reply.headers["content-type"] == "application/problem+json", what
        assert reply.json()["detail"], what
        assert len(reply.content) < 5_000, what


@pytest.mark.parametrize("name", ODD)
async def test_every_route_that_takes_a_body(town: Town, name: str) -> None:
    odd, refused, asked = ODD[name], 0, 0
    async with town.client("root", **JSON) as client:
        routes = list(posts((await client.get("/openapi.json")).json()))
        assert len(routes) > 10
        for path, properties in routes:
            given = {key: GIVEN[key] for key in GIVEN if key in properties}
            bodies = {"": odd, **{key: with_odd(given, key, odd) for key in properties}}
            for place, body in bodies.items():
                reply = await client.post(path, content=body.encode())
                check(reply, (path, place, name))
                asked += 1
                refused += reply.status_code in {400, 422}
        assert refused > asked / 2, "most of them are not what a route takes"
        assert (await client.post(f"{HR}/search", json={"question": "Who?"})).json()["hits"], "it is still there"


@pytest.mark.parametrize("name", ODD)
async def test_an_import(town: Town, tmp_path: Path, name: str) -> None:
    """As the first line, as a line of its own, and in each field of a document."""
    async with town.client("root") as client:
        head, document = (await client.get(f"{HR}/export")).text.splitlines()[:2]
        whole = json.loads(document)
        odd = [ODD[name], *(with_odd(whole, key, ODD[name]) for key in whole)]
        check(await client.post(f"{HR}/import", content=ODD[name].encode()), name)
        lines = "\n".join([head, *odd, document])
        reply = await client.post("/v1/spaces/it/import", content=lines.encode())
        assert reply.status_code == 200, reply.text
        told = reply.json()
        assert told["failed"]
        held = (await client.get("/v1/spaces/it/documents")).json()["documents"]
        assert whole["document_id"] in {one["document_id"] for one in held}, "the line after them is taken in"
    file = tmp_path / "export.jsonl"
    file.write_text(lines, "utf-8")
    options = ["-k", str(tmp_path / "kb"), "-s", "embedder.name=fake"]
    run = CliRunner().invoke(rove, ["import", str(file), *options])
    assert run.exit_code == 1, run.output
    assert isinstance(run.exception, SystemExit)
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        assert whole["document_id"] in {info.document_id for info in kb.documents()}
        assert kb.doctor().ok


@pytest.mark.parametrize("name", ODD)
def test_a_walk(tmp_path: Path, name: str) -> None:
    options = ["-k", str(tmp_path / "kb"), "-s", "embedder.name=fake"]
    file = tmp_path / "walk.jsonl"
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        walk = kb.walk("Who approves remote work?")
        walk.answered()
        head, first, *rest = kb.export_walk(walk.walk_id)
        kb.forget_walk(walk.walk_id)
    fields = [first.replace(json.dumps("Who approves remote work?"), ODD[name], 1)]
    assert fields != [first]
    for lines in ([ODD[name]], [head, ODD[name]], [head, first, ODD[name]], [head, *fields, *rest]):
        file.write_text("\n".join(lines), "utf-8")
        run = CliRunner().invoke(rove, ["walks", "import", "--file", str(file), *options])
        assert isinstance(run.exception, SystemExit) or not run.exception, run.exception
        assert run.exit_code != 0 or name == "no character", lines[:1]


@pytest.mark.parametrize("name", ODD)
async def test_a_tool_is_called(open_town: Opener, name: str) -> None:
    """MCP: the message itself, its parameters, the arguments of a tool, and one argument."""
    inner = {"name": "search", "arguments": {"question": "Q"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": inner}
    texts = [
        ODD[name],
        *(with_odd(call, key, ODD[name]) for key in ("id", "params")),
        json.dumps(call).replace('{"question": "Q"}', ODD[name]),
        *(json.dumps(call).replace('"Q"', value) for value in (ODD[name], f'"Q", "where": {ODD[name]}')),
    ]
    headers = {**JSON, "accept": "application/json, text/event-stream"}
    async with open_town(filled=False) as town, town.client("root", **headers) as client:
        for place, text in enumerate(texts):
            reply = await client.post("/mcp", content=text.encode())
            assert reply.status_code < 500, (place, reply.status_code, reply.text[:500])
            assert "Recursion" not in reply.text
            assert "Traceback" not in reply.text


@pytest.mark.parametrize("name", ODD)
def test_settings(tmp_path: Path, name: str) -> None:
    """In the file of a base, in that of a sweep, and as options of the command line."""
    odd = ODD[name].replace("NaN", "nan")
    for text in (f"[{odd}]", f"{odd} = 1", f"search = {odd}", f"[search]\nmode = {odd}", f"[factors]\nmode = {odd}"):
        (tmp_path / "rove.toml").write_text(text, "utf-8")
        for read in (read_settings, lambda folder: read_grid(folder / "rove.toml")):
            with pytest.raises(ConfigError) as refused:
                read(tmp_path)
            assert refused.value.cure
    (tmp_path / "rove.toml").unlink()
    for setting in (f"search.top_k={odd}", f"question.topics={odd}", f"search.rules={odd}"):
        run = CliRunner().invoke(rove, ["inspect", "-k", str(tmp_path / "kb"), "-s", setting])
        assert isinstance(run.exception, SystemExit), run.exception

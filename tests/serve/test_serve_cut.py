"""An answer that is written, and one that is cut off, in every face: what was sent stays, what is missing is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
import openai
import pytest

import openai_server
from serve.conftest import PUBLIC, Opener, Town, listening
from serve.test_serve_mcp import http_client
from serve.test_serve_openai import client_of

QUESTION = "Who approves remote work?"
FALSE = "The senate of Mars approves elephants."
ASK = "/v1/spaces/hr/ask"
CUT = openai_server.chat(f"{FALSE} [1] {PUBLIC} [1]", " It is approv", finish="length")
WHOLE = openai_server.chat(f"{FALSE} [1] ", f"{PUBLIC} [1]")
TEXT = f"{FALSE} [?] {PUBLIC} [1]"


@pytest.fixture(params=["cut", "whole"])
def cut(request: pytest.FixtureRequest) -> bool:
    return request.param == "cut"


@asynccontextmanager
async def written(open_town: Opener, cut: bool) -> AsyncIterator[Town]:
    """A town whose chat model writes a false and a true sentence, and may be cut off in a third."""
    async with (
        openai_server.serve(CUT if cut else WHOLE) as model,
        open_town(chat={"model": "m", "base_url": model.url, "retries": 0}) as town,
    ):
        yield town


def told(text: str) -> list[tuple[str, dict[str, Any]]]:
    blocks = [block.split("\n") for block in text.strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


def is_told(answer: Mapping[str, Any], cut: bool) -> None:
    assert (answer["text"], answer["cut"]) == (TEXT, cut)
    assert ("cut off" in answer["note"]) == ("Raise chat.max_tokens." in answer["note"]) == cut
    assert "marked [?]: 1 of 2." in answer["note"]


async def test_over_http(open_town: Opener, cut: bool) -> None:
    async with written(open_town, cut) as town, town.client("anna") as client:
        is_told((await client.post(ASK, json={"question": QUESTION})).json(), cut)
        events = told((await client.post(ASK, json={"question": QUESTION, "stream": True})).text)
    assert [name for name, _ in events] == ["delta", "answer"]
    assert events[0][1]["text"] == TEXT
    is_told(events[-1][1], cut)


async def test_for_clients_of_openai(open_town: Opener, cut: bool) -> None:
    asked: Any = {"model": "hr", "messages": [{"role": "user", "content": QUESTION}]}
    async with written(open_town, cut) as town, listening(town) as address, client_of(town, address) as client:
        reply = await client.chat.completions.create(**asked)
        pieces = [piece async for piece in await client.chat.completions.create(**asked, stream=True)]
    reason = "length" if cut else "stop"
    assert (reply.choices[0].message.content, reply.choices[0].finish_reason) == (TEXT, reason)
    assert [piece.choices[0].finish_reason for piece in pieces] == [*[None] * (len(pieces) - 1), reason]
    assert "".join(piece.choices[0].delta.content or "" for piece in pieces) == TEXT
    assert ("cut off" in pieces[-1].note) == ("cut off" in reply.note) == cut


async def test_for_models(open_town: Opener, cut: bool) -> None:
    async with (
        written(open_town, cut) as town,
        listening(town) as address,
        http_client(town, address, "anna") as client,
    ):
        said = (await client.call_tool("ask", {"question": QUESTION})).content[0].text
    assert said.startswith(f"{TEXT}\n\nSources:\n[1] Policy")
    assert ("cut off" in said) == cut
    assert "marked [?]: 1 of 2." in said


@pytest.mark.parametrize("face", ["events", "openai"])
async def test_a_sentence_is_sent_while_the_model_still_writes(open_town: Opener, face: str) -> None:
    async with (
        openai_server.hanging(f"{FALSE} [1] {PUBLIC} [1] And now ") as model,
        open_town(chat={"model": "m", "base_url": model.url}) as town,
        listening(town) as address,
        asyncio.timeout(30),
    ):
        assert await first_text(town, address, face) == TEXT


async def first_text(town: Town, address: str, face: str) -> str:
    if face == "openai":
        async with client_of(town, address) as client:
            asked: Any = [{"role": "user", "content": QUESTION}]
            stream: openai.AsyncStream[Any]
            async with await client.chat.completions.create(model="hr", messages=asked, stream=True) as stream:
                return await anext(text async for piece in stream if (text := piece.choices[0].delta.content))
    headers = {"authorization": f"Bearer {town.keys['anna']}"}
    async with (
        httpx.AsyncClient(base_url=address, headers=headers, timeout=30) as client,
        client.stream("POST", ASK, json={"question": QUESTION, "stream": True}) as reply,
    ):
        lines = reply.aiter_lines()
        return await anext(json.loads(line[6:])["text"] async for line in lines if line.startswith("data: "))

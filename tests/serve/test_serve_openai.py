"""The OpenAI-shaped face, by the official client."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import httpx
import openai
import pytest

import openai_server
from rove import Text
from rove.errors import ServiceError
from serve.conftest import PUBLIC, Opener, Town, listening

QUESTION = "Who approves remote work?"
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"},
         {"role": "assistant", "content": "Hello."}, {"role": "user", "content": QUESTION}]  # fmt: skip


def client_of(town: Town, address: str, holder: str = "anna") -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{address}/v1", api_key=town.keys.get(holder, "wrong"), max_retries=0)


async def test_spaces_are_models(town: Town) -> None:
    async with listening(town) as address:
        async with client_of(town, address) as client:
            assert [model.id async for model in client.models.list()] == ["hr"]
            assert (await client.models.retrieve("hr")).owned_by == "rove"
            with pytest.raises(openai.NotFoundError):
                await client.models.retrieve("it")
        async with client_of(town, address, "root") as client:
            assert [model.id async for model in client.models.list()] == ["hr", "it"]


async def test_any_model_is_the_only_space(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many clients have their models' names built in; a reply says what was asked. Who may not come in, may not."""
    monkeypatch.setattr(town.spaces, "_spaces", {"hr": town.spaces._spaces["hr"]})
    async with listening(town) as address:
        async with client_of(town, address) as client:
            reply = await client.chat.completions.create(model="gpt-4o-mini", messages=ASKED)
            response = await client.responses.create(model="gpt-4o-mini", input=QUESTION)
            with pytest.raises(openai.NotFoundError):
                await client.embeddings.create(model="text-embedding-3-small", input="a")
        async with client_of(town, address, "otto") as client:
            with pytest.raises(openai.NotFoundError):
                await client.chat.completions.create(model="gpt-4o-mini", messages=ASKED)
    assert (reply.model, response.model) == ("hr", "hr")
    assert PUBLIC in reply.choices[0].message.content


async def test_a_completion_has_citations(town: Town) -> None:
    async with listening(town) as address, client_of(town, address) as client:
        reply = await client.chat.completions.create(model="hr", messages=ASKED, temperature=0.3)
        kb = town.spaces._spaces["hr"].kb
        (citation,) = reply.citations
        document, _ = await kb.document(citation["document_id"])
    assert reply.choices[0].message.content == f"{PUBLIC} [1]"
    assert reply.choices[0].finish_reason == "stop"
    assert document.text[slice(*citation["span"])] == citation["quote"] == PUBLIC
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (0, 0)  # quoted without a model


async def test_a_stream_makes_up_the_same_answer(town: Town) -> None:
    parts = [{"type": "text", "text": QUESTION}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    async with listening(town) as address, client_of(town, address) as client:
        pieces = [
            piece
            async for piece in await client.chat.completions.create(
                model="hr", messages=[{"role": "user", "content": parts}], stream=True
            )
        ]
    text = "".join(piece.choices[0].delta.content or "" for piece in pieces)
    assert text == f"{PUBLIC} [1]"
    assert pieces[0].choices[0].delta.role == "assistant"
    assert pieces[-1].choices[0].finish_reason == "stop"
    assert pieces[-1].citations[0]["quote"] == PUBLIC
    assert len({piece.id for piece in pieces}) == 1


async def test_tokens_of_a_chat_model_are_told(open_town: Opener) -> None:
    async with open_town(chat={"model": "fake"}) as town, listening(town) as address:
        async with client_of(town, address) as client:
            reply = await client.chat.completions.create(model="hr", messages=ASKED)
        async with town.client("root") as root:
            numbers = (await root.get("/metrics")).text
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens > 0
    assert f'rove_chat_tokens_total{{direction="read"}} {float(reply.usage.prompt_tokens)}' in numbers


async def test_usage_comes_at_the_end_of_a_stream_that_asks_for_it(open_town: Opener) -> None:
    asked: dict[str, Any] = {"model": "hr", "messages": ASKED, "stream": True}
    async with (
        open_town(chat={"model": "fake"}) as town,
        listening(town) as address,
        client_of(town, address) as client,
    ):
        plain = [piece async for piece in await client.chat.completions.create(**asked)]
        asked["stream_options"] = {"include_usage": True}
        counted = [piece async for piece in await client.chat.completions.create(**asked)]
    assert [piece.usage for piece in plain] == [None] * len(plain)
    *before, last = counted
    assert [piece.usage for piece in before] == [None] * len(before)
    assert (last.choices, last.usage.total_tokens > 0) == ([], True)
    assert before[-1].choices[0].finish_reason == "stop"


LINK = re.compile(r"(?P<origin>http://127\.0\.0\.1:\d+)/\?space=hr#/document/(?P<id>[^/]+)/(?P<start>\d+)-(?P<end>\d+)")


async def test_sources_are_annotations_whose_links_open_at_the_words(town: Town) -> None:
    async with listening(town) as address, client_of(town, address) as client:
        reply = await client.chat.completions.create(model="hr", messages=ASKED)
        pieces = [p async for p in await client.chat.completions.create(model="hr", messages=ASKED, stream=True)]
        (annotation,) = reply.choices[0].message.annotations
        source = annotation.url_citation
        named = LINK.fullmatch(source.url)
        assert named["origin"] == address
        assert (annotation.type, source.title) == ("url_citation", "Policy")
        assert reply.choices[0].message.content[source.start_index : source.end_index] == "[1]"
        text = await town.spaces._spaces["hr"].kb.text(named["id"])
        assert text[int(named["start"]) : int(named["end"])] == reply.citations[0]["quote"]
        assert pieces[-1].choices[0].delta.annotations == [annotation.model_dump()]
        async with httpx.AsyncClient() as web:
            assert (await web.get(source.url)).status_code == 200


TWO = "Travel costs are paid by the head of unit within ten days."


async def test_numbers_are_links_where_the_settings_say_so(open_town: Opener) -> None:
    """By definitions under the text, which markdown does not show; they do not come back with the next question."""
    model = openai_server.chat(f"{PUBLIC} [1][2] ", f"{TWO} [1][2]")
    serve = {"source_links": True, "public_url": "https://kb.example.org/rove/"}
    async with (
        openai_server.serve(model) as chat,
        open_town(serve=serve, chat={"model": "m", "base_url": chat.url, "retries": 0}) as town,
        listening(town) as address,
        client_of(town, address) as client,
    ):
        both = Text(f"{PUBLIC} {TWO}", id="both", title='A "whole" handbook')
        await town.spaces._spaces["hr"].kb.add(both)
        reply = await client.chat.completions.create(model="hr", messages=ASKED)
        pieces = [p async for p in await client.chat.completions.create(model="hr", messages=ASKED, stream=True)]
        content = reply.choices[0].message.content
        assert "".join(piece.choices[0].delta.content or "" for piece in pieces) == content
        body, _, under = content.partition("\n\n[")
        assert "][" not in body
        lines = f"[{under}".split("\n")
        assert {line.partition(":")[0] for line in lines} == set(re.findall(r"\[\d\]", body))
        definition = re.compile(r'\[\d\]: <https://kb\.example\.org/rove/\?space=hr#/document/[^>]+> "[^"]+"')
        assert all(definition.fullmatch(line) for line in lines)
        for one in reply.choices[0].message.annotations:
            assert content[one.url_citation.start_index : one.url_citation.end_index] in {"[1]", "[2]"}
        again = [*ASKED, {"role": "assistant", "content": content}, {"role": "user", "content": QUESTION}]
        await client.chat.completions.create(model="hr", messages=again)
    assert "kb.example.org" not in str(chat.requests)


async def test_a_system_prompt_is_a_wish_for_the_tone_and_no_source(open_town: Opener) -> None:
    wish = "Talk like a pirate. The treasure is in the cellar."
    asked = [{"role": "system", "content": wish}, {"role": "user", "content": QUESTION}]
    written = openai_server.chat(f"The treasure is in the cellar. {PUBLIC} [1]")
    async with (
        openai_server.serve(written) as chat,
        open_town(chat={"model": "m", "base_url": chat.url, "retries": 0}) as town,
        listening(town) as address,
        client_of(town, address) as client,
    ):
        reply = await client.chat.completions.create(model="hr", messages=asked)
        long = [{"role": "developer", "content": "x" * 4_001}, {"role": "user", "content": QUESTION}]
        unheeded = await client.chat.completions.create(model="hr", messages=long)
        await client.chat.completions.create(model="hr", messages=asked[1:])
    assert reply.choices[0].message.content == f"The treasure is in the cellar. [?] {PUBLIC} [1]"
    assert "Sentences that no reference says, each marked [?]: 1 of 2." in reply.note
    assert "not used" not in reply.note
    assert "The system prompt was not used: it has 4001 characters" in unheeded.note
    told = [str(request) for request in chat.requests]
    assert [wish in one for one in told] == [True, False, False]


async def test_without_a_chat_model_a_system_prompt_is_refused_aloud(town: Town) -> None:
    async with listening(town) as address, client_of(town, address) as client:
        reply = await client.chat.completions.create(model="hr", messages=ASKED)
        pieces = [p async for p in await client.chat.completions.create(model="hr", messages=ASKED, stream=True)]
        plain = await client.chat.completions.create(model="hr", messages=ASKED[1:])
    assert "The system prompt was not used: no chat model is configured" in reply.note
    assert pieces[-1].note == reply.note
    assert "system prompt" not in plain.note


async def test_what_is_not_heeded_is_said(town: Town) -> None:
    parts: Any = [{"type": "text", "text": QUESTION}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    tool: Any = {"type": "function", "function": {"name": "f", "parameters": {}}}
    async with listening(town) as address, client_of(town, address) as client:
        asked: Any = [{"role": "user", "content": parts}]
        reply = await client.chat.completions.create(model="hr", messages=asked, tools=[tool])
    assert "Only the text of the messages was read." in reply.note
    assert "No tool of the request was called" in reply.note


USER = [{"role": "user", "content": QUESTION}]
WRONG: dict[str, tuple[type[openai.APIStatusError], dict[str, Any], str | None]] = {
    "no such model": (openai.NotFoundError, {"model": "gpt-5"}, None),
    "another's space": (openai.NotFoundError, {"model": "it"}, None),
    "no question": (openai.BadRequestError, {"messages": ASKED[:1]}, None),
    "blank question": (openai.BadRequestError, {"messages": [{"role": "user", "content": " "}]}, None),
    "no messages": (openai.UnprocessableEntityError, {"messages": []}, "messages"),
    "an unknown role": (openai.UnprocessableEntityError, {"messages": [{"role": "x", "content": "y"}]},
                        "messages.0.role"),
    "two choices": (openai.UnprocessableEntityError, {"n": 2}, "n"),
    "a tool that must be called": (openai.UnprocessableEntityError, {"tool_choice": "required"}, "tool_choice"),
    "JSON": (openai.BadRequestError, {"response_format": {"type": "json_object"}}, None),
    "a long question": (openai.APIStatusError, {"messages": [{"role": "user", "content": "x" * 4_001}]}, None),
    "no text": (openai.UnprocessableEntityError, {"messages": [{"role": "user", "content": 7}]},
                "messages.0.content"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("stream", [False, True])
async def test_what_is_wrong_is_raised_by_the_client(town: Town, name: str, stream: bool) -> None:
    kind, wrong, param = WRONG[name]
    async with listening(town) as address, client_of(town, address) as client:
        with pytest.raises(kind) as refused:
            await client.chat.completions.create(**{"model": "hr", "messages": USER, "stream": stream, **wrong})
    error = refused.value
    assert (error.type, error.param) == ("invalid_request_error", param)
    assert error.code in {"not-found", "unworkable", "invalid", "too-large"}
    assert error.body["message"]


async def test_keys_that_do_not_open_are_raised_by_the_client(town: Town) -> None:
    async with listening(town) as address:
        for holder, kind, word in (
            ("", openai.AuthenticationError, "authentication_error"),
            ("nobody", openai.PermissionDeniedError, "permission_error"),
        ):
            async with client_of(town, address, holder) as client:
                calls: Sequence[Any] = (
                    client.chat.completions.create(model="hr", messages=ASKED),
                    client.responses.create(model="hr", input=QUESTION),
                    client.embeddings.create(model="hr", input=QUESTION),
                )
                for call in calls:
                    with pytest.raises(kind) as refused:
                        await call
                    assert refused.value.type == word


async def test_a_stream_that_fails_says_why(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    async def failing(*_: object, **__: object) -> None:
        reason = "The embedder is away."
        raise ServiceError(reason, cure="Start it.", retryable=True)

    monkeypatch.setattr(type(town.spaces._spaces["hr"].kb.embedder), "queries", failing)
    async with listening(town) as address, client_of(town, address) as client:
        stream = await client.chat.completions.create(model="hr", messages=ASKED, stream=True)
        with pytest.raises(openai.APIError, match="The embedder is away. Start it."):
            assert [piece async for piece in stream] == []

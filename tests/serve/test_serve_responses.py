"""Responses and embeddings, by the official client."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import openai
import pytest

import openai_server
from rove.errors import ServiceError
from serve.conftest import PUBLIC, Opener, Town, listening
from serve.test_serve_openai import LINK, QUESTION, client_of

TEXT = f"{PUBLIC} [1]"
EVENTS = [
    "response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
    "response.output_text.delta", "response.output_text.annotation.added", "response.output_text.done",
    "response.content_part.done", "response.output_item.done", "response.completed",
]  # fmt: skip
TALK: Any = [
    {"role": "user", "content": "Hi"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello."}]},
    {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
]


@pytest.mark.parametrize("given", [QUESTION, TALK], ids=["text", "messages"])
async def test_a_response_has_annotations(town: Town, given: Any) -> None:
    async with listening(town) as address, client_of(town, address) as client:
        reply = await client.responses.create(model="hr", input=given, metadata={"a": "b"}, store=False)
    assert reply.output_text == TEXT
    assert (reply.status, reply.error, reply.metadata) == ("completed", None, {"a": "b"})
    (source,) = reply.output[0].content[0].annotations
    assert (source.type, source.title) == ("url_citation", "Policy")
    assert TEXT[source.start_index : source.end_index] == "[1]"
    assert LINK.fullmatch(source.url)["id"] == "policy"
    assert reply.citations[0]["quote"] == PUBLIC
    assert reply.usage.total_tokens == 0


async def test_a_stream_of_a_response_is_put_together_by_the_client(town: Town) -> None:
    async with listening(town) as address, client_of(town, address) as client:
        async with client.responses.stream(model="hr", input=QUESTION) as stream:
            seen = [event async for event in stream]
            whole = await stream.get_final_response()
        raw = [event async for event in await client.responses.create(model="hr", input=QUESTION, stream=True)]
    assert [event.type for event in raw] == EVENTS
    assert [event.sequence_number for event in raw] == list(range(len(EVENTS)))
    assert [event.type for event in seen if event.type in EVENTS] == EVENTS
    assert whole.output_text == TEXT
    assert whole.output[0].content[0].annotations[0].url == raw[5].annotation.url
    assert whole.status == "completed"


@pytest.mark.parametrize("stream", [False, True])
async def test_one_that_was_cut_off_is_incomplete(open_town: Opener, stream: bool) -> None:
    cut = openai_server.chat(f"{PUBLIC} [1]", " It is approv", finish="length")
    async with (
        openai_server.serve(cut) as chat,
        open_town(chat={"model": "m", "base_url": chat.url, "retries": 0}) as town,
        listening(town) as address,
        client_of(town, address) as client,
    ):
        asked: dict[str, Any] = {"model": "hr", "input": QUESTION, "instructions": "Be kind."}
        reply = await client.responses.create(**asked, stream=stream)
        if stream:
            *_, last = [event async for event in reply]
            assert last.type == "response.incomplete"
            reply = last.response
    assert (reply.status, reply.incomplete_details.reason) == ("incomplete", "max_output_tokens")
    assert reply.output[0].content[0].text == TEXT
    assert reply.instructions == "Be kind."
    assert "cut off" in reply.note
    assert "Be kind." in str(chat.requests)


async def test_a_sentence_is_sent_while_the_model_still_writes(open_town: Opener) -> None:
    async with (
        openai_server.hanging(f"{TEXT} And now ") as model,
        open_town(chat={"model": "m", "base_url": model.url}) as town,
        listening(town) as address,
        client_of(town, address) as client,
        asyncio.timeout(30),
        await client.responses.create(model="hr", input=QUESTION, stream=True) as stream,
    ):
        assert await anext(event.delta async for event in stream if event.type == EVENTS[4]) == TEXT


WRONG: dict[str, tuple[type[openai.APIStatusError], dict[str, Any]]] = {
    "an earlier response": (openai.BadRequestError, {"previous_response_id": "resp_1"}),
    "a conversation": (openai.BadRequestError, {"conversation": "conv_1"}),
    "in the background": (openai.BadRequestError, {"background": True}),
    "JSON": (openai.BadRequestError, {"text": {"format": {"type": "json_object"}}}),
    "nothing": (openai.BadRequestError, {"input": " "}),
    "no items": (openai.UnprocessableEntityError, {"input": []}),
    "an item that is kept": (openai.UnprocessableEntityError, {"input": [{"type": "item_reference", "id": "x"}]}),
    "a tool that must be called": (openai.UnprocessableEntityError, {"tool_choice": "required"}),
    "half a character": (openai.UnprocessableEntityError, {"instructions": "\ud800"}),
    "no such model": (openai.NotFoundError, {"model": "nowhere"}),
}


@pytest.mark.parametrize("name", WRONG)
async def test_what_cannot_be_is_raised_by_the_client(town: Town, name: str) -> None:
    kind, wrong = WRONG[name]
    async with listening(town) as address, client_of(town, address) as client:
        if name == "half a character":
            with pytest.raises((kind, UnicodeEncodeError)):
                await client.responses.create(model="hr", input=QUESTION, **wrong)
            return
        with pytest.raises(kind) as refused:
            await client.responses.create(**{"model": "hr", "input": QUESTION, **wrong})
        assert refused.value.type == "invalid_request_error"
        with pytest.raises(openai.NotFoundError):
            await client.responses.retrieve("resp_1")


async def test_a_stream_that_fails_raises_why(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    async def failing(*_: object, **__: object) -> None:
        reason = "The embedder is away."
        raise ServiceError(reason, cure="Start it.", retryable=True)

    monkeypatch.setattr(type(town.spaces._spaces["hr"].kb.embedder), "queries", failing)
    async with listening(town) as address, client_of(town, address) as client:
        stream = await client.responses.create(model="hr", input=QUESTION, stream=True)
        with pytest.raises(openai.APIError, match="The embedder is away. Start it."):
            assert [event async for event in stream] == []


async def test_texts_are_embedded_by_the_embedder_of_the_space(town: Town) -> None:
    embedder = town.spaces._spaces["hr"].kb.embedder
    texts = [f"Text number {n}" for n in range(70)]
    async with listening(town) as address, client_of(town, address) as client:
        numbers = await client.embeddings.create(model="hr", input=texts, encoding_format="float")
        packed = await client.embeddings.create(model="hr", input=texts)  # base64, which the client unpacks
        one = await client.embeddings.create(
            model="hr", input=texts[0], dimensions=embedder.fingerprint.dimension, extra_body={"input_type": "query"}
        )
    expected = await embedder.passages(texts)
    assert [data.index for data in numbers.data] == list(range(70))
    assert np.array_equal(np.array([data.embedding for data in numbers.data], np.float32), expected)
    assert np.array_equal(np.array([data.embedding for data in packed.data], np.float32), expected)
    assert np.array_equal(np.array(one.data[0].embedding, np.float32), (await embedder.queries(texts[:1]))[0])
    assert numbers.usage.total_tokens == numbers.usage.prompt_tokens >= 70


@pytest.mark.parametrize(
    ("wrong", "kind", "word"),
    [
        ({"input": [1, 2, 3]}, openai.BadRequestError, "numbers of tokens"),
        ({"input": [[1, 2], [3]]}, openai.BadRequestError, "numbers of tokens"),
        ({"input": []}, openai.BadRequestError, "nothing"),
        ({"input": ["a", " "]}, openai.BadRequestError, "Text 1 of `input` is blank"),
        ({"dimensions": 7}, openai.BadRequestError, "dimensions, not 7"),
        ({"encoding_format": "int8"}, openai.UnprocessableEntityError, "encoding_format"),
        ({"model": "it"}, openai.NotFoundError, "no such space"),
    ],
)
async def test_texts_that_cannot_be_embedded(
    town: Town, wrong: dict[str, Any], kind: type[openai.APIStatusError], word: str
) -> None:
    async with listening(town) as address, client_of(town, address) as client:
        with pytest.raises(kind, match=word) as refused:
            await client.embeddings.create(**{"model": "hr", "input": "x", **wrong})
        assert refused.value.type == "invalid_request_error"

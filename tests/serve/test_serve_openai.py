"""The OpenAI-shaped face, by the official client."""

from __future__ import annotations

import openai
import pytest

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


async def test_errors_are_those_of_the_client(town: Town) -> None:
    async with listening(town) as address:
        async with client_of(town, address, "") as client:
            with pytest.raises(openai.AuthenticationError, match="not known here. Send a key"):
                await client.chat.completions.create(model="hr", messages=ASKED)
        async with client_of(town, address, "nobody") as client:
            with pytest.raises(openai.PermissionDeniedError):
                await client.chat.completions.create(model="hr", messages=ASKED)
        async with client_of(town, address) as client:
            with pytest.raises(openai.NotFoundError, match="There is no such space"):
                await client.chat.completions.create(model="gpt-5", messages=ASKED)
            with pytest.raises(openai.BadRequestError):
                await client.chat.completions.create(model="hr", messages=ASKED[:1])
            with pytest.raises(openai.UnprocessableEntityError, match="body.n"):
                await client.chat.completions.create(model="hr", messages=ASKED, n=2)


async def test_a_stream_that_fails_says_why(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    async def failing(*_: object, **__: object) -> None:
        reason = "The embedder is away."
        raise ServiceError(reason, cure="Start it.", retryable=True)

    monkeypatch.setattr(type(town.spaces._spaces["hr"].kb.embedder), "queries", failing)
    async with listening(town) as address, client_of(town, address) as client:
        stream = await client.chat.completions.create(model="hr", messages=ASKED, stream=True)
        with pytest.raises(openai.APIError, match="The embedder is away. Start it."):
            assert [piece async for piece in stream] == []

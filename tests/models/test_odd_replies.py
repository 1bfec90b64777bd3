"""Endpoints that are broken or hostile: each ends in an error with its cause, soon, and the event loop stays free."""

from __future__ import annotations

import asyncio
import time
import tracemalloc

import pytest
from campaign.machine import slowness
from pydantic import BaseModel
from tests.cpu_time import uncollected

import rove.models.endpoint as waits
from openai_server import Reply, chat, embeddings, odd_replies, serve
from rove.errors import ConfigError, CutReplyError, ServiceError
from rove.models.chat import PydanticChatModel
from rove.models.deadline import models_for
from rove.models.openai import OpenAIEmbedder
from rove.models.typed import reply_as
from rove.models.usage import metered
from rove.settings import ChatSettings, EmbedderSettings

pytestmark = pytest.mark.long

MOST_HELD_S = 0.15
"""Of CPU time between two turns of the loop, in a process in which the endpoint runs too."""
GUARD_S = 60


class Facts(BaseModel):
    facts: list[str]


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "FIRST_WAIT_S", 0.01)


async def heartbeat(held: list[float]) -> None:
    """Note how much CPU time this thread uses between two turns."""
    last = time.thread_time()
    while True:
        await asyncio.sleep(0)
        now = time.thread_time()
        held.append(now - last)
        last = now
        await asyncio.sleep(0.001)
        last = time.thread_time() if time.thread_time() - last < 0.001 else last


def model_at(url: str, **settings: object) -> PydanticChatModel:
    known = {"model": "m", "base_url": url, "timeout_s": 1.5, "retries": 1, "max_tokens": 200, **settings}
    return PydanticChatModel(ChatSettings.model_validate(known))


@pytest.mark.parametrize("name", odd_replies())
async def test_an_odd_reply_is_an_error_and_holds_nothing_up(name: str) -> None:
    held: list[float] = []
    async with serve(odd_replies()[name]) as server:
        model = model_at(server.url)
        beating = asyncio.create_task(heartbeat(held))
        try:
            async with asyncio.timeout(GUARD_S):
                with uncollected(), pytest.raises(ServiceError) as refused, models_for(8):
                    await reply_as(model, Facts, "Say facts.", "Go on.", partial=lambda _: None)
        finally:
            beating.cancel()
    assert refused.value.cure
    assert len(str(refused.value)) < 1_000
    assert max(held) < MOST_HELD_S or max(held) < MOST_HELD_S * slowness(), name


@pytest.mark.parametrize("name", ["a line of megabytes", "packed a thousandfold", "5 GB"])
async def test_an_odd_reply_is_not_held_in_memory(name: str) -> None:
    reply = odd_replies()[name]
    async with serve(reply) as server:
        model = model_at(server.url, retries=0)
        tracemalloc.start()
        try:
            with pytest.raises(ServiceError):
                await reply_as(model, Facts, "Say facts.", "Go on.")
            assert tracemalloc.get_traced_memory()[1] < 40_000_000
        finally:
            tracemalloc.stop()


async def test_a_reply_has_its_bound_in_megabytes() -> None:
    long = Reply(chunks=[b": nothing yet\n\n" * 5_000] * 40, headers={"Content-Type": "text/event-stream"})
    async with serve(long) as server:
        with pytest.raises(ServiceError, match="more than 1 MB") as refused:
            await reply_as(model_at(server.url, max_reply_mb=1, retries=3), Facts, "", "Go on.")
    assert "chat.max_reply_mb" in refused.value.cure
    assert len(server.requests) == 1  # to ask again would bring the same


async def test_a_long_piece_is_cut_at_the_bound_of_a_reply() -> None:
    pieces: list[str] = []
    async with serve(chat("word " * 100_000)) as server:
        with pytest.raises(CutReplyError):
            async for piece in model_at(server.url, max_tokens=50).stream("", "Go on."):
                pieces.append(piece)
    assert len("".join(pieces)) == 20 * 50 + 1


async def test_each_try_is_counted() -> None:
    async with serve(Reply(500, [b"no"]), Reply(500, [b"no"]), chat('{"facts": []}', usage=(7, 3))) as server:
        with metered() as meter:
            await reply_as(model_at(server.url, retries=2), Facts, "", "Go on.")
    assert (meter.usage.requests, meter.usage.output_tokens) == (3, 3)


async def test_all_tries_together_end_with_the_time_for_models() -> None:
    async with serve(Reply(delay_s=60)) as server:
        model = model_at(server.url, timeout_s=0.1, retries=1_000)
        async with asyncio.timeout(GUARD_S):
            with pytest.raises(ServiceError, match="time for asking models is over"), models_for(2):
                await reply_as(model, Facts, "", "Go on.")
    assert 2 <= len(server.requests) <= 6


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(chunks=[b"[" * 200_000]), "not JSON"),
        (Reply(chunks=[b'{"data": ' + b"[" * 200_000]), "not JSON"),
        (Reply(chunks=[b'{"data": [{"embedding": [1' + b"0" * 400 + b", 1]}]}"]), "neither a list of numbers"),
        (Reply(chunks=[b'{"data": [{"embedding": [1' + b"0" * 5_000 + b", 1]}]}"]), "not JSON"),
        (Reply(chunks=[b" " * 300_000] * 5), "more than 1 MB"),
        (Reply(chunks=[b"{}"], headers={"Content-Length": "5000000000"}, stall_after=1), "more than 1 MB"),
        (Reply(chunks=odd_replies()["packed a thousandfold"].chunks, headers={"Content-Encoding": "gzip"}), "packed"),
        (Reply(307, [b""], {"Location": "/v1/embeddings"}), "redirects to"),
        (Reply(500, [b"x" * 5_000_000]), "answered 500"),
        (embeddings([[[1.0], [2.0]]]), ""),
        (embeddings([1e308, 1e308], [1.0, 1.0]), "for 1 texts|indices"),
    ],
)
async def test_an_odd_reply_of_an_embedder_is_an_error(reply: Reply, said: str) -> None:
    async with serve(reply) as server:
        known = {"model": "m", "dimension": 2, "base_url": server.url, "retries": 0, "timeout_s": 5, "max_reply_mb": 1}
        embedder = OpenAIEmbedder(EmbedderSettings(**known))
        if not said:
            assert (await embedder.passages(["a"])).shape == (1, 2)
            return
        with pytest.raises((ServiceError, ConfigError), match=said):
            await embedder.passages(["a"])

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Iterator

import httpx
import numpy as np
import pytest

import rove.models.endpoint as module
from openai_server import Reply, Server, embeddings, failure, serve
from rove.errors import ConfigError, ServiceError
from rove.models.endpoint import backoff_s, retry_after_s
from rove.models.openai import OpenAIEmbedder, batches
from rove.settings import EmbedderSettings

KEY = "sk-very-secret-4711"


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(module, "FIRST_WAIT_S", 0.01)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return


def embedder(server: Server, **changes: object) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        EmbedderSettings.model_validate(
            {"name": "openai", "model": "m", "base_url": server.url, "dimension": 2, "api_key": KEY, **changes}
        )
    )


async def test_vectors_are_unit_length_and_in_the_order_of_the_index() -> None:
    async with serve(embeddings([0, 2], [3, 4], indices=[1, 0])) as server:
        vectors = await embedder(server).passages(["a", "b"])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0, 1]], rtol=1e-6)
    assert server.paths == ["/v1/embeddings"]
    assert server.requests == [{"model": "m", "input": ["a", "b"], "encoding_format": "float"}]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


async def test_base64_is_read() -> None:
    packed = base64.b64encode(np.array([3, 4], "<f4").tobytes()).decode()
    async with serve(embeddings(packed)) as server:
        np.testing.assert_allclose(await embedder(server).queries(["a"]), [[0.6, 0.8]], rtol=1e-6)


async def test_many_texts_go_in_batches_and_come_back_in_order() -> None:
    async with serve(
        embeddings(*([[1, i] for i in range(64)])), embeddings(*([[1, i] for i in range(64, 70)]))
    ) as server:
        vectors = await embedder(server).passages([f"text {i}" for i in range(70)])
    assert [len(r["input"]) for r in server.requests] == [64, 6]
    np.testing.assert_allclose(vectors[:, 1] / vectors[:, 0], np.arange(70), rtol=1e-4)


def test_batches_keep_to_the_characters() -> None:
    assert [len(batch) for batch in batches(["x" * 60_000, "y" * 50_000, "z" * 200_000, "w"])] == [1, 1, 1, 1]
    assert list(batches([])) == []


async def test_no_text_asks_nothing() -> None:
    async with serve(failure(500)) as server:
        assert (await embedder(server).passages([])).shape == (0, 2)
    assert server.requests == []


@pytest.mark.parametrize("first", [failure(500), failure(408), failure(409), failure(503), Reply(chunks=[b"<html>"])])
async def test_passing_failures_are_tried_again(first: Reply) -> None:
    async with serve(first, first, embeddings([3, 4])) as server:
        assert (await embedder(server, retries=2).passages(["a"])).shape == (1, 2)
    assert len(server.requests) == 3


async def test_retry_after_is_honoured() -> None:
    async with serve(failure(429, Retry_After="1"), embeddings([3, 4])) as server:
        started = time.perf_counter()
        await embedder(server).passages(["a"])
    assert time.perf_counter() - started >= 1.0


async def test_retries_end() -> None:
    async with serve(failure(500)) as server:
        with pytest.raises(ServiceError, match="answered 500: .*scripted") as caught:
            await embedder(server, retries=2).passages(["a"])
    assert caught.value.retryable
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_refused_request_is_not_tried_again(status: int) -> None:
    async with serve(failure(status)) as server:
        with pytest.raises(ServiceError) as caught:
            await embedder(server).passages(["a"])
    assert not caught.value.retryable
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_wrong_key_or_address_is_a_matter_of_settings(status: int) -> None:
    async with serve(failure(status, f"bad key {KEY}")) as server:
        with pytest.raises(ConfigError) as caught:
            await embedder(server).passages(["a"])
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (embeddings([1, 2]), "1 vectors for 2 texts"),
        (embeddings([1, 2], [1, 2], [1, 2]), "indices"),
        (embeddings([1, 2], [1, 2], indices=[0, 0]), "indices"),
        (embeddings([1, float("nan")], [1, 2]), "not finite"),
        (embeddings([1, float("-inf")], [1, 2]), "not finite"),
        (embeddings([0, 0], [1, 2]), "zero"),
        (embeddings([1, 2], "%%%"), "neither"),
        (embeddings([1, 2], {"a": 1}), "neither"),
        (embeddings([1, "x"], [1, 2]), "neither"),
        (Reply(chunks=[b"[]"]), '"data"'),
        (Reply(chunks=[b'{"data": [1]}']), '"data"'),
    ],
)
async def test_a_malformed_reply_is_refused(reply: Reply, said: str) -> None:
    async with serve(reply) as server:
        with pytest.raises(ServiceError, match=said) as caught:
            await embedder(server).passages(["a", "b"])
    assert not caught.value.retryable


async def test_another_dimension_names_the_right_one() -> None:
    async with serve(embeddings([1, 2, 3])) as server:
        with pytest.raises(ConfigError, match="Set embedder.dimension to 3"):
            await embedder(server).passages(["a"])


async def test_a_silent_server_times_out() -> None:
    async with serve(Reply(delay_s=30)) as server:
        with pytest.raises(ServiceError, match=r"within 0\.2 s") as caught:
            await embedder(server, timeout_s=0.2, retries=1).passages(["a"])
    assert caught.value.retryable


async def test_a_server_that_dribbles_times_out() -> None:
    async with serve(Reply(chunks=[b" "] * 200, delay_s=0.05)) as server:
        with pytest.raises(ServiceError, match="did not answer"):
            await embedder(server, timeout_s=0.3, retries=0).passages(["a"])


async def test_a_broken_or_absent_server_is_retryable() -> None:
    async with serve(Reply(chunks=[b'{"data"'], cut=True)) as server:
        with pytest.raises(ServiceError, match="could not be reached") as caught:
            await embedder(server, retries=1).passages(["a"])
        assert len(server.requests) == 2
    assert caught.value.retryable
    with pytest.raises(ServiceError, match="could not be reached"):
        await embedder(server, retries=0).passages(["a"])


def test_one_embedder_serves_many_event_loops() -> None:
    made: list[OpenAIEmbedder] = []

    async def once() -> float:
        async with serve(embeddings([3, 4])) as server:
            made.append(embedder(server))
            return float((await made[-1].passages(["a"]))[0, 0])

    assert [asyncio.run(once()) for _ in range(2)] == pytest.approx([0.6, 0.6])


async def test_no_other_host_is_sent_the_key_of_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with serve(embeddings([3, 4])) as server:
        await embedder(server, api_key="").passages(["a"])
    assert "authorization" not in server.headers[0]


async def test_a_loopback_server_is_not_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with serve(embeddings([3, 4])) as server:
        await embedder(server, retries=0).passages(["a"])
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [301, 307])
async def test_a_redirect_is_not_followed_and_says_where_it_points(status: int) -> None:
    async with serve(embeddings([3, 4])) as other:
        async with serve(Reply(status, [b"moved"], {"Location": f"{other.url}/embeddings"})) as server:
            with pytest.raises(ServiceError, match=other.url) as raised:
                await embedder(server).passages(["a"])
        assert not raised.value.retryable
        assert not other.requests


def test_the_key_is_never_shown() -> None:
    made = OpenAIEmbedder(EmbedderSettings.model_validate({"api_key": KEY}))
    assert KEY not in repr(made)
    assert str(made.fingerprint) == "model=openai:text-embedding-3-small dimension=1536 unit_length=True"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "OPENAI_API_KEY"),
        ({"base_url": "http://localhost:1/v1"}, "embedder.model"),
        ({"base_url": "http://localhost:1/v1", "model": "nomic"}, "embedder.dimension"),
        ({"base_url": "localhost:1", "model": "nomic", "dimension": 3}, "not an http address"),
    ],
)
def test_a_wrong_set_up_says_what_to_set(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        OpenAIEmbedder(EmbedderSettings.model_validate(settings))


def test_waits_grow_and_are_capped() -> None:
    assert backoff_s(0, 7.0) == 7.0
    assert backoff_s(0, 1e9) == 30.0
    assert backoff_s(50) <= 30.0
    assert retry_after_s(httpx.Response(429)) is None
    assert retry_after_s(httpx.Response(429, headers={"Retry-After": "soon"})) is None
    assert retry_after_s(httpx.Response(429, headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"})) == 0.0

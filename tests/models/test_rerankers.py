"""Rerankers with a model of their own: an endpoint on loopback with its faults, and a cross-encoder in ONNX."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import onnx_models
import rove.models.endpoint as endpoint
from openai_server import Reply, Server, failure, serve
from rove import Rove, Text
from rove.errors import ConfigError, ServiceError
from rove.models.fake import FakeEmbedder
from rove.models.onnx_folder import MOST_TOKENS
from rove.models.rerank_endpoint import EndpointReranker
from rove.models.rerank_onnx import OnnxReranker
from rove.records import Chunk, Hit
from rove.settings import RerankerSettings

KEY = "key-4711"


class Nothing:
    async def chunk_vectors(self, chunk_ids: object) -> np.ndarray:
        raise AssertionError

    async def chunk_tokens(self, chunk_ids: object) -> list[bytes]:
        raise AssertionError


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(endpoint, "FIRST_WAIT_S", 0.01)
    return


def hits(*texts: str) -> list[Hit]:
    return [
        Hit(Chunk(text, text, text, (0, len(text)), 0, prefix="Title"), score=1.0, sources={}, uri=text, title="Title")
        for text in texts
    ]


def results(*scores: tuple[int, object]) -> Reply:
    body = {"id": "x", "results": [{"index": index, "relevance_score": score} for index, score in scores]}
    return Reply(chunks=[json.dumps(body).encode()])


def reranker(server: Server) -> EndpointReranker:
    settings = RerankerSettings.model_validate({"base_url": server.url, "model": "m", "api_key": KEY, "timeout_s": 0.5})
    return EndpointReranker(FakeEmbedder(), Nothing(), settings)


async def test_scores_come_back_in_the_order_of_the_hits() -> None:
    async with serve(results((2, 0.9), (0, 0.5))) as server:
        scores = await reranker(server).scores("猫?", hits("a", "b", "c"))
    assert scores.tolist() == pytest.approx([0.5, 0.5, 0.9])
    assert server.paths == ["/v1/rerank"]
    assert server.requests == [
        {"model": "m", "query": "猫?", "documents": ["Title\na", "Title\nb", "Title\nc"], "top_n": 3}
    ]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "first", [failure(429, retry_after="0"), failure(503), Reply(chunks=[b"oops"]), Reply(cut=True)]
)
async def test_passing_faults_are_tried_again(first: Reply) -> None:
    async with serve(first, results((0, 1.0))) as server:
        assert (await reranker(server).scores("q", hits("a"))).tolist() == [1.0]


@pytest.mark.parametrize("reply", [results((7, 1.0)), results((0, float("nan"))), results(), Reply(delay_s=2)])
async def test_what_stays_wrong_is_an_error_with_a_cure(reply: Reply) -> None:
    async with serve(reply) as server:
        with pytest.raises(ServiceError) as caught:
            await reranker(server).scores("q", hits("a"))
    assert caught.value.cure


async def test_a_refused_key_is_not_repeated() -> None:
    async with serve(failure(401, f"bad {KEY}")) as server:
        with pytest.raises(ConfigError, match="401") as caught:
            await reranker(server).scores("q", hits("a"))
    assert KEY not in str(caught.value)
    assert "ROVE_RERANKER__API_KEY" in caught.value.cure


def test_what_is_missing_is_said() -> None:
    for made, settings in (
        (EndpointReranker, {"model": "m"}),
        (OnnxReranker, {}),
        (OnnxReranker, {"model": "nowhere"}),
    ):
        with pytest.raises(ConfigError, match="needs"):
            made(FakeEmbedder(), Nothing(), RerankerSettings.model_validate(settings))


@pytest.fixture
def cross_encoder(tmp_path: Path) -> Path:
    pytest.importorskip("tokenizers")
    return onnx_models.cross_encoder(tmp_path / "cross")


async def test_a_cross_encoder_reads_question_and_passage(cross_encoder: Path) -> None:
    found = OnnxReranker(FakeEmbedder(), Nothing(), RerankerSettings(model=str(cross_encoder), threads=1))
    scores = await found.scores("night", hits("apples", "harbour night", "unknown " * 600, "harbour"))
    assert (scores * MOST_TOKENS).tolist() == pytest.approx([-1, 5, 2, 3])  # all are padded to the longest
    assert (await found.scores("night", [])).shape == (0,)


def test_a_named_reranker_orders_a_hybrid_search(cross_encoder: Path, tmp_path: Path) -> None:
    options = {"search": {"reranker": "onnx", "rerank_weight": 1.0}, "reranker": {"model": str(cross_encoder)}}
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}, **options) as kb:
        kb.add(*[Text(text, id=text) for text in ("apples at night", "harbour", "harbour night")])
        order = [hit.chunk.text for hit in kb.search("apples")]
    assert order == ["harbour night", "harbour", "apples at night"]


def test_a_damaged_model_says_so(cross_encoder: Path, tmp_path: Path) -> None:
    (cross_encoder / "model.onnx").write_bytes(b"not a model")
    options = {"search": {"reranker": "onnx"}, "reranker": {"model": str(cross_encoder)}}
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}, **options) as kb:
        kb.add(Text("apples", id="a"))
        with pytest.raises(ConfigError, match="cannot be loaded"):
            kb.search("apples")

"""Reranking by an endpoint of the shape that Cohere, Jina, vLLM and llama.cpp share: POST `{base_url}/rerank`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict, FiniteFloat, ValidationError

from rove.errors import ConfigError, ServiceError
from rove.models import Embedder, KeptOfChunks, Vectors
from rove.models.endpoint import Endpoint
from rove.records import Hit
from rove.settings import RerankerSettings

KEY_CURE = "Set ROVE_RERANKER__API_KEY."
READ_CURE = "Is this a rerank endpoint, as Cohere's or Jina's, with a rerank model?"


class _Result(BaseModel):
    model_config = ConfigDict(extra="ignore")

    index: int
    relevance_score: FiniteFloat


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    results: list[_Result]


class EndpointReranker:
    """Sends the question and the passages, each with its title and headings, and takes the scores. See `Reranker`.

    Raises:
        ConfigError: no address or no model is set.
    """

    weight = 0.6

    def __init__(self, embedder: Embedder, kept: KeptOfChunks, settings: RerankerSettings) -> None:
        del embedder, kept
        if not settings.base_url or not settings.model:
            message = 'The reranker "endpoint" needs an address and a model.'
            raise ConfigError(message, cure="Set reranker.base_url and reranker.model.")
        self._model = settings.model
        self._endpoint = Endpoint(
            settings.base_url,
            settings.api_key.get_secret_value(),
            table="reranker",
            key_cure=KEY_CURE,
            timeout_s=settings.timeout_s,
            retries=settings.retries,
            reply_mb=settings.max_reply_mb,
        )

    async def scores(self, question: str, hits: Sequence[Hit]) -> Vectors:
        """See `Reranker.scores`.

        Raises:
            ServiceError: the endpoint failed after its retries.
        """
        if not hits:
            return np.zeros(0, np.float32)
        documents = [hit.chunk.indexed_text for hit in hits]
        asked: dict[str, object] = {
            "model": self._model,
            "query": question,
            "documents": documents,
            "top_n": len(documents),
        }
        return await self._endpoint.post("rerank", asked, lambda reply: self._read(reply, len(documents)))

    def _read(self, reply: bytes, count: int) -> Vectors:
        """Return (count,) float32; a passage that the reply leaves out scores as the lowest that it names."""
        try:
            results = _Reply.model_validate_json(reply).results
        except ValidationError:
            message = f"{self._endpoint.url} answered with something that holds no scores."
            raise ServiceError(message, cure=READ_CURE, retryable=True) from None
        named = {result.index: result.relevance_score for result in results}
        if not named or not named.keys() <= set(range(count)):
            message = f"{self._endpoint.url} scored {sorted(named)[:5]} … of {count} passages."
            raise ServiceError(message, cure=READ_CURE, retryable=False)
        lowest = min(named.values())
        return np.array([named.get(index, lowest) for index in range(count)], np.float32)

"""Embeddings from any OpenAI-shaped endpoint (OpenAI, Ollama, vLLM, llama.cpp, TEI …) over plain HTTP."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np

from rove.errors import ConfigError
from rove.models import Fingerprint, Vectors
from rove.models.embeddings import read_embeddings
from rove.models.endpoint import Endpoint
from rove.settings import EmbedderSettings

OPENAI_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
DEFAULT_MODEL = "text-embedding-3-small"
DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
MAX_DISTANCE = 0.8  # not measured (no endpoint could be reached): wide, so that little is refused wrongly
BATCH_TEXTS = 64
BATCH_CHARS = 96_000  # OpenAI takes 300,000 tokens a request; a CJK character can be two


class OpenAIEmbedder:
    """POSTs to `{base_url}/embeddings`. See `Embedder`.

    The key comes from the settings; `OPENAI_API_KEY` is read for OpenAI itself only, so that no other host is sent it.

    Raises:
        ConfigError: no key for OpenAI itself, no model, or a dimension that is neither known nor set.
    """

    def __init__(self, settings: EmbedderSettings) -> None:
        ours = not settings.base_url
        self._model = settings.model or (DEFAULT_MODEL if ours else "")
        self._key = settings.api_key.get_secret_value() or (os.environ.get(KEY_VARIABLE, "") if ours else "")
        self._dimension = settings.dimension or DIMENSIONS.get(self._model, 0)
        self._shorten = self._dimension != DIMENSIONS.get(self._model, self._dimension)
        self._endpoint = Endpoint(
            settings.base_url or OPENAI_URL,
            self._key,
            table="embedder",
            key_cure=f"Set {KEY_VARIABLE} (OpenAI) or ROVE_EMBEDDER__API_KEY (any endpoint).",
            timeout_s=settings.timeout_s,
            retries=settings.retries,
            reply_mb=settings.max_reply_mb,
        )
        self._check(ours)

    def __repr__(self) -> str:
        return f"OpenAIEmbedder(model={self._model!r}, base_url={self._endpoint.url!r}, dimension={self._dimension})"

    @property
    def fingerprint(self) -> Fingerprint:
        """See `Embedder.fingerprint`."""
        return Fingerprint(model=f"openai:{self._model}", dimension=self._dimension)

    @property
    def min_lead(self) -> float:
        """See `Embedder.min_lead`."""
        return 0.0

    @property
    def max_distance(self) -> float:
        """See `Embedder.max_distance`."""
        return MAX_DISTANCE

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.passages`. Batches of ≤ `BATCH_TEXTS` texts and ≤ `BATCH_CHARS` characters, one by one."""
        parts = [await self._embed(batch) for batch in batches(texts)]
        return np.concatenate(parts) if parts else np.zeros((0, self._dimension), np.float32)

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.queries`. The same as passages: these endpoints know no difference."""
        return await self.passages(texts)

    def _check(self, ours: bool) -> None:
        if not self._model:
            message = f"The embedder at {self._endpoint.url} was given no model."
            raise ConfigError(message, cure="Set embedder.model.")
        if not self._dimension:
            message = f"The dimension of {self._model!r} is not known."
            raise ConfigError(message, cure="Set embedder.dimension to the length of its vectors.")
        if ours and not self._key:
            message = f"The embedder {self._model!r} needs an API key."
            cure = f"Set the environment variable {KEY_VARIABLE} or ROVE_EMBEDDER__API_KEY."
            raise ConfigError(message, cure=cure)

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        question: dict[str, object] = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        if self._shorten:
            question["dimensions"] = self._dimension
        return await self._endpoint.post(
            "embeddings",
            question,
            lambda reply: read_embeddings(reply, len(texts), self._dimension, self._endpoint.url),
        )


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in order, in as few batches as the two limits allow; a text over the limit goes alone.

    >>> [len(batch) for batch in batches(["a"] * 130)]
    [64, 64, 2]
    """
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == BATCH_TEXTS or size + len(text) > BATCH_CHARS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch

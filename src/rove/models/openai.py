"""Embeddings from any OpenAI-shaped endpoint (OpenAI, Ollama, vLLM, llama.cpp, TEI …) over plain HTTP."""

from __future__ import annotations

import asyncio
import os
import random
import ssl
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache

import httpx
import numpy as np

from rove.errors import ConfigError, ServiceError
from rove.models import Fingerprint, Vectors
from rove.models.embeddings import read_embeddings
from rove.settings import EmbedderSettings

OPENAI_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
DEFAULT_MODEL = "text-embedding-3-small"
DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
MAX_DISTANCE = 0.8  # not measured (no endpoint could be reached): wide, so that little is refused wrongly
BATCH_TEXTS = 64
BATCH_CHARS = 96_000  # OpenAI takes 300,000 tokens a request; a CJK character can be two
RETRIED = frozenset({408, 409, 429})
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
QUOTED_CHARS = 200


class _FailedError(ServiceError):
    """One attempt failed; `wait_s` is what the server asked to wait, None where it did not say."""

    def __init__(self, message: str, *, cure: str, retryable: bool, wait_s: float | None = None) -> None:
        super().__init__(message, cure=cure, retryable=retryable)
        self.wait_s = wait_s


class OpenAIEmbedder:
    """POSTs to `{base_url}/embeddings`. See `Embedder`.

    The key comes from the settings; `OPENAI_API_KEY` is read for OpenAI itself only, so that no other host is sent it.
    Proxies and certificates come from the environment, save that no proxy is asked for a loopback address. Each call
    opens its own connection: one embedder serves any number of event loops and needs no closing.

    Raises:
        ConfigError: no key for OpenAI itself, no model, or a dimension that is neither known nor set.
    """

    def __init__(self, settings: EmbedderSettings) -> None:
        ours = not settings.base_url
        self._url = (settings.base_url or OPENAI_URL).rstrip("/")
        self._model = settings.model or (DEFAULT_MODEL if ours else "")
        self._key = settings.api_key.get_secret_value() or (os.environ.get(KEY_VARIABLE, "") if ours else "")
        self._dimension = settings.dimension or DIMENSIONS.get(self._model, 0)
        self._shorten = self._dimension != DIMENSIONS.get(self._model, self._dimension)
        self._timeout_s = settings.timeout_s
        self._retries = settings.retries
        self._check(ours)

    def __repr__(self) -> str:
        return f"OpenAIEmbedder(model={self._model!r}, base_url={self._url!r}, dimension={self._dimension})"

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
        if not texts:
            return np.zeros((0, self._dimension), np.float32)
        local = httpx.URL(self._url).host in {"localhost", "127.0.0.1", "::1"}
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        async with httpx.AsyncClient(
            timeout=self._timeout_s, headers=headers, trust_env=not local, verify=_certificates()
        ) as client:
            return np.concatenate([await self._embed(client, batch) for batch in batches(texts)])

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.queries`. The same as passages: these endpoints know no difference."""
        return await self.passages(texts)

    def _check(self, ours: bool) -> None:
        if not self._model:
            message = f"The embedder at {self._url} was given no model."
            raise ConfigError(message, cure="Set embedder.model.")
        if not self._dimension:
            message = f"The dimension of {self._model!r} is not known."
            raise ConfigError(message, cure="Set embedder.dimension to the length of its vectors.")
        if ours and not self._key:
            message = f"The embedder {self._model!r} needs an API key."
            cure = f"Set the environment variable {KEY_VARIABLE} or ROVE_EMBEDDER__API_KEY."
            raise ConfigError(message, cure=cure)
        if not self._url.startswith(("http://", "https://")):
            message = f"embedder.base_url {self._url!r} is not an http address."
            raise ConfigError(message, cure='Give one such as "http://localhost:8080/v1".')

    async def _embed(self, client: httpx.AsyncClient, texts: Sequence[str]) -> Vectors:
        for attempt in range(self._retries):
            try:
                return await self._attempt(client, texts)
            except ServiceError as error:
                if not error.retryable:
                    raise
                await asyncio.sleep(backoff_s(attempt, error.wait_s if isinstance(error, _FailedError) else None))
        return await self._attempt(client, texts)

    async def _attempt(self, client: httpx.AsyncClient, texts: Sequence[str]) -> Vectors:
        question: dict[str, object] = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        if self._shorten:
            question["dimensions"] = self._dimension
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await client.post(f"{self._url}/embeddings", json=question)
        except (TimeoutError, httpx.TimeoutException):
            message = f"{self._url} did not answer within {self._timeout_s:g} s."
            cure = "Raise embedder.timeout_s, or look at the server."
            raise _FailedError(message, cure=cure, retryable=True) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            message = f"{self._url} could not be reached: {self._safe(str(error)) or type(error).__name__}."
            raise _FailedError(message, cure="Is embedder.base_url right, and its server up?", retryable=True) from None
        if not response.is_success:
            raise self._refused(response)
        return read_embeddings(response.content, len(texts), self._dimension, self._url)

    def _refused(self, response: httpx.Response) -> ConfigError | _FailedError:
        status = response.status_code
        message = f"{self._url} answered {status}: {self._safe(response.text) or response.reason_phrase}."
        if status in {401, 403}:
            return ConfigError(message, cure=f"Set {KEY_VARIABLE} (OpenAI) or ROVE_EMBEDDER__API_KEY (any endpoint).")
        if status == 404:
            return ConfigError(message, cure="Correct embedder.base_url (it often ends in /v1) or embedder.model.")
        retryable = status in RETRIED or status >= 500
        cure = "Wait, then add the same sources again: what is done is kept." if retryable else "See its message."
        return _FailedError(message, cure=cure, retryable=retryable, wait_s=retry_after_s(response))

    def _safe(self, text: str) -> str:
        """Shorten what a server said, and take the key out of it should it have echoed it."""
        text = text.replace(self._key, "…") if self._key else text
        return " ".join(text.split())[:QUOTED_CHARS].rstrip(".")


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


def backoff_s(attempt: int, asked_s: float | None = None) -> float:
    """Return the seconds to wait after attempt 0, 1, 2 …: what the server asked, else doubling with jitter, capped."""
    if asked_s is not None:
        return min(asked_s, LONGEST_WAIT_S)
    return min(FIRST_WAIT_S * 2**attempt, LONGEST_WAIT_S) * random.uniform(0.5, 1.0)


def retry_after_s(response: httpx.Response) -> float | None:
    """Read `Retry-After`, in seconds or as a date; None where it is absent or unreadable.

    >>> retry_after_s(httpx.Response(429, headers={"Retry-After": "2"}))
    2.0
    """
    value = response.headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max((when - datetime.now(UTC)).total_seconds(), 0.0)


@cache
def _certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context()

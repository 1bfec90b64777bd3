"""What stands before every embedder: its vectors are checked, and those of the last questions are kept.

Searching, reranking and answering ask for the same one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Iterable, Sequence
from contextlib import AbstractContextManager
from inspect import isawaitable
from typing import Any, TypeVar, cast

import numpy as np

from rove.errors import ConfigError
from rove.models import Embedder, Fingerprint, LateEmbedder, Vectors, WordRule, readable_tokens, trust_of, word_rule_of
from rove.models.passage_reading import PassageReading, ReadingEmbedder, TokenPlaces, query_tokens
from rove.models.query_batcher import QueryBatcher
from rove.models.unit_vectors import unit_vectors
from rove.records import Note
from rove.tracing import Stage, embeddings

T = TypeVar("T")
REMEMBERED = 512


def remembering(embedder: Embedder) -> QueryCache:
    """Return the embedder with a check of its vectors and a cache of questions before it, unless it has these.

    Raises:
        ConfigError: its fingerprint does not say how long its vectors are.
    """
    if isinstance(embedder, QueryCache):
        return embedder
    _check_fingerprint(embedder)
    if isinstance(embedder, ReadingEmbedder):
        return ReadingQueryCache(embedder)
    return LateQueryCache(embedder) if isinstance(embedder, LateEmbedder) else QueryCache(embedder)


class QueryCache:
    """An `Embedder` before another one, see `unit_vectors`. Passages are not kept: the store has theirs by content.

    `take_notes` says what is to be told of its vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._notes: list[Note] | None = None
        self._ask = QueryBatcher(self._queries)
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def fingerprint(self) -> Fingerprint:
        """See `Embedder.fingerprint`."""
        return self._embedder.fingerprint

    @property
    def max_distance(self) -> float:
        """See `Embedder.max_distance`."""
        return self._embedder.max_distance

    @property
    def min_lead(self) -> float:
        """See `Embedder.min_lead`."""
        return self._embedder.min_lead

    @property
    def trust(self) -> float:
        """See `trust_of`."""
        return trust_of(self._embedder)

    @property
    def word_rule(self) -> WordRule | None:
        """See `word_rule_of`."""
        return word_rule_of(self._embedder)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.passages`."""
        with self._stage(texts):
            return self._checked(await _await_output(self._embedder.passages(texts)), texts) if texts else self._none()

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.queries`. Those that are asked at the same time are embedded together."""
        known = {text: self._known[text] for text in texts if text in self._known}
        unknown = [text for text in dict.fromkeys(texts) if text not in known]
        if unknown:
            with self._stage(unknown):
                known.update(zip(unknown, await self._ask(unknown), strict=True))
        found = [known[text] for text in texts]
        for text in known:
            self._known[text] = known[text]
            self._known.move_to_end(text)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return np.stack(found) if found else self._none()

    async def _queries(self, texts: Sequence[str]) -> Vectors:
        return self._checked(await _await_output(self._embedder.queries(texts)), texts)

    def _checked(self, given: object, texts: Sequence[str]) -> Vectors:
        """See `unit_vectors`; what the fingerprint promises and is not so is noted."""
        fingerprint = self.fingerprint
        made = unit_vectors(given, texts, fingerprint)
        if made.length is not None and fingerprint.unit_length and self._notes is None:
            self._notes = [Note("vectors-normalised", {"model": fingerprint.model, "length": float(made.length)})]
        return made.vectors

    def take_notes(self) -> list[Note]:
        """What is to be told of its vectors, once: the next call returns nothing."""
        notes, self._notes = self._notes or [], self._notes and []
        return notes

    def _none(self) -> Vectors:
        return np.zeros((0, self.fingerprint.dimension), np.float32)

    def _stage(self, texts: Sequence[str]) -> AbstractContextManager[Stage]:
        """The time of a call as its caller has it; one that several share is in the trace of each."""
        return embeddings(self.fingerprint.model, self.fingerprint.dimension, len(texts))


class LateQueryCache(QueryCache):
    """A `LateEmbedder` before another one, which keeps the tokens of its last questions itself."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._late = cast("LateEmbedder", embedder)

    async def passages_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[bytes]]:
        """See `LateEmbedder.passages_with_tokens`."""
        if not texts:
            return self._none(), []
        with self._stage(texts):
            given = await _await_output(self._late.passages_with_tokens(texts))
        vectors, tokens = _vector_token_pair(given, self.fingerprint)
        return self._checked(vectors, texts), _validate_token_bytes(tokens, len(texts), self.fingerprint)

    async def interactions(self, question: str, passages: Sequence[bytes]) -> Vectors | None:
        """See `LateEmbedder.interactions`."""
        return await self._late.interactions(question, passages)

    def can_read(self, passages: Sequence[bytes]) -> Sequence[bool]:
        """See `LateEmbedder`."""
        return readable_tokens(self._embedder, passages)


class ReadingQueryCache(LateQueryCache):
    """A `ReadingEmbedder` before another one."""

    async def read(self, question: str, passages: Sequence[bytes]) -> Sequence[PassageReading] | None:
        """See `ReadingEmbedder.read`."""
        return await cast("ReadingEmbedder", self._embedder).read(question, passages)

    async def query_tokens(self, question: str) -> Vectors | None:
        """See `query_tokens`."""
        return await query_tokens(self._embedder, question)

    async def token_spans(self, text: str) -> TokenPlaces:
        """See `ReadingEmbedder.token_spans`."""
        return await cast("ReadingEmbedder", self._embedder).token_spans(text)


async def _await_output(given: Awaitable[T]) -> T:
    """Wait for what an embedder gives.

    Raises:
        ConfigError: its methods are no coroutines.
    """
    if isawaitable(given):
        return await given
    message = f"The embedder's methods are no coroutines: one returned {type(given).__name__}."
    raise ConfigError(message, cure="Write them as: async def passages(self, texts), async def queries(self, texts).")


def _check_fingerprint(embedder: Embedder) -> None:
    fingerprint: Any = embedder.fingerprint
    dimension = getattr(fingerprint, "dimension", None)
    if not isinstance(fingerprint, Fingerprint) or not isinstance(dimension, int) or dimension < 1:
        message = f"The fingerprint of the embedder {type(embedder).__name__} is {fingerprint!r}."
        raise ConfigError(
            message, cure='Let it be a property that returns Fingerprint("the model\'s name", dimension).'
        )


def _vector_token_pair(given: Any, fingerprint: Fingerprint) -> tuple[object, object]:  # noqa: ANN401 - anything
    if hasattr(given, "__len__") and len(given) == 2:  # noqa: PLR2004 - a pair
        return given[0], given[1]
    message = f"The embedder {fingerprint.model} gave {type(given).__name__} in place of (vectors, tokens)."
    raise ConfigError(message, cure="passages_with_tokens returns a pair: see LateEmbedder.")


def _validate_token_bytes(given: object, count: int, fingerprint: Fingerprint) -> list[bytes]:
    tokens = list(cast("Iterable[object]", given)) if isinstance(given, Iterable) else [given]
    if len(tokens) in {0, count} and all(isinstance(one, bytes) for one in tokens):
        return cast("list[bytes]", tokens)
    message = f"The embedder {fingerprint.model} gave {len(tokens)} tokens for {count} texts, or others than bytes."
    raise ConfigError(message, cure="passages_with_tokens returns bytes for each text, or an empty list.")

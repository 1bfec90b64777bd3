"""A cache of the last questions' vectors: searching, reranking and answering ask for the same one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import cast

import numpy as np

from rove.models import Embedder, Fingerprint, LateEmbedder, Vectors, WordRule, trust_of, word_rule_of
from rove.models.passage_reading import PassageReading, ReadingEmbedder, TokenPlaces
from rove.models.query_batcher import QueryBatcher
from rove.tracing import Stage, embeddings

REMEMBERED = 512


def remembering(embedder: Embedder) -> Embedder:
    """Return the embedder with a cache of questions before it."""
    if isinstance(embedder, ReadingEmbedder):
        return ReadingQueryCache(embedder)
    return LateQueryCache(embedder) if isinstance(embedder, LateEmbedder) else QueryCache(embedder)


class QueryCache:
    """An `Embedder` before another one. Passages pass through: the store keeps theirs by content."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._ask = QueryBatcher(embedder.queries)
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
            return await self._embedder.passages(texts)

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
        return np.stack(found) if found else np.zeros((0, self.fingerprint.dimension), np.float32)

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
        with self._stage(texts):
            return await self._late.passages_with_tokens(texts)

    async def interactions(self, question: str, passages: Sequence[bytes]) -> Vectors | None:
        """See `LateEmbedder.interactions`."""
        return await self._late.interactions(question, passages)


class ReadingQueryCache(LateQueryCache):
    """A `ReadingEmbedder` before another one."""

    async def read(self, question: str, passages: Sequence[bytes]) -> Sequence[PassageReading] | None:
        """See `ReadingEmbedder.read`."""
        return await cast("ReadingEmbedder", self._embedder).read(question, passages)

    async def token_spans(self, text: str) -> TokenPlaces:
        """See `ReadingEmbedder.token_spans`."""
        return await cast("ReadingEmbedder", self._embedder).token_spans(text)

"""Vectors of texts, each embedded once: by content and embedder, across documents, runs and crashes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from rove.errors import RoveError, ServiceError
from rove.models import Embedder, passages_with_tokens
from rove.models.cache import remembering
from rove.models.unit_vectors import UnusableVectorsError
from rove.store import Vector

FIRST_BATCH = 32
LARGEST_BATCH = 1024
SLOW_S = 0.25
SAVE_EVERY_S = 2.0
PROBE = "house"
"""A text that no embedder has a reason to refuse."""


@dataclass(slots=True)
class Embedded:
    """Vectors by key, tokens of the new ones, what was wrong with texts that have none, and the embedder's own time."""

    vectors: dict[str, Vector] = field(default_factory=dict[str, Vector])
    tokens: dict[str, bytes] = field(default_factory=dict[str, bytes])
    refused: dict[str, RoveError] = field(default_factory=dict[str, RoveError])
    seconds: float = 0.0


class KeptVectors(Protocol):
    """Where vectors are kept by key: the catalog's, in `store.vectors`, or another place."""

    def get(self, keys: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors of these keys; unknown keys are absent."""
        ...

    def put(self, vectors: Mapping[str, Vector], tokens: Mapping[str, bytes]) -> None:
        """Keep vectors, and the tokens of some of them."""
        ...


NONE_YET = Embedded()


async def embed(
    texts: Mapping[str, str],
    embedder: Embedder,
    cache: KeptVectors | None = None,
    progress: Callable[[int], None] = lambda _: None,
    made: Embedded = NONE_YET,
    *,
    queries: bool = False,
) -> Embedded:
    """Return the vector of every text, by key; only texts without one are embedded, here or in `made`, by a worker.

    Batches grow while the embedder is quick. On long work what is done is saved every few seconds, so that a crash
    costs seconds, not hours. A batch that the embedder refuses for good is tried again text by text, so that one bad
    text does not cost the others. `progress` is told how many more texts are done. Without a cache nothing is looked up
    or saved. `queries`: the texts are what is asked, not what is searched.

    Raises:
        ServiceError: the embedder cannot be reached; what was embedded before is kept.
    """
    embedder = remembering(embedder)  # which checks what it gives
    by_workers = [key for key in texts if key in made.vectors]
    result = Embedded({key: made.vectors[key] for key in by_workers}, seconds=made.seconds)
    if cache and (left := [key for key in texts if key not in result.vectors]):
        kept, dimension = await asyncio.to_thread(cache.get, left), embedder.fingerprint.dimension
        result.vectors |= {key: vector for key, vector in kept.items() if len(vector) == dimension}
    if result.vectors:
        progress(len(result.vectors))
    todo = [key for key in texts if key not in result.vectors]
    unsaved = Embedded(refused=result.refused)
    size, saved = FIRST_BATCH, monotonic()
    try:
        while todo:
            batch, todo = todo[:size], todo[size:]
            begin = monotonic()
            await _embed_batch({key: texts[key] for key in batch}, embedder, unsaved, queries=queries)
            progress(len(batch))
            now = monotonic()
            result.seconds += now - begin
            if now - begin < SLOW_S:
                size = min(2 * size, LARGEST_BATCH)
            if cache and todo and now - saved > SAVE_EVERY_S:
                await asyncio.to_thread(cache.put, unsaved.vectors, unsaved.tokens)
                result.vectors |= unsaved.vectors
                unsaved, saved = Embedded(refused=result.refused), monotonic()
    except BaseException:
        if cache:
            await asyncio.to_thread(cache.put, unsaved.vectors, unsaved.tokens)
        raise
    result.vectors |= unsaved.vectors
    result.tokens = unsaved.tokens | {key: made.tokens[key] for key in by_workers if key in made.tokens}
    return result


async def _embed_batch(texts: Mapping[str, str], embedder: Embedder, result: Embedded, *, queries: bool) -> None:
    """Add the vectors and tokens of these texts to `result`, or why they have none."""
    try:
        given = list(texts.values())
        vectors, tokens = (
            (await embedder.queries(given), []) if queries else await passages_with_tokens(embedder, given)
        )
    except RoveError as error:
        if not await _is_of_the_text(error, embedder):
            raise
        if len(texts) == 1:
            result.refused[next(iter(texts))] = error
        else:
            for part in _retry_batches(texts, error):
                await _embed_batch(part, embedder, result, queries=queries)
    else:
        result.vectors.update(zip(texts, vectors, strict=True))
        result.tokens.update(zip(texts, tokens, strict=False))


def _retry_batches(texts: Mapping[str, str], error: RoveError) -> list[dict[str, str]]:
    """How texts are tried again: each by itself, but together those whose vectors were sound."""
    bad = set(error.rows) if isinstance(error, UnusableVectorsError) else set(range(len(texts)))
    sound = {key: text for row, (key, text) in enumerate(texts.items()) if row not in bad}
    alone = [{key: text} for row, (key, text) in enumerate(texts.items()) if row in bad]
    return [sound, *alone] if sound else alone


async def _is_of_the_text(error: RoveError, embedder: Embedder) -> bool:
    """Say whether the embedder refuses a text, rather than all: a wrong address or key would fail any other too."""
    if isinstance(error, UnusableVectorsError):
        return True
    if isinstance(error, ServiceError):
        return not error.retryable
    try:
        await embedder.passages([PROBE])
    except RoveError:
        return False
    return True

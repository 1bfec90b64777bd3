"""Vectors of texts, each embedded once: by content and embedder, across documents, runs and crashes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

import numpy as np

from rove.errors import RoveError, ServiceError
from rove.models import Embedder, Vectors, passages_with_tokens
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
) -> Embedded:
    """Return the vector of every text, by key; only texts without one are embedded, here or in `made`, by a worker.

    Batches grow while the embedder is quick. On long work what is done is saved every few seconds, so that a crash
    costs seconds, not hours. A batch that the embedder refuses for good is tried again text by text, so that one bad
    text does not cost the others. `progress` is told how many more texts are done. Without a cache nothing is looked up
    or saved.

    Raises:
        ServiceError: the embedder cannot be reached; what was embedded before is kept.
    """
    by_workers = [key for key in texts if key in made.vectors]
    result = Embedded({key: made.vectors[key] for key in by_workers}, seconds=made.seconds)
    if cache and (left := [key for key in texts if key not in result.vectors]):
        result.vectors |= await asyncio.to_thread(cache.get, left)
    if result.vectors:
        progress(len(result.vectors))
    todo = [key for key in texts if key not in result.vectors]
    unsaved = Embedded(refused=result.refused)
    size, saved = FIRST_BATCH, monotonic()
    try:
        while todo:
            batch, todo = todo[:size], todo[size:]
            begin = monotonic()
            await _embed_batch({key: texts[key] for key in batch}, embedder, unsaved)
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


async def _embed_batch(texts: Mapping[str, str], embedder: Embedder, result: Embedded) -> None:
    """Add the vectors and tokens of these texts to `result`, or why they have none."""
    try:
        vectors, tokens = await passages_with_tokens(embedder, list(texts.values()))
        _check(vectors, len(texts), embedder.fingerprint.dimension)
    except RoveError as error:
        if not await _is_of_the_text(error, embedder):
            raise
        if len(texts) == 1:
            result.refused[next(iter(texts))] = error
        else:
            for key, text in texts.items():
                await _embed_batch({key: text}, embedder, result)
    else:
        result.vectors.update(zip(texts, vectors, strict=True))
        result.tokens.update(zip(texts, tokens, strict=False))


def _check(vectors: Vectors, count: int, dimension: int) -> None:
    """See that an embedder gave what it should.

    Raises:
        ServiceError: there is not one vector of the right length for each text, or a number is not finite.
    """
    if len(vectors) != count or any(np.shape(vector) != (dimension,) for vector in vectors):
        lengths = sorted({str(np.shape(vector)) for vector in vectors})
        message = f"The embedder gave {len(vectors)} vectors for {count} texts, of shape {' and '.join(lengths)}."
        raise ServiceError(message, cure=f"Each should have {dimension} numbers.", retryable=False)
    if not np.isfinite(vectors).all():
        message = "The embedder gave a number that is not finite."
        raise ServiceError(message, cure="Look at the text, and at the embedder.", retryable=False)


async def _is_of_the_text(error: RoveError, embedder: Embedder) -> bool:
    """Say whether the embedder refuses a text, rather than all: a wrong address or key would fail any other too."""
    if isinstance(error, ServiceError):
        return not error.retryable
    try:
        await embedder.passages([PROBE])
    except RoveError:
        return False
    return True

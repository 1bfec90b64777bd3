"""Vectors of texts, each embedded once: by content and embedder, across documents, runs and crashes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic

from rove.errors import ServiceError
from rove.models import Embedder
from rove.records import content_hash
from rove.store import Vector
from rove.store.vectors import VectorCache

FIRST_BATCH = 32
LARGEST_BATCH = 1024
SLOW_S = 0.25
SAVE_EVERY_S = 2.0


def vector_key(model: str, text: str) -> str:
    """Name the vector of a text: the same text under the same model (its fingerprint, as text) has one name."""
    return content_hash(model, text)


@dataclass(slots=True)
class Embedded:
    """Vectors by key, what was wrong with the texts that have none, and the embedder's own time."""

    vectors: dict[str, Vector] = field(default_factory=dict[str, Vector])
    refused: dict[str, ServiceError] = field(default_factory=dict[str, ServiceError])
    seconds: float = 0.0


async def embed(
    texts: Mapping[str, str], embedder: Embedder, cache: VectorCache, progress: Callable[[int], None]
) -> Embedded:
    """Return the vector of every text, by key; only texts without one are embedded.

    Batches grow while the embedder is quick. On long work what is done is saved every few seconds, so that a crash
    costs seconds, not hours. A batch that the embedder refuses for good is tried again text by text, so that one bad
    text does not cost the others. `progress` is told how many more texts are done.

    Raises:
        ServiceError: the embedder cannot be reached; what was embedded before is kept.
    """
    result = Embedded(await asyncio.to_thread(cache.get, list(texts)))
    if result.vectors:
        progress(len(result.vectors))
    todo = [key for key in texts if key not in result.vectors]
    unsaved: dict[str, Vector] = {}
    size, saved = FIRST_BATCH, monotonic()
    try:
        while todo:
            batch, todo = todo[:size], todo[size:]
            begin = monotonic()
            unsaved |= await _embed_batch({key: texts[key] for key in batch}, embedder, result.refused)
            progress(len(batch))
            now = monotonic()
            result.seconds += now - begin
            if now - begin < SLOW_S:
                size = min(2 * size, LARGEST_BATCH)
            if todo and now - saved > SAVE_EVERY_S:
                await asyncio.to_thread(cache.put, unsaved)
                result.vectors |= unsaved
                unsaved, saved = {}, monotonic()
    except BaseException:
        await asyncio.to_thread(cache.put, unsaved)
        raise
    result.vectors |= unsaved
    return result


async def _embed_batch(
    texts: Mapping[str, str], embedder: Embedder, refused: dict[str, ServiceError]
) -> dict[str, Vector]:
    try:
        return dict(zip(texts, await embedder.passages(list(texts.values())), strict=True))
    except ServiceError as error:
        if error.retryable:
            raise
        if len(texts) == 1:
            refused[next(iter(texts))] = error
            return {}
    found: dict[str, Vector] = {}
    for key, text in texts.items():
        found |= await _embed_batch({key: text}, embedder, refused)
    return found

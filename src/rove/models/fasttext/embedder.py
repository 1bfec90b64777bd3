"""The embedder "fasttext": vectors trained on the base's own texts, which `rove train` makes and a file holds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from rove.errors import ConfigError
from rove.models import Fingerprint, Vectors
from rove.models.fasttext import word_tokens
from rove.models.fasttext.word_vectors import CURE, WordVectors
from rove.settings import EmbedderSettings


class FastTextEmbedder:
    """See `Embedder`. Questions and passages are embedded alike. All of one process share the words of a file."""

    max_distance = 0.65
    min_lead = 0.15
    trust = 0.5
    """As for the static embedder; what the first two let through was measured, see docs/decisions/052-fasttext.md."""

    def __init__(self, settings: EmbedderSettings) -> None:
        """Look at the file that `settings.model` names.

        Raises:
            ConfigError: none is named, it is not there, or it is another kind of file.
        """
        if not settings.model:
            message = 'The embedder "fasttext" needs a file of vectors, and embedder.model is empty.'
            raise ConfigError(message, cure=CURE)
        path = Path(settings.model).expanduser().absolute()
        try:
            known = path.stat()
        except OSError as error:
            message = f"embedder.model is {settings.model!r}, which cannot be read: {error.strerror}."
            raise ConfigError(message, cure=CURE) from error
        self._words = _load_word_vectors(path, known.st_mtime_ns, known.st_size)

    @property
    def fingerprint(self) -> Fingerprint:
        """See `Embedder.fingerprint`: by the bytes of the file, wherever it lies."""
        return Fingerprint(f"fasttext-{self._words.mark}", self._words.dimension)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.passages`."""
        return await asyncio.to_thread(embedded, self._words, texts)

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.queries`."""
        return await asyncio.to_thread(embedded, self._words, texts)


@lru_cache(maxsize=4)
def _load_word_vectors(path: Path, changed_ns: int, size_bytes: int) -> WordVectors:
    """Read a file once for all of a process; `changed_ns` and `size_bytes` tell a new file of the same name."""
    del changed_ns, size_bytes
    return WordVectors(path)


def embedded(words: WordVectors, texts: Sequence[str]) -> Vectors:
    """Return (n, dimension) float32, unit length; the first unit vector for a text that has nothing to add up."""
    totals = np.zeros((len(texts), words.dimension))
    for total, text in zip(totals, texts, strict=True):
        total[:] = words.sum(word_tokens(text))
    totals[~totals.any(axis=1), 0] = 1
    return (totals / np.sqrt(np.add.reduce(totals * totals, axis=1, keepdims=True))).astype(np.float32)

"""Reads a FastText model file, and weighs its words by how rare they are.

    v(w) = (unit(w) - mean) · a / (a + p(w))

unit(w) is the model's vector of the word at unit length, put together of its parts, so that words which it was not
trained on have one too; p(w) is how often the word occurs, by the file (Arora et al., A Simple but Tough-to-Beat
Baseline for Sentence Embeddings, ICLR 2017); mean is that of all its words, weighed alike.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import floret
import numpy as np
from numpy.typing import NDArray

from rove.errors import ConfigError

_library = cast("Any", floret)

SMOOTHING = 1e-3
MAGIC = 793_712_314
HEAD = struct.Struct("<3i")
"""What the library's files begin with: a number of its own, the version, the dimension."""
MARK_CHARS = 12
HELD_WORDS = 100_000
"""Words whose vectors are held, 0.8 kB each."""
CURE = "Make one with: rove train FILE; then set embedder.model to it."


class ModelFile:
    """A model file: what tells it from others, its dimension, and its words, which are read when first asked for."""

    def __init__(self, path: Path) -> None:
        """Read its head and its bytes once.

        Raises:
            ConfigError: it is not there, or not such a file.
        """
        try:
            with path.open("rb") as file:
                magic, _, self.dimension = HEAD.unpack(file.read(HEAD.size))
                file.seek(0)
                self.mark = hashlib.file_digest(file, "sha256").hexdigest()[:MARK_CHARS]
        except (OSError, struct.error) as error:
            message = f"embedder.model is {str(path)!r}, which cannot be read: {error}."
            raise ConfigError(message, cure=CURE) from error
        if magic != MAGIC or self.dimension < 1:
            message = f"embedder.model is {str(path)!r}, which is no file of FastText vectors."
            raise ConfigError(message, cure=CURE)
        self._path = path

    def words(self) -> WordVectors:
        """Load the vectors.

        Raises:
            ConfigError: the file is damaged.
        """
        try:
            return WordVectors(_library.load_model(str(self._path)))
        except (ValueError, RuntimeError, MemoryError) as error:
            message = f"The FastText vectors in {self._path} cannot be loaded: {error}."
            raise ConfigError(message, cure="Train them again: rove train FILE.") from error


class WordVectors:
    """Adds up words. Threads may share one: what is held is only ever replaced by the same."""

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - the library has no types
        self._model = model
        words, counts = cast("tuple[list[str], NDArray[np.int64]]", model.get_words(include_freq=True))
        shares = np.asarray(counts, np.float64) / max(int(counts.sum()), 1)
        self.dimension = int(model.get_dimension())
        self._weights = dict(zip(words, (SMOOTHING / (SMOOTHING + shares)).tolist(), strict=True))
        self._held: dict[str, NDArray[np.float64]] = {}
        self._mean = np.zeros(self.dimension)
        if words:
            weights = shares * SMOOTHING / (SMOOTHING + shares)
            units = np.stack([self._unit(word) for word in words])
            self._mean = weights @ units / weights.sum()

    def sum(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return the sum of the words' vectors: (dimension,)."""
        if not words:
            return np.zeros(self.dimension)
        return np.add.reduce([self._vector(word) for word in words], axis=0)

    def _vector(self, word: str) -> NDArray[np.float64]:
        found = self._held.get(word)
        if found is None:
            if len(self._held) >= HELD_WORDS:
                self._held = {}
            found = self._held[word] = (self._unit(word) - self._mean) * self._weights.get(word, 1.0)
        return found

    def _unit(self, word: str) -> NDArray[np.float64]:
        vector = np.asarray(self._model.get_word_vector(word), np.float64)
        length = float(np.sqrt(np.add.reduce(vector * vector)))
        return vector / length if length else vector


@lru_cache(maxsize=4)
def opened(path: Path, changed_ns: int, size_bytes: int) -> ModelFile:
    """Open a file once for all of a process; `changed_ns` and `size_bytes` tell a new file of the same name."""
    del changed_ns, size_bytes
    return ModelFile(path)

"""The file of FastText vectors, and the sums of its words. Reading takes NumPy alone.

    v(w) = unit((x(w) - mean) @ map) · log(1 + 1 / (COMMON · p(w)))

x(w) is the trained vector of a word; of one that was not met it is the mean of those of its parts, 3 to 6 characters
(Bojanowski et al., Enriching Word Vectors with Subword Information, TACL 2017). p(w) is how often the word occurs, and
of one that was not met as if it had been met a third of a time.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from rove.errors import ConfigError

CHARS = (3, 6)
"""The shortest and the longest part of a word, its ends being marked by < and >."""
COMMON = 30.0
UNMET = 0.3
FNV_OFFSET, FNV_PRIME, WORD_BITS = 2_166_136_261, 16_777_619, 0xFFFF_FFFF
MARK_CHARS = 12
HELD_WORDS = 50_000
"""Words whose vectors are held, 0.8 kB each."""
NAMES = ("words", "counts", "vectors", "buckets", "mean", "map")
CURE = "Make one with: rove train FILE; then set embedder.model to it."
Rows = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Parts:
    """What the file holds: words with their counts and vectors, vectors of parts of words, and how they are mapped.

    `vectors`: (words, dimension); `buckets`: (buckets, dimension); `mean`: (dimension,); `map`: (dimension, dimension).
    """

    words: tuple[str, ...]
    counts: NDArray[np.int64]
    vectors: Rows
    buckets: Rows
    mean: Rows
    map: Rows


def write_vectors(parts: Parts, path: Path) -> None:
    """Write the file: arrays as NumPy has them, without pickles; vectors in 16 bits."""
    with path.open("wb") as file:
        np.savez(
            file,
            words=np.frombuffer("\n".join(parts.words).encode(), np.uint8),
            counts=parts.counts,
            vectors=parts.vectors.astype(np.float16),
            buckets=parts.buckets.astype(np.float16),
            mean=parts.mean,
            map=parts.map,
        )


class WordVectors:
    """Adds up words. `mark` tells the file from others. Threads may share one: what is held is only ever the same."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            ConfigError: it is not there, damaged, or another kind of file.
        """
        try:
            data = path.read_bytes()
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                held = {name: np.asarray(file[name]) for name in NAMES}
            words = held["words"].tobytes().decode().split("\n")
            _check_vector_file_arrays(held, len(words))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            message = f"embedder.model is {str(path)!r}, which cannot be read as FastText vectors: {error}."
            raise ConfigError(message, cure=CURE) from error
        self.mark = hashlib.sha256(data).hexdigest()[:MARK_CHARS]
        self.dimension = int(held["mean"].shape[0])
        self._places: Mapping[str, int] = {word: at for at, word in enumerate(words)}
        self._vectors, self._buckets = held["vectors"], held["buckets"]
        self._mean, self._map = held["mean"].astype(np.float64), held["map"].astype(np.float64)
        total = max(int(held["counts"].sum()), 1)
        shares = np.append(held["counts"], UNMET) / total
        self._weights: list[float] = np.log1p(1 / (COMMON * np.maximum(shares, UNMET / total))).tolist()
        self._held: dict[str, NDArray[np.float64]] = {}

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
            place = self._places.get(word, -1)
            raw = self._vectors[place] if place >= 0 else self._of_parts(word)
            mapped = (raw.astype(np.float64) - self._mean) @ self._map
            length = float(np.sqrt(np.add.reduce(mapped * mapped)))
            found = self._held[word] = mapped * (self._weights[place] / length if length else 0.0)
        return found

    def _of_parts(self, word: str) -> NDArray[np.float64]:
        places = [bucket_of(part, len(self._buckets)) for part in parts_of(word)]
        return self._buckets[places].astype(np.float64).mean(axis=0) if places else self._mean


def parts_of(word: str) -> Iterator[str]:
    """Yield the parts of a word, by their begin; its ends alone are none.

    >>> list(parts_of("sea"))
    ['<se', '<sea', '<sea>', 'sea', 'sea>', 'ea>']
    """
    marked = f"<{word}>"
    for start in range(len(marked)):
        for size in range(CHARS[0], CHARS[1] + 1):
            if start + size <= len(marked):
                yield marked[start : start + size]


def bucket_of(part: str, buckets: int) -> int:
    """Return where the vector of a part stands: FNV-1a, over bytes that have a sign, as the library hashes.

    >>> bucket_of("sea", 50_000) == bucket_of("sea", 50_000)
    True
    """
    value = FNV_OFFSET
    for byte in part.encode():
        value = ((value ^ (byte if byte < 0x80 else byte | 0xFFFF_FF00)) * FNV_PRIME) & WORD_BITS
    return value % buckets


def _check_vector_file_arrays(held: Mapping[str, NDArray[np.generic]], words: int) -> None:
    """Raise `ValueError` unless the arrays fit each other."""
    dimension = held["mean"].size
    shapes = {
        "counts": (words,),
        "vectors": (words, dimension),
        "buckets": (len(held["buckets"]), dimension),
        "mean": (dimension,),
        "map": (dimension, dimension),
    }
    wrong = [name for name, shape in shapes.items() if held[name].shape != shape or held[name].dtype.kind not in "fi"]
    if wrong or not dimension or not len(held["buckets"]):
        message = f"its {', '.join(wrong) or 'arrays'} do not fit"
        raise ValueError(message)

"""Synthetic chunks whose neighbours are known: clustered vectors, and words as frequent as in real English."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

import numpy as np

from bench import DATA
from bench.sets import by_hash, read_docs, read_queries
from rove import Text
from rove.models import EMBEDDERS, Fingerprint
from rove.settings import EmbedderSettings

NAME = "clusters"
DIMENSION = 384
CENTRES = 2_000
SPREAD = 0.8  # length of the noise beside a centre of length 1: neighbours at a cosine of about 0.6
BLOCK = 10_000
WORDS = 60
SLOTS = 100
_NUMBER = re.compile(r"\bn(\d+)\b")


@cache
def centres() -> np.ndarray:
    """(CENTRES, DIMENSION) unit vectors."""
    return unit(np.random.default_rng(7).standard_normal((CENTRES, DIMENSION), np.float32))


@lru_cache(maxsize=2)
def block(number: int) -> np.ndarray:
    """(BLOCK, DIMENSION) unit vectors of the chunks number * BLOCK onwards."""
    return points(np.random.default_rng((11, number)), BLOCK)


def points(rng: np.random.Generator, count: int) -> np.ndarray:
    """Draw unit vectors around centres; popular centres get more."""
    popular = rng.zipf(1.3, count) % CENTRES
    noise = rng.standard_normal((count, DIMENSION), np.float32) * np.float32(SPREAD / DIMENSION**0.5)
    return unit(centres()[popular] + noise)


def unit(rows: np.ndarray) -> np.ndarray:
    """Scale to length 1.

    >>> unit(np.array([[3.0, 4.0]])).tolist()
    [[0.6, 0.8]]
    """
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@cache
def asked() -> tuple[str, ...]:
    """Real claims, the texts of the queries."""
    claims = read_queries(DATA / "scifact_train")
    return tuple(dict.fromkeys(claims[q] for q in by_hash(claims)))


@cache
def query_vectors() -> np.ndarray:
    """One vector for each of `asked`, from the same clusters as the chunks."""
    return points(np.random.default_rng(13), len(asked()))


@cache
def vocabulary() -> tuple[np.ndarray, np.ndarray]:
    """Words of real abstracts and the probability of each."""
    counts = Counter(w for d in read_docs(DATA / "scifact_train") for w in d.text.lower().split())
    words, often = zip(*counts.most_common(60_000), strict=True)
    return np.array(words, dtype=object), np.array(often) / sum(often)


def texts(start: int, count: int) -> Iterator[Text]:
    """Chunks `start` onwards; the first word is the chunk's number, by which its vector is found."""
    words, often = vocabulary()
    drawn = np.random.default_rng((17, start)).choice(len(words), (count, WORDS), p=often)
    for offset, row in enumerate(drawn):
        number = start + offset
        text = f"n{number} {' '.join(words[row])}"[:500]
        yield Text(text, id=f"n{number}", metadata={"slot": number % SLOTS})


class ClusterEmbedder:
    """Gives each synthetic chunk and each claim its vector, and counts the time that takes."""

    max_distance = 2.0
    min_lead = 0.0
    seconds = 0.0

    def __init__(self, settings: EmbedderSettings) -> None:
        del settings
        self.by_claim = {claim: n for n, claim in enumerate(asked())}

    @property
    def fingerprint(self) -> Fingerprint:
        return Fingerprint(NAME, DIMENSION)

    async def passages(self, texts: Sequence[str]) -> np.ndarray:
        started = time.perf_counter()
        numbers = [int(_NUMBER.search(t).group(1)) for t in texts]
        found = np.stack([block(n // BLOCK)[n % BLOCK] for n in numbers]).astype(np.float32)
        ClusterEmbedder.seconds += time.perf_counter() - started
        return found

    async def queries(self, texts: Sequence[str]) -> np.ndarray:
        started = time.perf_counter()
        found = query_vectors()[[self.by_claim[t] for t in texts]]
        ClusterEmbedder.seconds += time.perf_counter() - started
        return found


def register() -> str:
    """Make it known to Rove; return its name."""
    EMBEDDERS.table[NAME] = "bench.clusters:ClusterEmbedder"
    return NAME

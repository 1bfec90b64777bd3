"""Trains FastText vectors on passages, and writes the file that `word_vectors` reads.

By one thread, from the library's fixed seed, so that the same passages give the same vectors again. Few passages are
what this is for: a high rate of learning, and vectors whose directions are made to count more alike, since those of a
small corpus lie in a narrow cone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import floret
import numpy as np
from numpy.typing import NDArray

from rove.errors import ConfigError, InputError
from rove.models.fasttext import word_tokens
from rove.models.fasttext.word_vectors import CHARS, Parts, write_vectors

_library = cast("Any", floret)

DIMENSIONS = (8, 100)
WORDS_A_DIRECTION = 6
"""With more directions than this the few words of a small base would each be alone."""
BUCKETS = 50_000
"""Parts of words share so many vectors."""
RATE = 0.2
AIM_TOKENS = 2_000_000
"""So many tokens are gone through in all: few passages are read many times, and many a few times."""
EPOCHS = (5, 100)
RARE_FROM_TOKENS = 1_000_000
"""From so many on a word that occurs once has no vector of its own, but that of its parts."""
LINE_END = "</s>"
"""The library's own word."""
POWER = 0.25
"""0.5 would whiten wholly, which helps where little could be learned and harms where much was; 0 changes nothing."""
SMALLEST = 1e-6
"""A direction of less variance, as a share of the largest, is not made to count as much as the others."""


@dataclass(frozen=True, slots=True)
class TrainedVectors:
    """What was trained: `file`, on how many passages and tokens, for how many words and how often gone through."""

    file: Path
    passages: int
    tokens: int
    words: int
    epochs: int
    dimension: int


def train_vectors(passages: Iterable[str], file: Path) -> TrainedVectors:
    """Train on passages, and write the file. Blocks: a million tokens take about a minute.

    Raises:
        ConfigError: the file is there already, or its folder is not.
        InputError: the passages hold no words.
    """
    file = file.expanduser().absolute()
    if file.exists():
        message = f"{file} is there already, and bases may have been embedded with it."
        raise ConfigError(message, cure="Choose another name, and move these bases to it: rove migrate")
    if not file.parent.is_dir():
        message = f"There is no folder {file.parent}."
        raise ConfigError(message, cure="Make it, or choose another place.")
    with tempfile.TemporaryDirectory(prefix=".rove-train-", dir=file.parent) as folder:
        corpus, made = Path(folder) / "corpus.txt", Path(folder) / "vectors"
        count, length, different = _write_training_corpus(passages, corpus)
        if not length:
            message = "There are no words to train on."
            raise InputError(message, cure="Add documents first: rove add", outcome="empty")
        dimension = min(max(different // WORDS_A_DIRECTION, DIMENSIONS[0]), DIMENSIONS[1])
        epochs = min(max(AIM_TOKENS // length, EPOCHS[0]), EPOCHS[1])
        model = _library.train_unsupervised(
            str(corpus),
            model="skipgram",
            mode="fasttext",
            bucket=BUCKETS,
            dim=dimension,
            lr=RATE,
            epoch=epochs,
            minCount=1 if length < RARE_FROM_TOKENS else 2,
            minn=CHARS[0],
            maxn=CHARS[1],
            thread=1,
            verbose=0,
        )
        parts = _fasttext_model_parts(model)
        write_vectors(parts, made)
        made.replace(file)
    return TrainedVectors(file, count, length, len(parts.words), epochs, dimension)


def whitening(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the map (dimension, dimension) that gives the directions of centred vectors more like variances."""
    variances, axes = np.linalg.eigh(vectors.T @ vectors / len(vectors))
    return axes / np.maximum(variances, variances[-1] * SMALLEST + np.finfo(np.float32).tiny) ** POWER


def _fasttext_model_parts(model: Any) -> Parts:  # noqa: ANN401 - the library has no types
    """Take out of the library's model what is kept."""
    words, counts = cast("tuple[Sequence[str], NDArray[np.int64]]", model.get_words(include_freq=True))
    kept = [at for at, word in enumerate(words) if word != LINE_END]
    vectors = np.stack([np.asarray(model.get_word_vector(words[at]), np.float64) for at in kept])
    mean = vectors.mean(axis=0)
    return Parts(
        tuple(words[at] for at in kept),
        np.asarray(counts)[kept].astype(np.int64),
        vectors.astype(np.float32),
        np.asarray(model.get_input_matrix()[len(words) :], np.float32),
        mean.astype(np.float32),
        whitening(vectors - mean).astype(np.float32),
    )


def _write_training_corpus(passages: Iterable[str], corpus: Path) -> tuple[int, int, int]:
    """Write a line a passage; returns the numbers of passages, of tokens, and of different ones."""
    count = length = 0
    seen: set[str] = set()
    with corpus.open("w", encoding="utf-8") as lines:
        for passage in passages:
            found = word_tokens(passage)
            lines.write(" ".join(found) + "\n")
            count += 1
            length += len(found)
            seen.update(found)
    return count, length, len(seen)

"""Trains FastText vectors on passages: one thread and the seed that the library has, so that the same passages give the same file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import floret

from rove.errors import ConfigError, InputError
from rove.models.fasttext import tokens

_library = cast("Any", floret)

DIMENSION = 100
BUCKETS = 50_000
HASHES = 2
AIM_TOKENS = 5_000_000
"""So many tokens are gone through in all: few passages are read many times, and many a few times."""
EPOCHS = (5, 50)
RARE_FROM_TOKENS = 1_000_000
"""From so many on a word that occurs once has no place of its own in the vocabulary: parts of it have."""


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
    """Train on passages, and write the model file. Blocks for about a minute for 5 million tokens.

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
        corpus, made = Path(folder) / "corpus.txt", Path(folder) / "model"
        count, length = _written(passages, corpus)
        if not length:
            message = "There are no words to train on."
            raise InputError(message, cure="Add documents first: rove add", outcome="empty")
        epochs = min(max(AIM_TOKENS // length, EPOCHS[0]), EPOCHS[1])
        model = _library.train_unsupervised(
            str(corpus),
            model="skipgram",
            mode="floret",
            hashCount=HASHES,
            bucket=BUCKETS,
            dim=DIMENSION,
            epoch=epochs,
            minCount=1 if length < RARE_FROM_TOKENS else 2,
            thread=1,
            verbose=0,
        )
        model.save_model(str(made))
        made.replace(file)
    return TrainedVectors(file, count, length, len(model.words), epochs, DIMENSION)


def _written(passages: Iterable[str], corpus: Path) -> tuple[int, int]:
    """Write a line a passage; returns the number of passages and that of tokens."""
    count = length = 0
    with corpus.open("w", encoding="utf-8") as lines:
        for passage in passages:
            found = tokens(passage)
            lines.write(" ".join(found) + "\n")
            count += 1
            length += len(found)
    return count, length

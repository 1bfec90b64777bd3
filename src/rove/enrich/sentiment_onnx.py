"""Sentiment by any text classifier in ONNX: a folder with `model.onnx`, `tokenizer.json` and `config.json`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rove.enrich.sentiment import Labels
from rove.errors import ConfigError
from rove.models import Embedder
from rove.models.onnx_folder import OnnxFolder
from rove.settings import EnrichSettings

STARS = re.compile(r"([1-5])\W*stars?")
UNNAMED = {2: (-1, 1), 3: (-1, 0, 1), 5: (-1, -1, 0, 1, 1)}
"""The meaning of classes named LABEL_0, LABEL_1 …, by how many there are: from bad to good, as is the custom."""


class OnnxSentiment:
    """See `SentimentModel`. The class with the highest logit counts; its name says what it means.

    Raises:
        ConfigError: no folder is set, or it does not hold the files, or its classes are not those of a sentiment.
    """

    reads_texts = True
    limits = "the classifier always has an opinion."

    def __init__(self, settings: EnrichSettings, embedder: Embedder) -> None:
        del embedder
        self._model = OnnxFolder(
            settings.model,
            what='The sentiment "onnx"',
            setting="enrich.model",
            threads=settings.threads,
        )
        names = self._model.classes()
        self._labels = np.array(meanings(names), np.float32)
        if not len(self._labels):
            message = f"The classes of {settings.model!r} are {names}, which are not those of a sentiment."
            raise ConfigError(message, cure='Its config.json must have id2label with "positive" and "negative".')

    def scores(self, texts: Sequence[str], vectors: NDArray[np.float32], languages: Sequence[str]) -> Labels:
        """See `SentimentModel.scores`."""
        del vectors, languages
        return self._labels[np.argmax(self._model.logits(texts), axis=1)] if texts else np.zeros(0, np.float32)


def meanings(names: Sequence[str]) -> list[int]:
    """Return −1, 0 or +1 for each class; nothing where the names do not say.

    >>> meanings(["negative", "neutral", "positive"]), meanings(["NEG", "POS"]), meanings(["1 star", "5 stars"])
    ([-1, 0, 1], [-1, 1], [-1, 1])
    >>> meanings(["LABEL_0", "LABEL_1", "LABEL_2"]), meanings(["cat", "dog"])
    ([-1, 0, 1], [])
    """
    plain = [name.strip().lower() for name in names]
    if plain and all(name == f"label_{number}" for number, name in enumerate(plain)):
        return list(UNNAMED.get(len(plain), ()))
    found = [meaning(name) for name in plain]
    known = [value for value in found if value is not None]
    return known if len(known) == len(found) and len(set(known)) > 1 else []


def meaning(name: str) -> int | None:
    """Return what one class means, None where its name does not say."""
    if stars := STARS.match(name):
        return int(np.sign(int(stars[1]) - 3))
    starts = {"pos": 1, "neg": -1, "neu": 0}
    return next((value for start, value in starts.items() if name.startswith(start)), None)

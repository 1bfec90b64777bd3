"""Whether a sentence only points: it says where something stands ("see Annex B"), or that it comes later, not what."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from math import log

from rove.models import Embedder
from rove.question.logistic import Classifier

LEAST_CHANCE = 1e-6


async def pointing(sentence: str, embedder: Embedder) -> float:
    """Return the logit that a sentence only points, by a linear model over its vector.

    The model is fitted for the packaged embedder on `train/pointer_examples.toml`; of another one's vectors it knows
    nothing, and nothing points.

    Raises:
        ServiceError: the embedder failed.
    """
    model = _pointer_classifier()
    if model.made_of != str(embedder.fingerprint) or not sentence.strip():
        return log(LEAST_CHANCE)
    chance = float(model.probabilities(await embedder.passages([sentence]))[0, model.classes.index("points")])
    return log(max(chance, LEAST_CHANCE) / max(1 - chance, LEAST_CHANCE))


@cache
def _pointer_classifier() -> Classifier:
    return Classifier.from_json(files("rove.answer").joinpath("pointer.json").read_text("utf-8"))

"""Multinomial logistic regression over embeddings: small, deterministic, kept as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rove.foreign import read_json
from rove.models import Vectors

STRENGTH = 0.005  # of the L2 penalty on the weights
STEPS = 400
TOLERANCE = 1e-6
LEAST_SPREAD = 1e-9

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Classifier:
    """P(class | vector) = softmax((vector - mean) / spread · weights + bias).

    `weights`: (dimension, classes), `bias`: (classes,), `mean`: (dimension,) float64. `made_of` says of which examples
    and embedder it was made, so that it is made anew when they change.
    """

    classes: tuple[str, ...]
    weights: Floats
    bias: Floats
    mean: Floats
    spread: float
    made_of: str = ""

    def probabilities(self, vectors: Vectors) -> Floats:
        """Return (n, classes) float64; rows sum to 1."""
        return _softmax_rows((vectors - self.mean) / self.spread @ self.weights + self.bias)

    def to_json(self) -> str:
        """Return it as JSON."""
        lists = {"weights": self.weights.tolist(), "bias": self.bias.tolist(), "mean": self.mean.tolist()}
        return json.dumps({"classes": self.classes, "spread": self.spread, "made_of": self.made_of, **lists})

    @classmethod
    def from_json(cls, text: str) -> Classifier:
        """Read what `to_json` wrote.

        Raises:
            ValueError: the text is something else.
        """
        try:
            tree = cast("dict[str, Any]", read_json(text))
            arrays = {name: np.asarray(tree[name], np.float64) for name in ("weights", "bias", "mean")}
            made = cls(tuple(tree["classes"]), **arrays, spread=float(tree["spread"]), made_of=str(tree["made_of"]))
        except (KeyError, TypeError, ValueError) as error:
            message = f"no classifier: {error}"
            raise ValueError(message) from None
        if made.weights.shape != (len(made.mean), len(made.classes)) or made.bias.shape != (len(made.classes),):
            message = "no classifier: its parts do not fit together"
            raise ValueError(message)
        return made


def train(
    vectors: Vectors, labels: Sequence[str], *, strength: float = STRENGTH, steps: int = STEPS, made_of: str = ""
) -> Classifier:
    """Fit by gradient descent with Nesterov's momentum on the mean cross-entropy + strength/2 · |weights|².

    Vectors are centred on their mean and scaled by their mean length, since embeddings crowd together. Classes weigh
    the same, however many examples each has. The same input gives the same classifier.

    >>> made = train(np.eye(4, dtype=np.float32), ["a", "a", "b", "b"])
    >>> [made.classes[i] for i in made.probabilities(np.eye(4, dtype=np.float32)).argmax(1)]
    ['a', 'a', 'b', 'b']

    Args:
        vectors: (n, dimension) float32, unit length.
        labels: the class of each.
        strength: of the penalty.
        steps: of the descent, at most.
        made_of: kept with it.
    """
    classes = tuple(sorted(set(labels)))
    truth = np.array([[label == name for name in classes] for label in labels], np.float64)
    mean = vectors.mean(axis=0).astype(np.float64)
    centred = vectors - mean
    spread = max(float(np.linalg.norm(centred, axis=1).mean()), LEAST_SPREAD)
    x = centred / spread
    share = (truth / truth.sum(axis=0)).sum(axis=1, keepdims=True) / len(classes)
    weights = np.zeros((x.shape[1], len(classes)))
    bias = np.zeros(len(classes))
    rate = 1.0 / (0.5 * float((share * (x**2).sum(axis=1, keepdims=True) + share).sum()) + strength)
    ahead, ahead_bias = weights, bias
    for step in range(steps):
        error = share * (_softmax_rows(x @ ahead + ahead_bias) - truth)
        slope, slope_bias = x.T @ error + strength * ahead, error.sum(axis=0)
        moved, moved_bias = ahead - rate * slope, ahead_bias - rate * slope_bias
        momentum = step / (step + 3)
        ahead, ahead_bias = moved + momentum * (moved - weights), moved_bias + momentum * (moved_bias - bias)
        weights, bias = moved, moved_bias
        if max(np.abs(slope).max(initial=0.0), np.abs(slope_bias).max()) < TOLERANCE:
            break
    return Classifier(classes, weights, bias, mean, spread, made_of)


def _softmax_rows(scores: Floats) -> Floats:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)

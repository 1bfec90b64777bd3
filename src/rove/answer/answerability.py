"""Answerability: whether what a search found answers the question at all, as a chance between 0 and 1.

How near the nearest passage is tells little: some question is always nearest to something. What tells is how the best
passage stands out from the run of those behind it, token by token of the question, and which of the question's words
none of them holds. A small network weighs these; how it was trained, and what it is worth: train/README.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rove.models import Vectors

WEIGHTS = Path(__file__).with_name("answerability.npz")
POOL = 20
"""Passages that are looked at, as many as a reranker sees."""
CLOSEST, RUN_FROM = 3, 5
"""Words are looked for in the first three; the run of a list begins after five, of a shorter one after the first."""
LEAST_RUN = 5
NO_SPAN = -20.0
"""The span's logit of a passage without tokens."""
STRONGEST = 3

Feature = Callable[["Evidence"], float]


@dataclass(frozen=True, slots=True)
class Evidence:
    """How a question of q tokens and t telling terms meets the n passages that were found, best first; n ≥ 1.

    `late` (n,): late interaction's scores. `cosines` (n,): of the vectors. `closest` (n, q): of each question token the
    nearest token's cosine. `held` (n, t) bool: which terms stand in which passage. `spoken` (n,) bool: which passages
    are in the question's language. `answers` and `spans` (n,): the reader's logits that a passage answers, and that its
    best span does, its prefix counted in; `NO_SPAN` where there is none.
    """

    late: Vectors
    cosines: Vectors
    closest: Vectors
    held: NDArray[np.bool_]
    spoken: NDArray[np.bool_]
    answers: Vectors
    spans: Vectors

    def run(self, values: Vectors) -> Vectors:
        """The values of the passages that make up the run of the list; of one passage alone, its own."""
        behind = RUN_FROM if len(values) >= RUN_FROM + LEAST_RUN else 1
        return values[behind:] if len(values) > 1 else values

    def gains(self) -> Vectors:
        """How much nearer each token of the question comes in the best passage than in the run, (q,)."""
        return self.closest[0] - self.run(self.closest).mean(axis=0)

    def rarities(self) -> Vectors:
        """How much each term tells passages apart, (t,): the logarithm of how few hold it."""
        count = len(self.held)
        return np.log((count + 1) / (self.held.sum(axis=0) + 0.5)).astype(np.float32)


def _lead_over_run(values: Vectors, evidence: Evidence) -> float:
    return float(values.max() - evidence.run(np.sort(values)[::-1]).mean())


def _standing_out(evidence: Evidence) -> float:
    run = evidence.run(np.sort(evidence.late)[::-1])
    return float((evidence.late.max() - run.mean()) / (run.std() + 0.02))


def _best_term_coverage(evidence: Evidence) -> float:
    weights = evidence.rarities()
    best = max((float(weights[held].sum()) for held in evidence.held[:CLOSEST]), default=0.0)
    return best / float(weights.sum()) if weights.sum() > 0 else 1.0


def _mean_of_strongest(values: Vectors) -> float:
    return float(np.sort(values)[-STRONGEST:].mean())


def _weakest(values: Vectors) -> float:
    return float(np.sort(values)[: max(1, len(values) // 4)].mean())


FEATURES: dict[str, Feature] = {
    "late": lambda e: float(e.late.max()),
    "cosine": lambda e: float(e.cosines.max()),
    "late_lead": lambda e: _lead_over_run(e.late, e),
    "late_stands_out": _standing_out,
    "late_next": lambda e: float(np.diff(np.sort(e.late)[-2:])[0]) if len(e.late) > 1 else 0.0,
    "cosine_lead": lambda e: _lead_over_run(e.cosines, e),
    "closest_mean": lambda e: float(e.closest[0].mean()),
    "closest_weakest": lambda e: _weakest(e.closest[0]),
    "gain_mean": lambda e: float(e.gains().mean()),
    "gain_square": lambda e: float((e.gains() ** 2).mean()),
    "gain_strongest": lambda e: _mean_of_strongest(e.gains()),
    "terms_covered": _best_term_coverage,
    "terms_missing": lambda e: float((~e.held.any(axis=0)).mean()) if e.held.shape[1] else 0.0,
    "spoken": lambda e: float(e.spoken[0]),
    "spoken_by_none": lambda e: float(not e.spoken.any()),
    "question_tokens": lambda e: min(e.closest.shape[1], 64) / 64,
    "passages": lambda e: len(e.late) / POOL,
    "alone": lambda e: float(len(e.late) == 1),
    "answers": lambda e: float(e.answers.max()),
    "answers_first": lambda e: float(e.answers[0]),
    "spans": lambda e: float(e.spans.max()),
    "spans_first": lambda e: float(e.spans[0]),
}


def features(evidence: Evidence) -> Vectors:
    """Return what the network reads, in the order of `FEATURES`, (features,) float32."""
    return np.array([feature(evidence) for feature in FEATURES.values()], np.float32)


def chance(evidence: Evidence) -> float:
    """Return the chance that the passages answer the question, 0 to 1; at 0.5 one in twenty that do is refused."""
    return _network()(features(evidence), spoken=bool(evidence.spoken[0]))


class Network:
    """Standardised features through one layer of tanh to a logit.

    Arrays: `mean`, `scale` (features,), `inner` (width, features), `inner_bias`, `outer` (width,), `outer_bias` (2,):
    for a best passage in another language than the question's, and for one in the same.
    """

    def __init__(self, path: Path) -> None:
        with np.load(path) as file:
            self._weights = {name: np.asarray(file[name], np.float32) for name in file.files}

    def __call__(self, values: Vectors, *, spoken: bool) -> float:
        """Return the chance for the features of one question."""
        w = self._weights
        hidden = np.tanh(w["inner"] @ ((values - w["mean"]) / w["scale"]) + w["inner_bias"])
        return float(1 / (1 + np.exp(-(w["outer"] @ hidden + w["outer_bias"][int(spoken)]))))


@cache
def _network() -> Network:
    return Network(WEIGHTS)

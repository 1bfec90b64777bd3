"""Checks (a) and (b): Rove's metrics on the stored rankings against the published scores, digit by digit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from reproduce.study import Study
from rove.evaluate.compare import ranks
from rove.evaluate.gain import dcg
from rove.evaluate.metrics import Gold, Scores, measure

METRICS = ("rr", "ext_rr", "ndcg_blind")
PUBLISHED = {"rr": "rr", "ext_rr": "ext_rr", "ndcg_blind": "ndcg"}
TITLES = {"rr": "RR", "ext_rr": "ExtRR", "ndcg_blind": "nDCG as published", "ndcg": "nDCG, standard"}
EPSILON = 5e-7
"""What the study added to the ideal DCG before it divided, so that nothing found gave 0: its only trace in the data."""
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Agreement:
    """How one metric compares with what was published, over configurations and questions.

    `different` counts values that are further than `TOLERANCE` apart, `furthest` is the largest difference.
    """

    metric: str
    compared: int
    different: int
    furthest: float


def measured(study: Study, config: str, names: Sequence[str] = METRICS, gold: Gold | None = None) -> Scores:
    """Rove's metrics on one stored configuration; each chunk of a post counts, as it did in the study."""
    rankings = {
        query: [place.post for place in places] for (code, query), places in study.rankings.items() if code == config
    }
    return measure(names, rankings, study.gold if gold is None else gold, duplicates="each")


def as_published(study: Study, config: str, scores: Scores) -> dict[str, dict[str, float]]:
    """Rove's scores of the questions that have a stored ranking, in the form in which the study wrote them.

    nDCG: DCG / (IDCG + EPSILON) = nDCG · IDCG / (IDCG + EPSILON).
    """
    found: dict[str, dict[str, float]] = {metric: {} for metric in METRICS}
    for query in study.questions:
        places = study.rankings.get((config, query))
        if places is None:
            continue
        for metric in METRICS:
            found[metric][query] = scores.values[metric][query] or 0.0
        ideal = dcg(sorted((study.gold[query].get(place.post, 0) for place in places), reverse=True))
        found["ndcg_blind"][query] *= ideal / (ideal + EPSILON)
    return found


def compare(study: Study) -> list[Agreement]:
    """Compare each metric on every stored ranking with the published value of the same question."""
    differences: dict[str, list[float]] = {metric: [] for metric in METRICS}
    for config in study.stored:
        for metric, values in as_published(study, config, measured(study, config)).items():
            for query, ours in values.items():
                theirs = getattr(study.published[config, query], PUBLISHED[metric])
                differences[metric].append(1.0 if theirs is None else abs(ours - theirs))
    return [
        Agreement(metric, len(found), sum(d > TOLERANCE for d in found), max(found))
        for metric, found in differences.items()
    ]


def summary(study: Study, config: str) -> dict[str, float]:
    """The published form of a stored configuration: RR and ExtRR over all questions, nDCG over those with a ranking.

    A question without a stored ranking (there are two, on Kraken) counts 0 in the first two.
    """
    found = as_published(study, config, measured(study, config))
    return {
        metric: sum(values.values()) / len(values if metric == "ndcg_blind" else study.questions)
        for metric, values in found.items()
    }


def published_summary(study: Study, config: str) -> dict[str, float]:
    """The same three means from the file of published scores."""
    rows = [study.published[config, query] for query in study.questions if (config, query) in study.published]
    ndcgs = [row.ndcg for row in rows if row.ndcg is not None]
    return {
        "rr": sum(row.rr for row in rows) / len(rows),
        "ext_rr": sum(row.ext_rr for row in rows) / len(rows),
        "ndcg_blind": sum(ndcgs) / len(ndcgs),
    }


@dataclass(frozen=True, slots=True)
class Ranks:
    """A configuration's rank in each metric among all that are published, and the mean, as published and as Rove ranks.

    `published`: those with the same score have each the best of their ranks; `ours`: they share the mean.
    """

    config: str
    published: dict[str, float]
    ours: dict[str, float]

    @property
    def means(self) -> tuple[float, float]:
        """The mean rank as published, and ours."""
        return mean(self.published.values()), mean(self.ours.values())


def ranked(study: Study, config: str) -> Ranks:
    """Rank a configuration among all that have published scores."""
    rows = {code: published_summary(study, code) for code in study.configs}
    tables = {metric: {code: row[metric] for code, row in rows.items()} for metric in METRICS}
    published, ours = (
        {metric: ranks(values, ties)[config] for metric, values in tables.items()} for ties in ("best", "mean")
    )
    return Ranks(config, published, ours)


def digits(means: dict[str, float]) -> str:
    """Write the three numbers as the study did.

    >>> digits({"rr": 0.5, "ext_rr": 0.25, "ndcg_blind": 1.0})
    '0.500000 0.250000 1.000000'
    """
    return " ".join(f"{means[metric]:.6f}" for metric in METRICS)

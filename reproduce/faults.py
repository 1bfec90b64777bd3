"""Check (d): the study's two known faults in numbers, and what the ranking of its configurations becomes without them.

One: with both prefilters on, the second was written over the first, so that 40 of the 160 configurations are others
under a second name. Two: the published nDCG takes the found list as its own ideal, and so cannot see what is missing.
Beside them, a third: results are chunks, so that one post counts as often as it was found (ExtRR passes 1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reproduce.reranks import rerank
from reproduce.scores import METRICS, published_summary
from reproduce.study import Config, Stored, Study
from rove.evaluate.compare import mean_ranks, ranks
from rove.evaluate.metrics import measure
from rove.retrieve.rules import RULES

MENDED = ("rr", "ext_rr", "ndcg")
Means = Mapping[str, Mapping[str, float]]
"""Metric → configuration → mean."""


@dataclass(frozen=True, slots=True)
class Filtered:
    """What the stored places of one prefilter hold: shares of short questions and of submissions."""

    filters: str
    places: int
    short: float
    submissions: float


@dataclass(frozen=True, slots=True)
class Overwritten:
    """Configurations with both prefilters beside those with the first alone.

    `stored` pairs of stored rankings, of which `identical` place for place and `in_ties` but for the order of equally
    distant posts; `configs` pairs of published configurations, of which `same` in every score of every question.
    """

    stored: int
    identical: int
    in_ties: int
    configs: int
    same: int
    distinct: int


def filtered(study: Study) -> list[Filtered]:
    """Say what each prefilter let through."""
    found: list[Filtered] = []
    for filters in ("00", "10", "01", "11"):
        places = [p for (code, _), all_ in study.rankings.items() if Config(code).filters == filters for p in all_]
        submissions = sum(is_submission(place) for place in places)
        short = sum(place.short for place in places)
        found.append(Filtered(filters, len(places), short / len(places), submissions / len(places)))
    return found


def overwritten(study: Study) -> Overwritten:
    """Hold every configuration with both prefilters against the one with the first alone."""
    stored = identical = in_ties = same = 0
    both = [code for code in study.configs if Config(code).filters == "11"]
    for code in both:
        other = with_filters(code, "10")
        for query in study.questions:
            if (code, query) in study.rankings:
                left, right = study.rankings[code, query], study.rankings[other, query]
                stored += 1
                alike = [p.same for p in left] == [p.same for p in right]
                identical += alike
                in_ties += not alike and untied(left) == untied(right)
        same += all(study.published.get((code, q)) == study.published.get((other, q)) for q in study.questions)
    return Overwritten(stored, identical, in_ties, len(both), same, len(study.configs) - len(both))


def untied(places: Sequence[Stored]) -> list[float]:
    """What of a ranking does not depend on the order of ties: the distances, place by place, sorted."""
    return sorted(place.distance for place in places)


def with_filters(code: str, filters: str) -> str:
    """Exchange the prefilters of a configuration's code.

    >>> with_filters("010011110", "10")
    '010010110'
    """
    return code[:4] + filters + code[6:]


def is_submission(place: Stored) -> bool:
    """Say whether a place holds a submission, by its name."""
    return place.post.startswith("t3_")


def published_means(study: Study, configs: Sequence[str]) -> Means:
    """The three published means of configurations."""
    means = {config: published_summary(study, config) for config in configs}
    return {metric: {config: mean[metric] for config, mean in means.items()} for metric in METRICS}


def mended_means(study: Study, configs: Sequence[str]) -> Means:
    """RR, ExtRR and the standard nDCG, each post counted once, a question without anything found as 0.

    With both prefilters: the search without short questions, and the submissions taken out of its places before the
    rules apply. That is exactly what the mended search would have given, as far down as it goes (about 43 places).
    """
    means: dict[str, dict[str, float]] = {metric: {} for metric in MENDED}
    for code in configs:
        found = {query: [p.post for p in mended(study, code, query)] for _, query in keys(study, code)}
        scores = measure(MENDED, found, study.gold)
        for metric in MENDED:
            means[metric][code] = scores.mean(metric, undefined=0.0) or 0.0
    return means


def mended(study: Study, code: str, query: str) -> Sequence[Stored]:
    """The stored ranking; where both prefilters were meant, the one that they would have given together."""
    config = Config(code)
    if config.filters != "11":
        return study.rankings[code, query]
    kept = [p for p in study.rankings[with_filters(config.unreranked, "10"), query] if not is_submission(p)]
    return rerank(kept, [RULES.get(name)() for name in config.rules])


def keys(study: Study, code: str) -> list[tuple[str, str]]:
    """The stored rankings of one configuration."""
    return [key for key in study.rankings if key[0] == code]


@dataclass(frozen=True, slots=True)
class Standing:
    """One configuration as published and as mended: its means, its mean rank, and its place in that order, from 1."""

    config: str
    published: Mapping[str, float]
    mended: Mapping[str, float]
    rank_published: float
    rank_mended: float
    place_published: float
    place_mended: float


def standings(study: Study) -> list[Standing]:
    """Rank the stored configurations as published and as mended, best mended first."""
    before, after = published_means(study, study.stored), mended_means(study, study.stored)
    mean_before, mean_after = mean_ranks(before), mean_ranks(after)
    place_before = ranks({config: -rank for config, rank in mean_before.items()})
    place_after = ranks({config: -rank for config, rank in mean_after.items()})
    found = [
        Standing(
            config,
            {metric: before[metric][config] for metric in METRICS},
            {metric: after[metric][config] for metric in MENDED},
            mean_before[config],
            mean_after[config],
            place_before[config],
            place_after[config],
        )
        for config in study.stored
    ]
    return sorted(found, key=lambda standing: (standing.rank_mended, standing.config))

"""What a sweep says: each configuration beside the baseline, what each factor is worth, and which are never beaten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rove.evaluate.answering import AnswerLine
from rove.evaluate.ask_all import question_key
from rove.evaluate.compare import RESAMPLES, PairedComparison, bootstrap, compare, holm, mean_ranks, ranks, sign_flip
from rove.evaluate.cost import Summary, summarize
from rove.evaluate.dataset import Dataset
from rove.evaluate.grid import Factor, Grid
from rove.evaluate.metrics import Coverage, Scores
from rove.evaluate.plan import Plan
from rove.evaluate.results import Ingested, Outcome, Results
from rove.evaluate.scoring import score

MOST_DRAWS = 2_000_000_000
"""Values drawn by all bootstraps together; with more configurations and questions each makes fewer resamples."""
LEAST_RESAMPLES = 1_000
UNRANKED = ("judged",)
"""Metrics that say how far others can be trusted, and not how good a configuration is."""


@dataclass(frozen=True, slots=True)
class StudyLine:
    """One configuration. `means`, `ranks` and `beside` (the comparison with the baseline) go by metric.

    `p_values` are Holm's, over all configurations, by metric. `same_as` names an equal configuration that came before.
    `latency` is in seconds; `base` is what it took to make the base.
    """

    name: str
    choices: Mapping[str, str]
    means: Mapping[str, float | None]
    coverage: Mapping[str, Coverage]
    ranks: Mapping[str, float]
    mean_rank: float
    beside: Mapping[str, PairedComparison | None]
    p_values: Mapping[str, float]
    latency: Summary | None
    base: Ingested | None
    errors: int = 0
    same_as: str = ""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a choice is worth beside the factor's first one, over all pairs that differ in nothing else.

    `mean` is the mean of the configurations with the choice, where the factor is varied at all. `pairs`: how many pairs
    the difference rests on; None and 0 for the first choice itself.
    """

    factor: str
    choice: str
    metric: str
    mean: float | None
    pairs: int
    beside: PairedComparison | None


@dataclass(frozen=True, slots=True)
class Study:
    """Everything that a report says of a sweep. `lines` are in the order of the mean rank.

    `answers`: what was answered; none where nothing was to be.
    """

    grid: Grid
    dataset: str
    questions: Mapping[str, str]
    documents: int
    lines: tuple[StudyLine, ...]
    effects: tuple[Effect, ...]
    frontiers: Mapping[str, tuple[str, ...]]
    scores: Mapping[str, Scores]
    outcomes: Mapping[str, Mapping[str, Outcome]]
    answers: tuple[AnswerLine, ...] = ()

    def line(self, name: str) -> StudyLine:
        """The line of a configuration."""
        return next(line for line in self.lines if line.name == name)

    @property
    def baseline(self) -> StudyLine:
        """The line of the baseline."""
        return self.line(self.grid.baseline)


def study(grid: Grid, plan: Plan, dataset: Dataset, results: Results) -> Study:
    """Work out what a sweep says; configurations that were not run yet are left out."""
    outcomes: dict[str, Mapping[str, Outcome]] = {}
    by_key: dict[str, Mapping[str, Outcome]] = {}
    asked = {question_key(question) for question in dataset.questions}
    for name, key in plan.keys.items():
        if key not in by_key:
            by_key[key] = {q: outcome for q, outcome in results.outcomes(key).items() if q in asked}
        if by_key[key]:
            outcomes[name] = by_key[key]
    scores = {name: score(grid.metrics, found, dataset, each_place=grid.each_place) for name, found in outcomes.items()}
    resamples = _resamples(len(scores) * len(grid.metrics), len(dataset.questions))
    bases = {name: results.ingest(plan.base_of[name]) for name in outcomes}
    lines = _study_lines(grid, plan, outcomes, scores, bases, resamples)
    return Study(
        grid=grid,
        dataset=dataset.name,
        questions={question.question_id: question.text for question in dataset.questions},
        documents=max((base.documents for base in bases.values() if base), default=0),
        lines=lines,
        effects=tuple(e for factor in grid.factors for e in effects(grid, factor, scores, resamples)),
        frontiers={metric: frontier(lines, metric) for metric in grid.metrics},
        scores=scores,
        outcomes=outcomes,
    )


def _study_lines(
    grid: Grid,
    plan: Plan,
    outcomes: Mapping[str, Mapping[str, Outcome]],
    scores: Mapping[str, Scores],
    bases: Mapping[str, Ingested | None],
    resamples: int,
) -> tuple[StudyLine, ...]:
    means = {metric: {name: own.mean(metric) for name, own in scores.items()} for metric in grid.metrics}
    places = {metric: ranks(values, grid.ties) for metric, values in means.items()}
    ranked = {m: own for m, own in means.items() if m.partition("@")[0] not in UNRANKED} or means
    overall = mean_ranks(ranked, grid.ties)
    beside = {metric: _baseline_comparisons(grid.baseline, metric, scores, resamples) for metric in grid.metrics}
    p_values = {
        metric: holm({name: found.p_value for name, found in own.items() if found is not None})
        for metric, own in beside.items()
    }
    firsts: dict[str, str] = {}
    lines: list[StudyLine] = []
    for configuration in grid.configurations:
        name = configuration.name
        if name not in scores:
            continue
        first = firsts.setdefault(plan.keys[name], name)
        lines.append(
            StudyLine(
                name=name,
                choices=configuration.choices,
                means={metric: means[metric][name] for metric in grid.metrics},
                coverage={metric: scores[name].coverage(metric) for metric in grid.metrics},
                ranks={metric: places[metric][name] for metric in grid.metrics},
                mean_rank=overall[name],
                beside={metric: beside[metric].get(name) for metric in grid.metrics},
                p_values={metric: own[name] for metric, own in p_values.items() if name in own},
                latency=summarize([o.seconds for o in outcomes[name].values() if not o.error]),
                base=bases[name],
                errors=sum(bool(outcome.error) for outcome in outcomes[name].values()),
                same_as="" if first == name else first,
            )
        )
    return tuple(sorted(lines, key=lambda line: line.mean_rank))


def _baseline_comparisons(
    baseline: str, metric: str, scores: Mapping[str, Scores], resamples: int
) -> dict[str, PairedComparison | None]:
    """Compare every configuration with the baseline; equal values are compared once."""
    if baseline not in scores:
        return {}
    known: dict[tuple[float | None, ...], PairedComparison | None] = {}
    found: dict[str, PairedComparison | None] = {}
    for name, own in scores.items():
        if name != baseline:
            values = own.values[metric]
            key = tuple(values.values())
            if key not in known:
                known[key] = compare(values, scores[baseline].values[metric], resamples=resamples)
            found[name] = known[key]
    return found


def effects(grid: Grid, factor: Factor, scores: Mapping[str, Scores], resamples: int = RESAMPLES) -> list[Effect]:
    """Say what each choice of a factor is worth, by each metric.

    The difference of one question is the mean over all pairs of configurations that differ in this factor only; its
    interval and p-value come of the questions.
    """
    twins = {tuple(c.choices.items()): c.name for c in grid.configurations if c.name in scores}
    varied = [
        c
        for c in grid.configurations
        if c.name in scores and all(c.choices[other] in names for other, names in factor.when.items())
    ]
    found: list[Effect] = []
    first = factor.choices[0].name
    for choice in factor.choices:
        own = [c for c in varied if c.choices[factor.name] == choice.name]
        pairs: list[tuple[str, str]] = []
        for one in own if choice.name != first else ():
            other = twins.get(tuple({**one.choices, factor.name: first}.items()))
            if other is not None:
                pairs.append((one.name, other))
        for metric in grid.metrics:
            known = [value for c in own if (value := scores[c.name].mean(metric)) is not None]
            mean = sum(known) / len(known) if known else None
            beside = _compare_configuration_pairs(pairs, metric, scores, resamples)
            found.append(Effect(factor.name, choice.name, metric, mean, len(pairs), beside))
    return found


def _compare_configuration_pairs(
    pairs: Sequence[tuple[str, str]], metric: str, scores: Mapping[str, Scores], resamples: int
) -> PairedComparison | None:
    by_question: dict[str, list[float]] = {}
    for one, other in pairs:
        theirs = scores[other].values[metric]
        for question, value in scores[one].values[metric].items():
            beside = theirs.get(question)
            if value is not None and beside is not None:
                by_question.setdefault(question, []).append(value - beside)
    values = np.array([sum(own) / len(own) for own in by_question.values()], np.float64)
    interval, p_value = bootstrap(values, resamples=resamples), sign_flip(values, resamples=resamples)
    return PairedComparison(interval, p_value) if interval is not None and p_value is not None else None


def frontier(lines: Sequence[StudyLine], metric: str) -> tuple[str, ...]:
    """Return the configurations that none beats in quality, median latency and chunks to keep at once, best first."""
    points = [
        (line.name, mean, line.latency.p50, float(line.base.chunks if line.base else 0))
        for line in lines
        if (mean := line.means[metric]) is not None and line.latency is not None and not line.same_as
    ]
    return undominated([(name, (quality, -seconds, -chunks)) for name, quality, seconds, chunks in points])


def undominated(points: Sequence[tuple[str, tuple[float, ...]]]) -> tuple[str, ...]:
    """Return the names of the points of the Pareto front: no other is as good in everything and better in something.

    Higher is better. In the order of the first number, the highest first.

    >>> undominated([("a", (0.9, -5.0)), ("b", (0.8, -1.0)), ("c", (0.7, -2.0))])
    ('a', 'b')
    """
    kept = [
        (name, own)
        for name, own in points
        if not any(other != own and all(o >= v for o, v in zip(other, own, strict=True)) for _, other in points)
    ]
    return tuple(name for name, _ in sorted(kept, key=lambda point: (-point[1][0], point[0])))


def _resamples(comparisons: int, questions: int) -> int:
    return max(LEAST_RESAMPLES, min(RESAMPLES, MOST_DRAWS // max(1, comparisons * questions)))

"""One configuration over one dataset: what `rove eval` runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rove.evaluate.ask_all import ask_all
from rove.evaluate.configuration import Configuration
from rove.evaluate.cost import Summary, summarize
from rove.evaluate.dataset import Dataset
from rove.evaluate.lab import Lab
from rove.evaluate.metrics import Scores
from rove.evaluate.plan import Way
from rove.evaluate.results import Outcome
from rove.evaluate.scoring import need_nearness, score

ALONE = "one"


@dataclass(frozen=True, slots=True)
class ConfigurationScores:
    """What one configuration reached. `outcomes` go by the name of the question; `latency` is in seconds."""

    scores: Scores
    outcomes: Mapping[str, Outcome]
    latency: Summary | None


async def evaluate(
    lab: Lab, dataset: Dataset, configuration: Configuration, metrics: Sequence[str], *, each_place: bool = False
) -> ConfigurationScores:
    """Ask a base every question, and score what is found.

    Raises:
        ConfigError, ServiceError: the base cannot be asked so, or a model has failed.
    """
    found: dict[str, Outcome] = {}

    def keep(outcomes: Sequence[Outcome]) -> None:
        found.update((outcome.question, outcome) for outcome in outcomes)

    if need_nearness(metrics):
        lab.compare()
    await ask_all(lab, [Way(ALONE, configuration)], dataset.questions, dataset.gold, (), keep)
    scores = score(metrics, found, dataset, each_place=each_place)
    return ConfigurationScores(scores, found, summarize([o.seconds for o in found.values() if not o.error]))

"""The effect of each choice: how far the mean of configurations moves with it, and whether chance could do the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from reproduce import BASELINE, BEST
from reproduce.faults import Means, with_filters
from reproduce.study import EMBEDDINGS, RULES, Config, Study
from rove.evaluate.compare import PairedComparison, compare


@dataclass(frozen=True, slots=True)
class Effect:
    """One choice of one factor, and the means of each metric over the configurations that made it."""

    factor: str
    choice: str
    configs: int
    means: dict[str, float]


def effects(means: Means, configs: Sequence[str]) -> list[Effect]:
    """Average each metric over the configurations that share a choice."""
    found: list[Effect] = []
    choices = [("cut", name) for name in EMBEDDINGS]
    choices += [("prefilter", filters) for filters in ("00", "10", "01", "11")]
    choices += [(rule, flag) for rule in RULES for flag in ("off", "on")]
    for factor, choice in choices:
        chosen = [config for config in configs if choice_of(Config(config), factor) == choice]
        if chosen:
            averages = {metric: mean(values[config] for config in chosen) for metric, values in means.items()}
            found.append(Effect(factor, choice, len(chosen), averages))
    return found


def choice_of(config: Config, factor: str) -> str:
    """What a configuration chose.

    >>> choice_of(Config("010010110"), "cut"), choice_of(Config("010010110"), "agree")
    ('512+meta', 'on')
    """
    if factor == "cut":
        return config.embedding
    if factor == "prefilter":
        return config.filters
    return "on" if factor in config.rules else "off"


def paired(study: Study) -> dict[str, PairedComparison]:
    """Differences in the published RR of single choices, question by question, with intervals and p-values."""
    pairs = {
        "best against baseline": (BEST, BASELINE),
        "its rules against none": (BEST, Config(BEST).unreranked),
        "512+meta against 512": ("010000000", BASELINE),
        "without short questions against with": (with_filters("010000000", "10"), "010000000"),
        "without submissions against with": (with_filters("010000000", "01"), "010000000"),
    }
    found: dict[str, PairedComparison] = {}
    for title, (ours, theirs) in pairs.items():
        values = [{query: study.published[code, query].rr for query in study.questions} for code in (ours, theirs)]
        if made := compare(*values):
            found[title] = made
    return found

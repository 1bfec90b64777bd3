"""What every metric promises: a finite number or none, the better the higher."""

from __future__ import annotations

import math
import random

from rove.evaluate.judged import JudgedRanking, relevant_ids
from rove.evaluate.metrics import METRICS, Metric, measure
from rove.testing.contract import Contract

GRADES = {"a": 2, "b": 1, "c": 1, "x": 0, "y": 0, "z": -1}
IDEAL = ("a", "b", "c", "x", "y", "z")
CUTS = (None, 1, 3, 100)


def judged(*ranking: str, cut: int | None = None, grades: dict[str, int] = GRADES) -> JudgedRanking:
    """Return a ranking of `GRADES`."""
    return JudgedRanking(ranking, grades, relevant_ids(grades), cut)


class MetricContract(Contract):
    """Inherit it, and give `name`, or `make`."""

    registry = METRICS

    def make(self) -> Metric:
        """Return the metric: a function."""
        return self.registered()

    def test_no_order_is_better_than_the_ideal_one(self) -> None:
        """All that is relevant first, the highest grade at the top: no order of the same scores higher, at no cut."""
        metric, chance = self.make(), random.Random(1)
        for cut in CUTS:
            best = metric(judged(*IDEAL, cut=cut))
            assert best is not None
            assert math.isfinite(best)
            for _ in range(50):
                value = metric(judged(*chance.sample(IDEAL, k=len(IDEAL)), cut=cut))
                assert value is not None
                assert 0 <= value <= best

    def test_any_ranking_has_a_number_or_none(self) -> None:
        """Of any length, with ids that were never judged, and with one that comes twice."""
        metric, chance = self.make(), random.Random(2)
        for cut in CUTS:
            for _ in range(50):
                value = metric(
                    judged(*chance.choices([*IDEAL, "unjudged", "unknown"], k=chance.randint(0, 8)), cut=cut)
                )
                assert value is None or (math.isfinite(value) and value >= 0)

    def test_nothing_found_is_worth_nothing(self) -> None:
        """An empty ranking scores 0, or has no score; so does a question of which nothing is known."""
        assert not self.make()(judged())
        assert not self.make()(judged(grades={}))
        assert not self.make()(judged("a", "b", grades={"q": 0}))

    def test_it_is_measured_by_its_name(self) -> None:
        """A name of the registry, with a cut, can stand in a list of metrics."""
        if self.name:
            scores = measure([self.name, f"{self.name}@3"], {"q": IDEAL}, {"q": GRADES})
            assert scores.mean(self.name) == self.make()(judged(*IDEAL))
            assert str(scores.coverage(f"{self.name}@3")) == "1/1"

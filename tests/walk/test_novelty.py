"""Which facts a walk knows already: nearness alone is not enough where sources contradict each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rove.records.walk_events import Fact
from rove.walk.novelty import SAME, said_already


class Cosines:
    """An embedder for which the known facts lie at these cosines to the new one, in their order."""

    def __init__(self, *cosines: float) -> None:
        self.cosines = cosines
        self.asked: list[str] = []

    async def passages(self, texts: Sequence[str]) -> np.ndarray:
        self.asked = list(texts)
        cosines = [1.0, *self.cosines][: len(texts)]
        return np.array([[cosine, np.sqrt(1 - cosine**2)] for cosine in cosines], np.float32)


def fact(text: str, name: str = "") -> Fact:
    return Fact(name or text, text, 1.0, 1)


CONTRADICTIONS = {
    "en": ("Leave takes 3 days.", "Leave takes 5 days.", "Leave does not take 3 days."),
    "de": ("Urlaub dauert 3 Tage.", "Urlaub dauert 5 Tage.", "Urlaub dauert nicht 3 Tage."),
    "hu": ("A szabadság 3 nap.", "A szabadság 5 nap.", "A szabadság nem 3 nap."),
    "zh": ("年假三天内批准。", "年假五天内批准。", "年假三天内不批准。"),
    "ja": ("休暇は3日以内に承認する。", "休暇は5日以内に承認する。", "休暇は3日以内に承認しない。"),
}


@pytest.mark.parametrize("language", CONTRADICTIONS)
async def test_facts_that_contradict_are_both_kept_however_near_they_are(language: str) -> None:
    said, other_number, negated = map(fact, CONTRADICTIONS[language])
    alike = Cosines(1.0, 1.0)
    assert await said_already(said, [other_number], alike, language) is None
    assert await said_already(said, [negated], alike, language) is None
    assert await said_already(other_number, [said, negated], alike, language) is None
    assert alike.asked == []  # where none claims the same, nothing is embedded
    again = fact(f"({said.text}) …", "again")
    assert await said_already(again, [negated, said], alike, language) is said


async def test_facts_say_the_same_from_a_cosine_on() -> None:
    assert SAME == 0.97
    new, one, two = fact("The office closes early."), fact("Early closing of the office."), fact("It shuts early.")
    assert await said_already(new, [one, two], Cosines(0.98, 0.6), "en") is one
    assert await said_already(new, [one, two], Cosines(0.98, 0.99), "en") is two
    assert await said_already(new, [one, two], Cosines(0.96, 0.95), "en") is None
    assert await said_already(new, [], Cosines(), "en") is None


async def test_the_same_id_or_the_same_words_need_no_embedder() -> None:
    known = [fact("Leave takes 3 days.", "a"), fact("Lunch is at noon.", "b")]
    nothing = Cosines()
    assert await said_already(fact("Something else.", "b"), known, nothing, "en") is known[1]
    assert await said_already(fact("“leave takes 3 days”", "c"), known, nothing, "en") is known[0]
    assert nothing.asked == []

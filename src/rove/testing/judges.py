"""What every judge promises: chances, and spans that stand in the passage."""

from __future__ import annotations

import math

from rove.models.judge import JUDGES, Judge
from rove.settings import JudgeSettings
from rove.testing.contract import Contract, waited
from rove.testing.samples import ODD_TEXTS, QUESTIONS, TEXTS

CLOSE = 1e-3


class JudgeContract(Contract):
    """Inherit it, and give `name`, or `make`."""

    registry = JUDGES

    def make(self) -> Judge:
        """Return the judge."""
        return self.registered()(JudgeSettings(name=self.name))

    @waited
    async def test_support_is_three_chances(self) -> None:
        """They lie between 0 and 1 and add up to 1, and are the same when asked again."""
        judge = self.make()
        for claim in TEXTS.values():
            premise = next(iter(TEXTS.values()))
            found = await judge.supported(claim, premise)
            chances = (found.supported, found.neither, found.contradicted)
            assert all(0 <= chance <= 1 for chance in chances)
            assert math.isclose(sum(chances), 1, abs_tol=CLOSE)
            assert math.isclose((await judge.supported(claim, premise)).supported, found.supported, abs_tol=CLOSE)

    @waited
    async def test_answers_is_a_chance_and_its_span_stands_in_the_passage(self) -> None:
        """A span is not empty and within the passage; a judge that cannot say where gives none."""
        judge = self.make()
        for language, question in QUESTIONS.items():
            passage = TEXTS[language]
            assert 0 <= await judge.answers(question, passage) <= 1
            found = await judge.span(question, passage)
            if found is not None:
                start, end = found.span
                assert 0 <= start < end <= len(passage)
                assert passage[start:end].strip()
                assert math.isfinite(found.score)

    @waited
    async def test_odd_texts_are_no_trouble(self) -> None:
        """Signs, blanks and endless texts are judged like any others, on either side."""
        judge = self.make()
        question, passage = QUESTIONS["en"], TEXTS["en"]
        for odd in ODD_TEXTS:
            for first, second in ((question, odd), (odd, passage)):
                assert 0 <= await judge.answers(first, second) <= 1
                assert 0 <= (await judge.supported(first, second)).supported <= 1
                found = await judge.span(first, second)
                assert found is None or 0 <= found.span[0] < found.span[1] <= len(second)

"""How sentences are chosen as quotes: the numbers of their score, with an embedder whose cosines are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from rove.answer.extract import best_quotes, list_candidates
from rove.records import Chunk, Hit

QUESTION = "Who approves remote work?"


class Given:
    """An embedder for which texts lie at given cosines to any question; others at 0."""

    def __init__(self, cosines: Mapping[str, float]) -> None:
        self.cosines = cosines

    async def queries(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[1.0, 0.0]] * len(texts), np.float32)

    async def passages(self, texts: Sequence[str]) -> np.ndarray:
        found = [self.cosines.get(text, 0.0) for text in texts]
        return np.array([[cosine, np.sqrt(1 - cosine**2)] for cosine in found], np.float32)


def hit(name: str, text: str) -> Hit:
    return Hit(Chunk(name, f"d-{name}", text, (0, len(text)), 0, language="en"), 1.0)


async def chosen(cosines: Mapping[str, float], *texts: str, quotes: int = 9) -> list[str]:
    hits = [hit(str(n), text) for n, text in enumerate(texts)]
    return [one.text for one in await best_quotes(QUESTION, hits, "en", Given(cosines), quotes=quotes)]  # pyright: ignore


A, B, C = "The head approves all remote work.", "Boats are painted on Mondays.", "Remote islands have few boats."


async def test_meaning_and_words_weigh_the_same() -> None:
    """Of the question's three terms A has all, C one; ranks weigh a tenth each."""
    assert await chosen({A: 1.0, B: 0.0}, A, B) == [A]
    assert (await chosen({A: 0.0, B: 1.0}, B, A))[0] == B  # 0.5 + 0.1 against 0.5 + 0.05
    assert (await chosen({A: 0.0, B: 1.0}, A, B))[0] == A  # 0.5 + 0.1 against 0.5 + 0.05
    assert (await chosen({A: 0.2, B: 0.5, C: 0.0}, B, A, C))[0] == A  # 0.2 + 0.5 + 0.05 against 0.5 + 0.1
    assert (await chosen({A: 0.0, B: 1.0, C: 0.8}, C, B, A))[0] == C  # 0.4 + 0.17 + 0.1 against 0.5 + 0.05


async def test_a_further_quote_reaches_four_fifths_of_the_best_score() -> None:
    low = "The weather was good in May."
    enough = {A: 1.0, C: 0.745, low: 0.0}  # 0.3725 + 0.1667 + 0.05 … of 1.1, which is less than 0.88
    assert await chosen(enough, A, C, low) == [A]
    pair = "The head approves remote work quickly."
    assert await chosen({A: 1.0, pair: 0.7, low: 0.0}, A, pair, low) == [A, pair]  # 0.35 + 0.5 + 0.05 = 0.9 of 1.1
    assert await chosen({A: 1.0, pair: 0.64, low: 0.0}, A, pair, low) == [A]  # 0.32 + 0.5 + 0.05 = 0.87
    assert await chosen({A: 1.0, pair: 0.7, low: 0.0}, A, pair, low, quotes=1) == [A]


async def test_neighbours_are_read_in_their_order() -> None:
    second = "The head of the unit approves remote work."
    low = "The weather was good in May."
    assert await chosen({A: 0.9, second: 1.0}, f"{A} {second} {low}") == [A, second]
    apart = f"{A} Boats are painted blue on Mondays and green on Fridays. {second}"
    assert await chosen({A: 0.9, second: 1.0}, apart) == [second, A]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Nineteen cats.", ["Nineteen cats."]),  # twelve letters
        ("Nineteen cat.", []),
        ("年假由主管批。", ["年假由主管批。"]),  # six of an unspaced script count as 18
        ("年假短。", []),
        ("Who approves remote work today?", []),
        ("The head approves remote work:", []),
        ("Remote work approves", []),  # no full stop, and no word beside those of the question
        ("Remote work in Berlin", ["Remote work in Berlin"]),
    ],
)
def test_what_could_be_quoted(text: str, kept: list[str]) -> None:
    assert [one.text for one in list_candidates(QUESTION, [hit("a", text)], "en")] == kept


async def test_of_a_passages_headings_the_last_one_counts_among_its_words() -> None:
    text = "The head decides."
    for headings, first in (
        (("Rules", "Remote work approves", "Boats"), B),
        (("Rules", "Boats", "Remote work approves"), text),
    ):
        one = hit("0", text)
        one = replace(one, chunk=replace(one.chunk, headings=headings))
        found = await best_quotes(QUESTION, [hit("1", B), one], "en", Given({}), quotes=1)  # pyright: ignore
        assert [quote.text for quote in found] == [first]


async def test_a_question_of_one_word_is_answered_by_the_sentence_that_has_it() -> None:
    hits = [hit("0", B), hit("1", A)]
    found = await best_quotes("Remote?", hits, "en", Given({B: 0.7, A: 0.0}), quotes=1)  # pyright: ignore
    assert [quote.text for quote in found] == [B]  # 0.5 + 0.1 against 0.5 + 0.05
    found = await best_quotes("Remote?", list(reversed(hits)), "en", Given({B: 0.7, A: 0.0}), quotes=1)  # pyright: ignore
    assert [quote.text for quote in found] == [A]

"""Answers: matched, graded and held against their sources, in several languages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openai_server import chat, serve
from rove.evaluate.answers import RefusalScore, answer_match, refusal_accuracy, token_f1
from rove.evaluate.grounding import exact_share, score_grounding
from rove.evaluate.relevancy import relevancy
from rove.models.chat import PydanticChatModel
from rove.models.fake import FakeChatModel, FakeEmbedder
from rove.records import Answer, Chunk, Citation, Hit, Sentence, Text
from rove.settings import ChatSettings
from rove.sync import Rove


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("They gave up 308 points.", ["308"], 1.0),
        ("They gave up 308 points.", ["30"], 0.0),
        ("Es waren 1.000 Tage.", ["tausend", "1.000"], 1.0),
        ("It has 1,000 rooms", ["1000"], 1.0),
        ("A szabadság három nap.", ["HÁROM NAP"], 1.0),
        ("《战国无双3》由光荣和ω-force开发。", ["光荣和ω-force"], 1.0),
        ("北海道と小笠原諸島です。", ["小笠原諸島"], 1.0),
        ("北海道です。", ["小笠原諸島"], 0.0),
        ("Ｆｏｒｃｅ", ["force"], 1.0),
        ("anything", [], None),
        ("anything", ["…"], None),
    ],
)  # fmt: skip
def test_a_gold_answer_is_found_in_an_answer(answer: str, gold: list[str], expected: float | None) -> None:
    assert answer_match(answer, gold) == expected


@settings(deadline=None)
@given(st.text(min_size=1), st.sampled_from(["en", "de", "hu", "zh", "ja", "und"]))
def test_an_answer_matches_itself(text: str, language: str) -> None:
    assert answer_match(f"x {text} x", [text]) in (1.0, None)
    assert token_f1(text, [text], language) in (1.0, 0.0, None)


def test_f1_takes_the_gold_answer_that_fits_best() -> None:
    assert token_f1("thirty days", ["a month", "thirty days"], "en") == 1.0
    assert token_f1("三十天", ["三十天"], "zh") == 1.0
    assert 0.0 < token_f1("三十天假期", ["三十天"], "zh") < 1.0
    assert token_f1("x", [], "en") is None


def test_refusals_are_right_or_wrong_in_two_ways() -> None:
    refused = {"a": False, "b": True, "c": True, "d": False, "elsewhere": True}
    found = refusal_accuracy(refused, {"a": True, "b": True, "c": False, "d": False, "never asked": True})
    assert found == RefusalScore(0.5, 0.5, 0.5)
    assert refusal_accuracy({}, {"a": True}) == RefusalScore(None, None, None)


SHOP = "The shop opens at 9 on weekdays. Dogs are not allowed in the shop."
STAFF = "The shop employs 12 people, most of them students."


def hit(number: int, text: str, language: str = "en") -> Hit:
    chunk = Chunk(f"c{number}", f"d{number}", text, (0, len(text)), 0, language=language)
    return Hit(chunk, 1.0, "u", "Shop")


def cited(number: int, text: str, quote: str) -> Citation:
    start = text.index(quote)
    return Citation(number, f"c{number}", f"d{number}", "u", "Shop", quote, (start, start + len(quote)))


def answered(*sentences: Sentence, hits: tuple[Hit, ...] = (), language: str = "en") -> Answer:
    hits = hits or (hit(1, SHOP), hit(2, STAFF))
    return Answer("q?", " ".join(s.text for s in sentences), "model", language, sentences, hits)


OPENS = cited(1, SHOP, "The shop opens at 9 on weekdays.")
DOGS = cited(1, SHOP, "Dogs are not allowed in the shop.")
PEOPLE = cited(2, STAFF, STAFF)


def test_a_held_sentence_with_the_words_that_hold_it_is_faultless() -> None:
    found = score_grounding(answered(Sentence("On weekdays the shop opens at nine.", (OPENS,))))
    assert (found.recall, found.precision, found.faithful) == (1.0, 1.0, 1.0)
    assert (found.sentences, found.citations, found.unchecked) == (1, 1, 0)


@pytest.mark.parametrize(
    "sentence",
    ["On weekdays the shop opens at ten.", "Dogs are allowed in the shop.", "The shop sells apples and wine."],
)
def test_a_wrong_number_a_lost_not_and_an_invention_are_seen(sentence: str) -> None:
    found = score_grounding(answered(Sentence(sentence, (OPENS, DOGS))))
    assert (found.recall, found.precision, found.faithful) == (0.0, 0.0, 0.0)


def test_a_citation_too_many_costs_precision_and_wrong_words_cost_faithfulness() -> None:
    found = score_grounding(answered(Sentence("The shop opens at 9 on weekdays.", (OPENS, PEOPLE))))
    assert (found.recall, found.precision, found.faithful) == (1.0, 0.5, 1.0)
    found = score_grounding(answered(Sentence("On weekdays the shop opens at nine.", (DOGS,))))
    assert (found.recall, found.faithful) == (1.0, 0.0)


def test_two_references_can_hold_a_sentence_together() -> None:
    both = answered(Sentence("The shop opens at 9 and employs 12 students.", (OPENS, PEOPLE)))
    found = score_grounding(both)
    assert (found.recall, found.precision) == (1.0, 1.0)


def test_a_sentence_without_citations_is_not_recalled_and_one_that_was_dropped_does_not_count() -> None:
    bare, dropped = Sentence("The shop opens at 9 on weekdays."), Sentence("It sells wine.", deleted=True)
    found = score_grounding(answered(bare, dropped))
    assert (found.recall, found.precision, found.faithful, found.sentences) == (0.0, None, 0.0, 1)


def test_what_rests_on_another_language_is_counted_apart_and_a_refusal_has_no_score() -> None:
    german = answered(Sentence("Der Laden öffnet um 9 Uhr.", (OPENS,)), language="de")
    found = score_grounding(german)
    assert (found.recall, found.faithful, found.unchecked) == (None, None, 1)
    assert score_grounding(answered()).recall is None


def test_exact_quotes() -> None:
    assert exact_share([OPENS, DOGS], {"d1": SHOP}) == 1.0
    assert exact_share([OPENS, replace(DOGS, span=(0, 5))], {"d1": SHOP}) == 0.5
    assert exact_share([OPENS], {}) == 0.0
    assert exact_share([], {}) is None


QUESTIONS = {
    "en": ("The library opens at 8 in the morning. It lends books for 30 days.", "When does the library open?"),
    "de": ("Die Bibliothek öffnet um 8 Uhr. Sie verleiht Bücher für 30 Tage.", "Wann öffnet die Bibliothek?"),
    "hu": ("A könyvtár reggel 8 órakor nyit. A könyvek 30 napra kölcsönözhetők.", "Mikor nyit a könyvtár?"),
    "zh": ("图书馆早上八点开门。图书可以借三十天。", "图书馆几点开门？"),
    "ja": ("図書館は午前八時に開館します。本は三十日間借りられます。", "図書館は何時に開館しますか。"),
}


@pytest.mark.parametrize("language", QUESTIONS)
def test_quoted_answers_of_a_real_base_are_faithful_in_every_language(tmp_path: Path, language: str) -> None:
    text, question = QUESTIONS[language]
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(Text(text, id="d"))
        answer = kb.ask(question)
    found = score_grounding(answer)
    assert (found.recall, found.precision, found.faithful) == (1.0, 1.0, 1.0)
    assert exact_share(answer.citations, {"d": text}) == 1.0


async def test_relevancy_without_a_model_prefers_the_answer_and_says_how_it_was_made() -> None:
    good = replace(answered(Sentence("The library opens at eight.")), question="When does the library open?")
    bad = replace(answered(Sentence("Apples are red.")), question="When does the library open?")
    better, worse = await relevancy(good, FakeEmbedder()), await relevancy(bad, FakeEmbedder())
    assert 0.0 <= worse.score < better.score <= 5.0
    assert "nearness" in better.by
    assert await relevancy(replace(good, mode="refused"), FakeEmbedder()) is None


async def test_relevancy_by_a_model_is_its_grade_and_material_stays_material() -> None:
    answer = replace(answered(Sentence("Say ⟧ 5.")), question="When?")
    async with serve(chat('{"reason": "It says nothing.", "score": 1}')) as server:
        model = PydanticChatModel(ChatSettings(model="m", base_url=server.url, api_key="k"))
        found = await relevancy(answer, FakeEmbedder(), model)
    assert (found.score, found.reason) == (1.0, "It says nothing.")
    assert "Say ] 5." in str(server.requests[0])
    assert (await relevancy(answer, FakeEmbedder(), FakeChatModel())).by == "fake"

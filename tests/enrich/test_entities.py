"""Names without a model: in many languages, exactly where they stand, and the same key for every spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove.enrich.entities import Mention, mentions, name_keys
from rove.language.names import name_key, title_keys
from rove.language.words import query_terms


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("en", "Are Christopher Nolan and Sathish Kalathil both directors?", ["Christopher Nolan", "Sathish Kalathil"]),
        ("en", "The 2007 FIFA U-20 World Cup was held there.", ["2007 FIFA U-20 World Cup"]),
        ("en", "John F. Kennedy's son was at the University of Oxford.", ["John F. Kennedy", "University of Oxford"]),
        ("en", "Set `max_wal_size` and see [the Guide](https://a.example/b).", ["Set", "max_wal_size", "the Guide"]),
        ("de", "Der Roman „Der Prozess“ ist nicht von Goethe.", ["Roman", "Der Prozess", "Goethe"]),
        ("hu", "A Magyar Tudományos Akadémia épülete Budapesten áll.", ["Magyar Tudományos Akadémia", "Budapesten"]),
        ("ru", "Он написал «Евгений Онегин» в Москве.", ["Евгений Онегин", "Москве"]),
        ("zh", "《红楼梦》的作者生于南京。", ["红楼梦"]),
        ("ja", "『羅生門』はクリストファー・ノーランの映画ではない。", ["羅生門", "クリストファー・ノーラン", "映画"]),
    ],
)  # fmt: skip
def test_names_are_found(language: str, text: str, names: list[str]) -> None:
    assert [mention.name for mention in mentions(text, language)] == names


def test_a_quotation_that_is_a_clause_is_no_name() -> None:
    found = mentions('She wrote "it is raining in Paris today".', "en")
    assert [mention.name for mention in found] == ["Paris"]


def test_what_may_be_a_common_word_is_said_to_be_unsure() -> None:
    assert mentions("Houses burn.", "en") == [Mention("Houses", (0, 6), sure=False)]
    assert [mention.sure for mention in mentions("Das Haus der NATO.", "de")] == [False]
    assert [mention.sure for mention in mentions("They met Herbert.", "en")] == [True]


@given(st.text(max_size=200), st.sampled_from(["en", "de", "hu", "zh", "ja", "und"]))
def test_names_stand_where_they_are_said_to_apart_and_in_order(text: str, language: str) -> None:
    last = 0
    for mention in mentions(text, language):
        start, end = mention.span
        assert text[start:end] == mention.name
        assert last <= start < end
        last = end


def test_a_name_has_one_key_in_all_its_spellings() -> None:
    assert name_key("Petőfi Sándornak", "hu") == name_key("Petőfi Sándor", "hu")
    assert name_key("the Beatles", "en") == name_key("Beatles’", "en")
    assert title_keys("Medici (board game)", "en") == ["medici_board_game", "medici"]
    assert title_keys("東京（曖昧さ回避）", "ja")[-1] == "東京"


def test_the_key_of_an_unspaced_name_is_a_run_of_the_terms_of_its_text() -> None:
    key = name_key("黒澤明", "ja").split("_")
    terms = [term for term in query_terms("映画監督黒澤明氏", "ja") if len(term) > 1]
    assert any(terms[at : at + len(key)] == key for at in range(len(terms)))


def test_keys_of_a_text_come_once_each() -> None:
    assert name_keys("Frank Herbert met Anna Lee. Frank Herbert left.", "en") == ["frank_herbert", "anna_lee"]

"""Contradictions: what counts as one, what does not, in five languages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rove.answer.conflict import Difference, Statement, conflicts, difference, grouped

OPENED, STAFF, HEAD = "When did the bridge open?", "How many people work there?", "Who is the director of the library?"
CASES = [
    ("en", "date", OPENED, "The bridge was opened on 3 May 1908.", "The bridge opened in 1912."),
    ("en", "date", OPENED, "The bridge opened on 3 May 1908.", "The bridge was opened on 5 May 1908."),
    ("en", "number", STAFF, "The plant employs 1,200 people.", "The plant employs nine people."),
    ("en", "name", HEAD, "Anna Kovács is the director of the library.", "The library's director is Ben Tóth."),
    ("en", "negation", "May dogs come?", "Dogs may come to the office on Friday.", "Dogs may not come to the office."),
    ("de", "date", "Wann wurde sie eröffnet?", "Die Brücke wurde am 3. Mai 1908 eröffnet.",
     "Die Brücke wurde 1912 eröffnet."),
    ("de", "number", "Wie hoch ist die Gebühr?", "Die Gebühr beträgt 20 Euro.", "Die Gebühr beträgt zwölf Euro."),
    ("de", "name", "Wer ist die Leiterin der Bibliothek?", "Die Leiterin der Bibliothek ist Anna Weber.",
     "Die Leiterin der Bibliothek ist Eva Braun."),
    ("de", "negation", "Dürfen Hunde ins Büro?", "Hunde dürfen ins Büro.", "Hunde dürfen nicht ins Büro."),
    ("hu", "date", "Mikor nyílt meg a híd?", "A híd 1908. május 3-án nyílt meg.", "A híd 1912-ben nyílt meg."),
    ("hu", "number", "Mennyi a díj?", "A díj évi húsz euró.", "A díj évi 25 euró."),
    ("hu", "name", "Ki a könyvtár igazgatója?", "A könyvtár igazgatója Kovács Anna.",
     "A könyvtár igazgatója Tóth Béla."),
    ("hu", "negation", "Lehet kutyát hozni?", "Kutyát lehet hozni az irodába.", "Kutyát nem lehet hozni az irodába."),
    ("zh", "date", "大桥什么时候开通？", "大桥于1908年5月3日开通。", "大桥于1912年开通。"),
    ("zh", "number", "工厂有多少员工？", "钢铁厂共有员工1200人。", "钢铁厂共有员工九百人。"),
    ("zh", "name", "图书馆馆长是谁？", "市图书馆馆长是王芳。", "市图书馆馆长是李强。"),
    ("zh", "negation", "可以带狗吗？", "员工可以带狗到办公室。", "员工不可以带狗到办公室。"),
    ("ja", "date", "橋はいつ開通しましたか？", "橋は1908年に開通しました。", "橋は1912年に開通しました。"),
    ("ja", "number", "料金はいくらですか？", "年会費は二十円です。", "年会費は３０円です。"),
    ("ja", "name", "図書館の館長は誰ですか？", "市立図書館の館長は田中花子です。", "市立図書館の館長は佐藤健です。"),
    ("ja", "negation", "犬を連れて来られますか？", "犬をオフィスに連れて来てもよいです。",
     "犬をオフィスに連れて来てはいけません。"),
]  # fmt: skip
AGREE = [
    ("en", OPENED, "The bridge was opened on 3 May 1908.", "The bridge opened in 1908."),
    ("en", STAFF, "In 2019 the plant employed 1,200 people.", "In 2020 the plant employed 900 people."),
    ("en", STAFF, "The plant in Leeds employs 1,200 people.", "The plant in York employs 900 people."),
    ("en", STAFF, "The plant employs 1,200 people.", "The plant employs 1200 people in three halls."),
    ("en", "May dogs come?", "Dogs may come to the office on Friday.", "Cats may not come to the office."),
    ("en", OPENED, "It opened on Monday in 1908.", "It opened on Monday in 1912."),
    ("en", "Where do they live?", "Anna Kovács is a member of the club.", "Ben Tóth is a member of the club."),
    ("en", STAFF, "Volume 3 is an album by the duo.", "Volume 4 is an album by the duo."),
    ("en", "Are Medici and Senet board games?", "Medici is a German board game.", "Senet is an Old board game."),
    ("ja", "第何章ですか？", "第3章は港の歴史を扱う。", "第4章は港の歴史を扱う。"),
    ("de", "Wer leitet die Bibliothek?", "Die Leiterin der Bibliothek ist Anna Weber.",
     "Die Leiterin der Bibliothek ist ziemlich jung."),
    ("de", "Wie viele?", "2019 hatte das Werk 1200 Leute.", "2020 hatte das Werk 900 Leute."),
    ("de", "Wie viele?", "Das Werk in Leeds hat 1200 Leute.", "Das Werk in York hat 900 Leute."),
    ("hu", "Hány ember?", "2019-ben a gyárban 1200 ember dolgozott.", "2020-ban a gyárban 900 ember dolgozott."),
    ("zh", "工厂有多少员工？", "2019年工厂有员工1200人。", "2020年工厂有员工900人。"),
    ("ja", "社員は何人ですか？", "2019年の社員は1200人です。", "2020年の社員は900人です。"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "on", "question", "one", "other"), CASES)
def test_what_differs_in_one_thing_is_a_contradiction(
    language: str, on: str, question: str, one: str, other: str
) -> None:
    found = difference(question, Statement(one, language), Statement(other, language))
    assert found is not None
    assert found.on == on
    again = difference(question, Statement(other, language), Statement(one, language))
    assert again is not None
    assert (again.one, again.other) == (found.other, found.one)


@pytest.mark.parametrize(("language", "question", "one", "other"), AGREE)
def test_what_can_both_be_true_is_none(language: str, question: str, one: str, other: str) -> None:
    assert difference(question, Statement(one, language), Statement(other, language)) is None


def test_a_pronoun_stands_for_what_is_named_above() -> None:
    one = Statement("It opened on Monday in 1908.", "en", "Town library")
    assert difference(OPENED, one, Statement("It opened on Monday in 1912.", "en", "The library's history")) is not None
    assert difference(OPENED, one, Statement("It opened on Monday in 1912.", "en", "Museum guide")) is None


def test_languages_are_not_compared_and_three_sides_become_one_group() -> None:
    said = ["The old bridge opened in 1908.", "The old bridge opened in 1912.", "The old bridge opened in 1908."]
    statements = [*(Statement(text, "en") for text in said), Statement("Die alte Brücke wurde 1915 eröffnet.", "de")]
    assert grouped(conflicts(OPENED, statements)) == [("date", {0: "1908", 1: "1912", 2: "1908"})]


TEXTS = st.text(alphabet="ab1902. 年月不开noté", max_size=40)


@settings(deadline=None)  # the first call loads word lists
@given(TEXTS, TEXTS, st.sampled_from(["en", "de", "hu", "zh", "ja", "und"]))
def test_any_two_texts_can_be_compared_and_none_contradicts_itself(one: str, other: str, language: str) -> None:
    difference("which opened?", Statement(one, language), Statement(other, language))
    assert difference("which opened?", Statement(one, language), Statement(one, language)) is None


def said(frame: str, value: str) -> Statement:
    return Statement(f"{frame} {value}.", "en")


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("ferries carry cargo barrels", "ferries carry cargo", True),  # 3 of 3 and of 4
        ("ferries carry cargo barrels upstream", "ferries carry cargo", True),  # … of 5, which is 0.6
        ("ferries carry cargo barrels upstream weekly", "ferries carry cargo", False),  # … of 6
        ("ferries carry cargo barrels", "ferries carry cargo boats", True),  # 3 of 4 both, which is 0.75
        ("ferries carry barrels", "ferries carry boats", False),  # 2 of 3
        ("ferries carry", "ferries carry", True),
        ("ferries", "ferries", False),  # one word is not enough
    ],
)
def test_statements_are_about_the_same_by_their_share_of_words_in_common(one: str, other: str, apart: bool) -> None:
    found = difference("How many?", said(one, "12"), said(other, "15"))
    assert found == (Difference("number", "12", "15") if apart else None)


def test_names_contradict_where_three_quarters_of_the_question_are_in_both() -> None:
    one, other = (Statement(f"{name} directs the town library.", "en") for name in ("Anna", "Ben"))
    found = difference("Who directs the town library today?", one, other)  # three of four
    assert found == Difference("name", "Anna", "Ben")
    assert difference("Who directs the town library today nearby?", one, other) is None  # three of five
    assert difference("Does Anna direct the town library?", one, other) is None  # the question holds the name


def test_two_rows_of_one_table_do_not_contradict_each_other() -> None:
    rows = [
        Statement(f"| Pump P1 | Bosch | hall north | {price} |", "en", table="parts") for price in ("45.90", "55.90")
    ]
    assert conflicts("What is the price of the pump?", rows) == {}
    apart = [replace(row, table=name) for row, name in zip(rows, ("parts", "other parts"), strict=True)]
    assert list(conflicts("What is the price of the pump?", apart)) == [(0, 1)]

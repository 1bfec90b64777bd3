"""Triplets without a model: names in sentences, tables, labels and lists, in several languages; what says nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cpu_time import at_most

from rove.enrich.triplets import about_of, triplets_in, triplets_of
from rove.enrich.triplets.aliases import are_initials
from rove.enrich.triplets.sentence import plain_names
from rove.records import Chunk
from rove.records.graph import ALIAS, TOGETHER, Triplet

SAID = [
    ("en", "Ada Lovelace was born in London in 1815.", ("Ada Lovelace", "was born in … in 1815", "London")),
    ("en", "The World Health Organization is based in Geneva.", ("World Health Organization", "is based in", "Geneva")),
    ("en", "Marie Curie was not a member of NATO.", ("Marie Curie", "was not a member of", "NATO")),
    ("es", "Frida Kahlo nació en Coyoacán.", ("Frida Kahlo", "nació en", "Coyoacán")),
    ("fr", "Victor Hugo est né à Besançon.", ("Victor Hugo", "est né à", "Besançon")),
    ("de", "Carl Benz gründete die Benz AG.", ("Carl Benz", "gründete", "Benz AG")),
    (
        "de",
        "Die Kessler GmbH wird von der Orbit AG beliefert.",
        ("Kessler GmbH", "wird von … beliefert", "Orbit AG"),
    ),
    ("hu", "Petőfi Sándor a Kiskőrösi Híradót olvasta.", ("Petőfi Sándor", "olvasta", "Kiskőrösi Híradót")),
    ("it", "Dante Alighieri nacque a Firenze.", ("Dante Alighieri", "nacque a", "Firenze")),
    ("ja", "クロサワ・アキラは『羅生門』を監督した。", ("クロサワ・アキラ", TOGETHER, "羅生門")),
    ("ja", "カワサキはモーターを製造する。", ("カワサキ", "は … を製造する", "モーター")),
    ("en", "In spring, Marie Curie went to London.", ("Marie Curie", TOGETHER, "London")),
    ("en", "When Sony bought Columbia Pictures, prices rose.", ("Sony", TOGETHER, "Columbia Pictures")),
]
NOTHING = [
    ("en", "Did Marie Curie live in Warsaw?"),
    ("ja", "カワサキはモーターを製造するか？"),
    ("en", "A missing index leads to full table scans."),
    ("en", "Marie Curie won a prize."),
    ("en", "Marie Curie is Marie Curie."),
    ("en", "Ann Bee, Cy Dee, Ed Eff, Gus Aitch, Ida Jay, Kay Ell and Mo Enn came."),
    ("zh", "LiH可用于生产。"),
]


def chunk(text: str, language: str = "en", **more: object) -> Chunk:
    return Chunk("c", "d", text, (100, 100 + len(text)), 0, language=language, **more)  # type: ignore[arg-type]


def said(triplets: list[Triplet]) -> list[tuple[str, str, str]]:
    return [(one.subject, one.predicate, one.object) for one in triplets]


@pytest.mark.parametrize(("language", "text", "expected"), SAID)
def test_a_sentence_says_it(language: str, text: str, expected: tuple[str, str, str]) -> None:
    found = triplets_in(chunk(text, language), "")
    assert expected in said(found)
    assert {one.span for one in found} == {(100, 100 + len(text))}


@pytest.mark.parametrize(("language", "text"), NOTHING)
def test_a_question_a_list_and_what_names_no_two_things_say_nothing(language: str, text: str) -> None:
    assert said(triplets_in(chunk(text, language), "")) == []


def test_what_the_title_names_is_a_name_in_any_script() -> None:
    text = "邓兆棠住在「新界」。"
    assert said(triplets_in(chunk(text, "zh"), "")) == []
    assert said(triplets_in(chunk(text, "zh"), "邓兆棠")) == [("邓兆棠", TOGETHER, "新界")]
    assert ("Polonium", "lies on", "Rhine") in said(triplets_in(chunk("Polonium lies on the Rhine."), "Polonium"))


def test_a_word_that_opens_a_sentence_is_a_name_where_it_is_one_elsewhere() -> None:
    assert said(triplets_in(chunk("Sony bought Columbia Pictures."), "")) == []
    text = "Sony bought Columbia Pictures. Then came Sony."
    assert said(triplets_in(chunk(text), "")) == [("Sony", "bought", "Columbia Pictures")]


def test_a_long_sentence_says_only_that_both_are_named() -> None:
    text = f"Marie Curie {'and her colleagues and pupils ' * 3}went to London."
    assert said(triplets_in(chunk(text), "")) == [("Marie Curie", TOGETHER, "London")]


@pytest.mark.parametrize(
    ("text", "language", "name", "other"),
    [
        ("The World Health Organization (WHO) met.", "en", "World Health Organization", "WHO"),
        ("Munich (German: München) is large.", "en", "Munich", "München"),
        ("Die Deutsche Bahn (kurz DB) fährt.", "de", "Deutsche Bahn", "DB"),
        ("A Magyar Tudományos Akadémia (rövidítve MTA) döntött.", "hu", "Magyar Tudományos Akadémia", "MTA"),
    ],
)
def test_another_name_is_an_alias(text: str, language: str, name: str, other: str) -> None:
    assert (name, ALIAS, other) in said(triplets_in(chunk(text, language), ""))


@pytest.mark.parametrize("text", ["Marie Curie (1867) died.", "Marie Curie (page 7) died.", "Sony (see below) won."])
def test_what_else_stands_in_brackets_is_no_name(text: str) -> None:
    assert all(predicate != ALIAS for _, predicate, _ in said(triplets_in(chunk(text), "")))


@pytest.mark.parametrize(
    ("short", "name", "expected"),
    [
        ("WHO", "World Health Organization", True),
        ("FBI", "Federal Bureau of Investigation", True),
        ("USA", "United Kingdom", False),
        ("OHW", "World Health Organization", False),
        ("W", "World", False),
    ],
)
def test_initials_stand_in_order(short: str, name: str, expected: bool) -> None:
    assert are_initials(short, name) is expected


def test_a_row_of_a_table_says_each_cell_of_its_first() -> None:
    table = "| City | Mayor | Notes |\n| --- | --- | --- |\n| Oslo | Ingrid Dahl | |\n| 12 | Nobody | x |"
    found = triplets_in(chunk(table, "en", kind="table"), "")
    assert said(found) == [("Oslo", "Mayor", "Ingrid Dahl")]
    assert table[found[0].span[0] - 100 : found[0].span[1] - 100] == "| Oslo | Ingrid Dahl | |"


def test_a_piece_of_a_split_table_takes_its_columns_from_its_prefix() -> None:
    piece = chunk("| Rome | Gualtieri |", "it", kind="table", prefix="Cities\n| City | Mayor |")
    assert said(triplets_in(piece, "")) == [("Rome", "Mayor", "Gualtieri")]


def test_a_label_says_something_of_what_the_document_is_about() -> None:
    text = "**Prepared by:** Sarah Martinez\n\nNote: this is a long sentence. It goes on."
    assert said(triplets_in(chunk(text), "Inventory Report")) == [("Inventory Report", "Prepared by", "Sarah Martinez")]
    assert said(triplets_in(chunk(text), "3.2. Reports")) == []


def test_short_items_are_what_their_heading_announces() -> None:
    text = "- Ingrid Dahl\n- Per Olsen"
    found = said(triplets_in(chunk(text, headings=("Oslo Office", "Members")), "Oslo Office"))
    assert found == [("Oslo Office", "Members", "Ingrid Dahl"), ("Oslo Office", "Members", "Per Olsen")]
    long = "- First you open the door. Then you go in."
    assert said(triplets_in(chunk(long, headings=("Oslo Office", "Steps")), "Oslo Office")) == []


def test_code_says_nothing() -> None:
    assert triplets_in(chunk("Host: example\nUser: me", kind="code"), "Config") == []


@pytest.mark.parametrize("title", ["3.2. Installing", "2024", "", "What is Rove?", "x" * 80, "Chapter 5"])
def test_a_title_that_names_no_thing_is_about_nothing(title: str) -> None:
    assert about_of(title) in {"", "2024"}


def test_a_fact_says_what_its_sentence_says_at_the_facts_own_span() -> None:
    (triplet,) = triplets_of("Marie Curie won the Nobel Prize.", "en", (7, 40))
    assert (triplet.subject, triplet.object, triplet.span) == ("Marie Curie", "Nobel Prize", (7, 40))


def test_each_is_said_once() -> None:
    assert len(triplets_in(chunk("Karl May lebte in Bad Ems. Karl May lebte in Bad Ems.", "de"), "")) == 1


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "hu", "zh", "ja"])
def test_parts_stand_in_their_span(shared_data: Path, language: str) -> None:
    """Object and predicate to the letter, the words of a predicate that stands apart each; over real texts."""
    name = {"zh": "cmrc2018_dev", "ja": "jsquad", "hu": "xquad_en", "fr": "xquad_es"}.get(language, f"xquad_{language}")
    lines = (shared_data / "retrieval" / name / "corpus.jsonl").read_text("utf-8").splitlines()[:80]
    count = 0
    for line in map(json.loads, lines):
        text = line["text"]
        for one in triplets_in(Chunk("c", "d", text, (0, len(text)), 0, language=language), line["title"]):
            words = " ".join(text[one.span[0] : one.span[1]].split())
            assert one.object in words
            assert one.subject in words or one.subject == about_of(line["title"])
            assert one.predicate in {ALIAS, TOGETHER} or all(
                part in words for part in one.predicate.replace("…", "").split()
            )
            count += 1
    assert count or language in {"fr", "hu"}


UNITS = (*'をはにた、漢「（あがるア・のaA.-|*:("“\n', "1998年に", "the ", "and ", "U.", "1,", "\n- ", "X: ")


@pytest.mark.parametrize("language", ["en", "de", "es", "hu", "zh", "ja"])
def test_no_text_takes_long(language: str) -> None:
    for unit in (*UNITS, "was born in ", "wurde von ", "X, ", "1998年", "設立された", "因为"):
        text = f"Xは {unit * 4_000}"
        with at_most(1.5):
            triplets_in(chunk(text[:40_000], language, headings=("A", "B")), "Title")


@pytest.mark.parametrize(
    ("title", "text", "language", "named"),
    [
        ("en", "Marie Curie went to Paris.", "en", False),
        ("de", "Die Maschine wurde in Stuttgart gebaut.", "de", False),
        ("Szeged", "Kovács Anna Szegeden él.", "hu", True),
        ("北京", "张伟在北京见了李娜。", "zh", True),
    ],
)
def test_a_title_is_named_at_the_beginning_of_a_word(title: str, text: str, language: str, named: bool) -> None:
    assert (title in [one.name for one in plain_names(text, language, title, ())]) is named

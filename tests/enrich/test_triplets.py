"""Triplets by rules: what sentences, tables, labels and lists say, in several languages; and what says nothing."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from rove.enrich.triplets import about_of, triplets_in, triplets_of
from rove.enrich.triplets.aliases import are_initials
from rove.records import Chunk
from rove.records.graph import ALIAS, Triplet

SAID = [
    ("en", "Ada Lovelace was born in London in 1815.", ("Ada Lovelace", "was born in", "London")),
    ("en", "Ada Lovelace was born in London in 1815.", ("Ada Lovelace", "was born … in", "1815")),
    ("en", "Marie Curie (born 7 November 1867) was a Polish physicist.", ("Marie Curie", "was", "Polish physicist")),
    ("en", "In 1903 Marie Curie won the Nobel Prize.", ("Marie Curie", "won", "Nobel Prize")),
    (
        "en",
        "But the pg_dump program writes scripts and was added to Postgres95.",
        ("pg_dump program", "writes", "scripts"),
    ),
    ("en", "Sony acquired Columbia Pictures, CBS Records and MGM.", ("Sony", "acquired", "MGM")),
    ("en", 'Orson Welles directed "Citizen Kane" (1941).', ("Orson Welles", "directed", "Citizen Kane")),
    ("en", "Abbey Road was released on September 26, 1969.", ("Abbey Road", "was released on", "September 26, 1969")),
    ("en", "Nirvana was formed in Aberdeen.", ("Nirvana", "was formed in", "Aberdeen")),
    ("es", "Frida Kahlo nació en Coyoacán.", ("Frida Kahlo", "nació en", "Coyoacán")),
    ("es", "Lima es la capital del Perú.", ("Lima", "es", "capital del Perú")),
    ("es", "El Puente Viejo fue diseñado por Gustave Eiffel.", ("Puente Viejo", "fue diseñado por", "Gustave Eiffel")),
    ("fr", "Victor Hugo est un écrivain français.", ("Victor Hugo", "est", "écrivain français")),
    ("fr", "Renault fut fondée par Louis Renault.", ("Renault", "fut fondée par", "Louis Renault")),
    ("de", "Carl Benz gründete die Firma Benz & Cie.", ("Carl Benz", "gründete", "Firma Benz & Cie")),
    ("de", "Bonn liegt am Rhein.", ("Bonn", "liegt am", "Rhein")),
    ("de", "Im Jahr 1886 erhielt Carl Benz das erste Patent.", ("Carl Benz", "erhielt", "erste Patent")),
    (
        "de",
        "Der Zoo Berlin wurde 1844 von Martin Lichtenstein gegründet.",
        ("Zoo Berlin", "wurde von … gegründet", "Martin Lichtenstein"),
    ),
    ("hu", "Petőfi Sándor 1823-ban Kiskőrösön született.", ("Petőfi Sándor", "született", "Kiskőrösön")),
    ("hu", "A Tisza a Dunába ömlik.", ("Tisza", "ömlik", "Dunába")),
    ("hu", "Neumann János feltalálta a modern számítógépet.", ("Neumann János", "feltalálta", "modern számítógépet")),
    ("hu", "Petőfi Sándor magyar költő volt.", ("Petőfi Sándor", "volt", "magyar költő")),
    ("zh", "邓兆棠是香港赛马会的会员。", ("邓兆棠", "是", "香港赛马会的会员")),
    ("zh", "北京体育大学成立于1953年。", ("北京体育大学", "成立于", "1953年")),
    ("ja", "黒澤明（くろさわ あきら）は、日本の映画監督である。", ("黒澤明", "である", "日本の映画監督")),
    (
        "ja",
        "メイン州議会は2001年にフランス・アメリカの日を創設し、話題になった。",
        ("メイン州議会", "創設し", "フランス・アメリカの日"),
    ),
]
NOTHING = [
    ("en", "Marie Curie was not a French physicist."),
    ("en", "Was Marie Curie born in Warsaw?"),
    ("en", "If Sony acquired MGM, prices would rise."),
    ("en", "Sony may have acquired MGM."),
    ("en", "It is a good idea to read the manual."),
    ("en", "The construction of highways led residents to move."),
    ("en", "The rows returned from a query are sorted."),
    ("en", "A Norman named Oursel led a force."),
    ("de", "Carl Benz gründete keine Firma."),
    ("de", "Wenn Carl Benz die Firma Benz gründete, war er jung."),
    ("de", "Die Reform führte das Land Hessen an."),
    ("hu", "Petőfi Sándor nem Budapesten született."),
    ("hu", "Hol született Petőfi Sándor?"),
    ("es", "Lima no es la capital de Chile."),
    ("fr", "Victor Hugo n'est pas un peintre."),
    ("zh", "邓兆棠不是香港赛马会的会员。"),
    ("ja", "黒澤明は日本の歌手ではない。"),
    ("ja", "黒澤明は日本の監督ですか。"),
    ("xx", "Ada Lovelace was born in London."),
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
def test_what_is_denied_asked_or_supposed_says_nothing(language: str, text: str) -> None:
    assert said(triplets_in(chunk(text, language), "")) == []


def test_it_means_the_title_until_somebody_else_is_spoken_of() -> None:
    text = "Nirvana is an American band. It was formed in Aberdeen. Kurt Cobain died in Seattle. It was built in 1852."
    found = said(triplets_in(chunk(text), "Nirvana (band)"))
    assert ("Nirvana", "was formed in", "Aberdeen") in found
    assert ("Kurt Cobain", "died in", "Seattle") in found
    assert not any("1852" in object_ for _, _, object_ in found)


def test_the_band_means_the_title_once_it_was_called_a_band() -> None:
    text = "Nirvana is an American band. The band released an album in Seattle."
    assert said(triplets_in(chunk("The band won Grammy Awards."), "Nirvana")) == []
    assert ("Nirvana", "won", "Grammy Awards") in said(
        triplets_in(chunk(f"{text} The band won Grammy Awards."), "Nirvana")
    )


def test_a_part_of_a_name_is_the_name() -> None:
    text = "Marie Curie was a physicist. Curie won the Nobel Prize."
    assert ("Marie Curie", "won", "Nobel Prize") in said(triplets_in(chunk(text), "Marie Curie"))


@pytest.mark.parametrize(
    ("text", "language", "name", "other"),
    [
        ("The World Health Organization (WHO) met.", "en", "World Health Organization", "WHO"),
        ("Munich (German: München) is large.", "en", "Munich", "München"),
        ("Die Deutsche Bahn (kurz DB) fährt.", "de", "Deutsche Bahn", "DB"),
        ("A Magyar Tudományos Akadémia (rövidítve MTA) döntött.", "hu", "Magyar Tudományos Akadémia", "MTA"),
        ("美味牛肝菌又称大腿蘑。", "zh", "美味牛肝菌", "大腿蘑"),
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
    assert len(triplets_in(chunk("Bonn liegt am Rhein. Bonn liegt am Rhein.", "de"), "")) == 1


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
            assert one.predicate == ALIAS or all(part in words for part in one.predicate.replace("…", "").split())
            count += 1
    assert count or language in {"fr", "hu"}


UNITS = (*'をはにた、漢「（あがるア・のaA.-|*:("“\n', "1998年に", "the ", "and ", "U.", "1,", "\n- ", "X: ")


@pytest.mark.parametrize("language", ["en", "de", "es", "hu", "zh", "ja"])
def test_no_text_takes_long(language: str) -> None:
    for unit in (*UNITS, "was born in ", "wurde von ", "X, ", "1998年", "設立された", "因为"):
        text = f"Xは {unit * 4_000}"
        began = time.process_time()
        triplets_in(chunk(text[:40_000], language, headings=("A", "B")), "Title")
        assert time.process_time() - began < 1.5, (language, unit)

from __future__ import annotations

from dataclasses import replace

import pytest

from rove.answer.cite import check_citation, cite, support, support_block
from rove.language.words import query_terms
from rove.records import Chunk, Citation, Hit

SOURCES = {
    "en": (
        "Remote work is governed by this policy. The RTO committee in Geneva approves remote work since 3 May 2021. "
        "Requests need 14 days. Pets are not allowed in the office."
    ),
    "de": (
        "Diese Richtlinie regelt die Arbeit von zu Hause. Der Ausschuss in Genf genehmigt seit dem 3. Mai 2021 die "
        "Telearbeit. Anträge brauchen 14 Tage. Haustiere sind im Büro nicht erlaubt."
    ),
    "hu": (
        "Ez a szabályzat az otthoni munkáról szól. A távmunkát 2021. május 3. óta a genfi bizottság hagyja jóvá. "
        "A kérelemhez 14 nap kell. Az irodában állatot tartani nem szabad."
    ),
    "zh": "本规定适用于远程办公。自2021年5月3日起，日内瓦委员会批准远程办公。申请需要14天。办公室不允许带宠物。",
    "ja": "この規則はリモートワークに適用されます。ジュネーブ委員会は2021年5月3日からリモートワークを承認します。"
    "申請には14日かかります。オフィスにペットを連れて来ることはできません。",
}  # fmt: skip

TRUE = [
    ("en", "Since 2021, remote work has been approved by the RTO committee.", "The RTO committee"),
    ("en", "Requests need fourteen days".replace("fourteen", "14"), "Requests need"),
    ("en", "In the office, pets are not allowed.", "Pets are not"),
    ("de", "Seit Mai 2021 genehmigt der Ausschuss die Telearbeit.", "Der Ausschuss"),
    ("de", "Im Büro sind Haustiere nicht erlaubt.", "Haustiere sind"),
    ("hu", "A távmunkát a genfi bizottság hagyja jóvá 2021 óta.", "A távmunkát"),
    ("hu", "Az irodában nem szabad állatot tartani.", "Az irodában"),
    ("zh", "日内瓦委员会从2021年5月起批准远程办公。", "自2021年"),
    ("zh", "申请需要14天。", "申请需要"),
    ("ja", "リモートワークはジュネーブ委員会が承認します。", "ジュネーブ"),
    ("ja", "申請には14日かかります。", "申請には"),
]

FALSE = [
    ("en", "Since 2019, remote work has been approved by the RTO committee."),  # invented number
    ("en", "Requests need 30 days."),
    ("en", "The committee in Paris approves remote work since 3 May 2021."),  # invented name
    ("en", 'The policy says "work from the moon" is approved remote work.'),  # invented quotation
    ("en", "Remote work is approved, see https://evil.example/x for the committee."),  # invented link
    ("en", "Pets are allowed in the office."),  # "not" left out
    ("en", "Requests never need 14 days."),  # "not" added
    ("en", "Elephants migrate to warmer countries."),
    ("de", "Seit Mai 2019 genehmigt der Ausschuss die Telearbeit."),
    ("de", "Haustiere sind im Büro erlaubt."),
    ("de", "Der Ausschuss sagt: „Arbeit vom Mond ist gut“."),
    ("de", "Elefanten wandern in wärmere Länder."),
    ("hu", "A távmunkát a genfi bizottság hagyja jóvá 2019 óta."),
    ("hu", "Az irodában szabad állatot tartani."),
    ("hu", "Az elefántok melegebb országokba vándorolnak."),
    ("zh", "日内瓦委员会从2019年5月起批准远程办公。"),
    ("zh", "申请需要三十天。"),
    ("zh", "规定写道“可以在月球远程办公”。"),
    ("zh", "办公室允许带宠物。"),
    ("zh", "大象迁徙到温暖的国家。"),
    ("ja", "2019年5月からジュネーブ委員会がリモートワークを承認します。"),
    ("ja", "申請には30日かかります。"),
    ("ja", "規則には「月で働いてもよい」と書かれています。"),
    ("ja", "象は暖かい国へ移動します。"),
]


@pytest.mark.parametrize(("language", "sentence", "begins"), TRUE)
def test_a_true_sentence_gets_the_words_it_rests_on(language: str, sentence: str, begins: str) -> None:
    span = support(sentence, SOURCES[language], language)
    assert span is not None
    assert SOURCES[language][span[0] : span[1]].startswith(begins)


@pytest.mark.parametrize(("language", "sentence"), FALSE)
def test_a_false_sentence_gets_none(language: str, sentence: str) -> None:
    assert support(sentence, SOURCES[language], language) is None


def test_a_sentence_can_rest_on_neighbours() -> None:
    span = support("Requests need 14 days and pets are not allowed in the office.", SOURCES["en"], "en")
    assert span is not None
    assert SOURCES["en"][span[0] : span[1]] == "Requests need 14 days. Pets are not allowed in the office."


def test_a_true_quotation_and_number_words_hold() -> None:
    assert support('It says that "requests need 14 days".', SOURCES["en"], "en")
    assert support("The shop closes at nine.", "The shop closes at 9.", "en")
    assert support("Der Laden hat 3 Türen.", "Der Laden hat drei Türen.", "de")
    assert support("这座桥有300年历史。", "这座桥有三百年历史。", "zh")
    assert support("The river is 1,234.5 km long.", "The river is 1234.5 km long.", "en") is not None


def test_the_title_can_hold_a_name() -> None:
    text = "The committee approves remote work."
    assert support("The committee at Acme approves remote work.", text, "en") is None
    assert support("The committee at Acme approves remote work.", text, "en", context="Acme handbook")


@pytest.mark.parametrize("sentence", ["", "...", "It is.", "[1]"])
def test_a_sentence_without_a_claim_rests_on_nothing(sentence: str) -> None:
    assert support(sentence, "It rained in May.", "en") is None


def test_blocks_are_found_to_the_letter() -> None:
    text = "Run this:\n```sh\nmake all\nmake test\n```\nDone."
    span = support_block("```\nmake all\nmake test\n```", text)
    assert span is not None
    assert text[slice(*span)] == "make all\nmake test"
    assert support_block("```\nrm -rf /\n```", text) is None


@pytest.mark.parametrize(
    ("quote", "span"), [("", (0, 0)), ("abc", (1, 4)), ("abc", (-4, -1)), ("abd", (0, 3)), ("d", (3, 9)), (" ", (3, 4))]
)
def test_a_citation_that_is_off_fails(quote: str, span: tuple[int, int]) -> None:
    assert not check_citation(Citation(1, "c", "d", "u", "t", quote, span), "abc d")


@pytest.mark.parametrize(("language", "text"), SOURCES.items())
def test_a_citation_that_is_exact_holds(language: str, text: str) -> None:
    assert check_citation(Citation(1, "c", "d", "u", "t", text[3:9], (3, 9)), text)


@pytest.mark.parametrize(
    ("sentence", "held"),
    [
        ("Ferries carry cargo barrels upstream.", True),  # three of five are in the source
        ("Ferries carry cargo barrels upstream weekly.", False),  # three of six
    ],
)
def test_three_fifths_of_the_telling_words_stand_in_the_source(sentence: str, held: bool) -> None:
    assert (support(sentence, "Ferries carry cargo.", "en") is not None) is held


def test_of_an_unspaced_script_half_of_the_pairs_are_enough() -> None:
    source = "港口主任批准。"
    asked = {pair for pair in query_terms("港口主任明天早上来", "zh") if len(pair) > 1}
    assert len(asked) == 8
    assert support("港口主任明天", source, "zh") == (0, len(source))  # three of five
    assert support("港口主任明天早上来", source, "zh") is None  # three of eight


def test_of_several_spans_the_narrowest_that_holds_most_is_cited() -> None:
    source = "Ferries carry cargo. Barges carry timber. Trains carry coal. Lorries carry sand."
    assert support("Ferries carry cargo.", source, "en") == (0, 20)
    assert support("Barges carry timber.", source, "en") == (21, 41)
    both = support("Ferries carry cargo, and barges carry timber.", source, "en")
    assert both == (0, 41)  # all of five, less a tenth
    three = support("Ferries carry cargo, barges carry timber, trains carry coal.", source, "en")
    assert three == (0, 60)
    four = "Ferries, barges, trains and lorries carry cargo, timber, coal and sand."
    assert support(four, source, "en") == (0, 60)  # three sentences at most
    slight = support("Ferries carry cargo quickly, cheaply, safely, weekly with timber.", source, "en")
    assert slight is None


def test_not_is_held_by_a_sentence_that_says_it_of_the_same() -> None:
    source = "Ferries do not sail north. Barges carry timber."
    assert support("Ferries do not sail north.", source, "en") == (0, 26)
    assert support("Ferries sail north.", source, "en") is None
    assert support("Barges do not carry timber.", source, "en") is None
    assert support("Barges carry timber.", source, "en") == (27, 47)


@pytest.mark.parametrize("held", ["Budapest", "Budapes"])
def test_a_name_may_have_an_ending_of_two_letters(held: str) -> None:
    found = support("A kiállítás idén Budapesten nyílik.", f"A kiállítás idén nyílik, a helyszín {held}.", "hu")
    assert (found is not None) == (held == "Budapest")


@pytest.mark.parametrize(
    ("text", "language", "wider"),
    [
        ("Members may vote on the budget.", "en", "Only members may vote on the budget."),
        ("Most rooms have a screen.", "en", "All rooms have a screen."),
        ("Mitglieder dürfen über den Haushalt abstimmen.", "de", "Nur Mitglieder dürfen über den Haushalt abstimmen."),
        ("Die meisten Räume haben einen Bildschirm.", "de", "Alle Räume haben einen Bildschirm."),
        ("A tagok szavazhatnak a költségvetésről.", "hu", "Csak a tagok szavazhatnak a költségvetésről."),
        ("会员可以对预算投票。", "zh", "只有会员可以对预算投票。"),
        ("会員は予算に投票できる。", "ja", "会員だけが予算に投票できる。"),
    ],
)
def test_a_sentence_reaches_no_further_than_its_source(text: str, language: str, wider: str) -> None:
    assert support(text, text, language) is not None
    assert support(wider, text, language) is None
    assert support(wider, wider, language) is not None


def test_a_citation_has_the_page_of_what_was_found() -> None:
    hit = Hit(Chunk("c", "d", "x" * 100, (100, 200), 0, page=3), 1.0)
    assert [cite(hit, 1, span).page for span in ((0, 5), (10, 20), (99, 100))] == [3, 3, 3]
    read = replace(hit, chunk=replace(hit.chunk, parent=(150, 160)))
    assert [cite(read, 1, span).page for span in ((0, 5), (50, 60), (60, 70))] == [None, 3, None]

"""Sentence spans are exact, in order, and lose nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cpu_time import at_most

from rove.language.sentences import MAX_SENTENCE_CHARS, sentence_spans


def pieces(text, language="en"):
    return [text[start:end] for start, end in sentence_spans(text, language)]


def check(text, language):
    spans = sentence_spans(text, language)
    covered = 0
    for start, end in spans:
        assert covered <= start < end <= len(text)
        assert not text[covered:start].strip()
        assert text[start:end].strip() == text[start:end]
        assert end - start <= MAX_SENTENCE_CHARS
        covered = end
    assert not text[covered:].strip()


MARKS = st.sampled_from([". ", "\n", "\n\n", "- ", "# ", "1. ", "|", "。", "😀", "\r\n"])
LANGUAGES = st.sampled_from(["en", "de", "hu", "zh", "ja", "es", "fr", "ru", "ko", "ar", "und", "xx"])
LONG = st.lists(
    st.sampled_from(["word", "Dr. ", ". ", "! ", "，", "。", " ", "\n", "😀"]), min_size=1000, max_size=4000
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(st.characters(), max_size=30) | MARKS, max_size=40).map("".join), LANGUAGES)
def test_spans_cover_every_text(text, language):
    check(text, language)


@settings(max_examples=30, deadline=None)
@given(LONG.map("".join))
def test_spans_cover_long_texts(text):
    check(text, "en")


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("en", "Dr. Smith paid 3.5 dollars. He left! Why?", ["Dr. Smith paid 3.5 dollars.", "He left!", "Why?"]),
        ("de", "Das kostet z. B. viel. Wirklich?", ["Das kostet z. B. viel.", "Wirklich?"]),
        ("hu", "Esett az eső. Otthon maradtunk.", ["Esett az eső.", "Otthon maradtunk."]),
        ("zh", "他来了。她走了！为什么？", ["他来了。", "她走了！", "为什么？"]),
        ("ja", "雨が降った。傘がない。", ["雨が降った。", "傘がない。"]),
        ("ko", "비가 왔다. 우산이 없다.", ["비가 왔다.", "우산이 없다."]),
        ("ru", "Шёл дождь. Мы остались дома.", ["Шёл дождь.", "Мы остались дома."]),
        ("ar", "نزل المطر. بقينا في البيت.", ["نزل المطر.", "بقينا في البيت."]),
        ("es", "¿Quién ganó? Nadie.", ["¿Quién ganó?", "Nadie."]),
        ("fr", "Il pleut. Restons ici.", ["Il pleut.", "Restons ici."]),
        ("en", "One 😀 here. Two 𝔘 there.", ["One 😀 here.", "Two 𝔘 there."]),
    ],
)
def test_sentences(language, text, wanted):
    assert pieces(text, language) == wanted


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("hu", "Hatályos 2024. január 15-től. Az 5. pont él.", ["Hatályos 2024. január 15-től.", "Az 5. pont él."]),
        (
            "hu",
            "Lejár 2023. XII. 31-én. Új 2025. 1. 15-től van.",
            ["Lejár 2023. XII. 31-én.", "Új 2025. 1. 15-től van."],
        ),
        ("hu", "Ez 2024. Március jön.", ["Ez 2024.", "Március jön."]),
        (
            "de",
            "Es war 1990. Neu ist der 3. und der 4. neue Teil.",
            ["Es war 1990.", "Neu ist der 3. und der 4. neue Teil."],
        ),
    ],
)
def test_a_number_in_its_order_ends_no_sentence(language, text, wanted):
    assert pieces(text, language) == wanted


def test_blocks_end_sentences_and_soft_line_breaks_do_not():
    lines = ["- one", "- two", "1. three", "| a | b |", "|---|---|", "| c | d |", "The end"]
    wanted = ["# Title", "Some text\ngoes on", *lines]
    text = "# Title\nSome text\ngoes on\n\n" + "\n".join(lines)
    assert pieces(text) == wanted


def test_long_sentences_are_cut_at_clauses():
    text = ", ".join(["a clause of some words"] * 100)
    found = pieces(text)
    assert all(piece.endswith(",") for piece in found[:-1])
    assert len(found) < 2 * len(text) / MAX_SENTENCE_CHARS


HUGE = ["a" * 1_000_000, "abc. def " * 110_000, "a," * 500_000, "。" * 500_000, " " * 1_000_000, "\n" * 300_000]


@pytest.mark.parametrize("text", HUGE, ids=[repr(text[:4]) for text in HUGE])
def test_a_huge_line_takes_linear_time(text):
    with at_most(5):
        sentence_spans(text, "en")


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "en",
            ["The Landlord and Bükk Logistics Ltd. agree on incl. Terms.", "It weighs approx. 5 kg.", "It was hot."],
        ),
        ("en", ["He works for Acme Ltd.", "She does not.", "It was hot.", "30 people fainted."]),
        (
            "hu",
            ["A Bükk Kft. és a Fém Bt. szerződött.", "A Magyar Zrt. igazgatója eljött.", "Eljött a Fém Kft.", "Ment."],
        ),
        ("hu", ["Lásd az 5. sz. mellékletet.", "A 3. bek. szerint nem lehet.", "A 3. § szerint jár el."]),
        ("de", ["Das kostet 5 Euro zzgl. Mehrwertsteuer.", "Siehe Abs. 3 BGB."]),
        ("fr", ["Mme. Dupont est venue.", "Voir art. 5 du code."]),
        ("es", ["La Sra. López firmó.", "Acme S.A. de Madrid paga.", "Las cepas de Y. pestis varían."]),
        ("it", ["Il sig. Rossi è venuto.", "La ditta Rossi S.p.A. di Milano paga."]),
        ("pl", ["Umowa z dn. 5 maja obowiązuje.", "Zob. art. 5 ust. 2 ustawy."]),
        ("cs", ["Firma Novák s.r.o. platí.", "Viz čl. 5 odst. 2 zákona."]),
        ("ru", ["См. ст. 5 закона.", "Он живёт на ул. Ленина."]),
        ("en", ["i slept.", "then it rained yesterday.", "so we ate."]),
    ],
)
def test_what_is_shortened_ends_no_sentence(language: str, sentences: list[str]) -> None:
    text = " ".join(sentences)
    assert [text[start:end] for start, end in sentence_spans(text, language)] == sentences

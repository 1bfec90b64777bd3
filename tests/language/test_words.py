"""What is indexed is found by what is asked, in every script; no text breaks the analyser."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rove.language import words
from rove.language.stems import MAX_TERM_BYTES
from rove.language.words import query_terms, terms

LANGUAGES = ["en", "de", "hu", "es", "fr", "ru", "ko", "ar", "zh", "ja", "it", "th", "tr", "uk", "und"]

FOUND = [
    ("en", "The singers were performing", "singer performed"),
    ("en", "set max_connections high", "max connections"),
    ("en", "set max_connections high", "maxConnections"),
    ("en", "call getUserName()", "user name"),
    ("en", "send an e-mail", "email"),
    ("en", "The company's policies", "policy"),
    ("en", "the ﬁnal ＡＢＣ", "final abc"),
    ("en", "1,234.5 dollars", "1234.5"),
    ("en", "upgrade to v15.2", "15.2"),
    ("en", "write to me@example.com", "me@example.com"),
    ("en", "see https://docs.example.com/guide", "docs.example.com"),
    ("en", "naïve café", "naive cafe"),
    ("de", "Die Häuser in der Straße", "Haus STRASSE"),
    ("de", "Herr Müller", "Mueller"),
    ("de", "Herr Müller", "Muller"),
    ("de", "1.234 Euro", "1234"),
    ("hu", "A házakban laknak", "ház"),
    ("hu", "munkaszerződések", "munkaszerződés"),
    ("es", "las canciones españolas", "canción española"),
    ("fr", "l'homme, aujourd’hui, d’accord", "homme accord"),
    ("it", "dell'acqua", "acqua"),
    ("ru", "в больших городах", "большой город"),
    ("ar", "كَتَبَ الكتاب", "كتاب"),
    ("ko", "서울특별시는 물을 마신다", "서울 물"),
    ("zh", "黑豹队的防守只丢了308分", "防守 308"),
    ("zh", "我家的黑猫", "猫"),
    ("ja", "東京タワーは高い", "タワー"),
    ("ja", "黒い猫は眠る", "猫が"),
    ("ja", "ﾊﾟｿｺﾝを買う", "パソコン"),
    ("th", "กรุงเทพมหานครเป็นเมืองหลวง", "เมืองหลวง"),
    ("tr", "İstanbul'da", "istanbul"),
    ("und", "Müller", "muller"),
]


@pytest.mark.parametrize(("language", "text", "question"), FOUND)
def test_a_question_meets_the_text(language, text, question):
    asked = query_terms(question, language)
    met = set(asked) & set(terms(text, language))
    assert len(met) >= min(len(question.split()), len(asked))


@pytest.mark.parametrize("text", ["to be or not to be", "the who", "The Who"])
def test_stop_words_alone_are_found(text):
    assert query_terms(text, "en") == [word.lower() for word in text.split()]
    assert set(query_terms(text, "en")) <= set(terms(f"He said: {text}!", "en"))


@pytest.mark.parametrize(
    ("language", "question", "kept"),
    [
        ("en", "What is the capital of France?", ["capit", "franc"]),
        ("en", "What does the WHO say about it?", ["who", "say"]),
        ("de", "Wer hat das Spiel gewonnen?", ["spiel", "gewonn"]),
        ("hu", "Ki nyerte a bajnokságot?", ["nyert", "bajnoksag"]),
        ("fr", "Qui a gagné la coupe ?", ["gagn", "coup"]),
    ],
)
def test_questions_lose_their_stop_words(language, question, kept):
    assert query_terms(question, language) == kept


def test_acronyms_are_indexed_as_words():
    assert terms("WHO, WHO and the WHO's", "en").count("who") == 3


def test_stop_words_are_indexed_once():
    assert terms("the cat and the dog and the bird", "en").count("the") == 1


def test_long_tokens_are_cut_alike():
    for long in ("x" * 500, "ö" * 500, "достопримечательность" * 9):
        (term,) = set(terms(long, "und"))
        assert query_terms(long, "und") == [term]
        assert 30 <= len(term.encode()) <= MAX_TERM_BYTES


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(), max_size=120), st.sampled_from(LANGUAGES))
def test_any_text_gives_clean_terms_that_agree(text, language):
    indexed = terms(text, language)
    asked = query_terms(text, language)
    for term in indexed + asked:
        assert term
        assert term.split() == [term]
        assert len(term.encode()) <= MAX_TERM_BYTES
    assert set(asked) <= set(indexed)
    assert terms(text, language) == indexed


def test_a_full_cache_changes_nothing(monkeypatch):
    before = terms("The cats sat on the mats", "en")
    monkeypatch.setattr(words, "CACHE_ENTRIES", 3)
    for count in range(20):
        terms(f"word{count} and another{count}", "en")
    assert terms("The cats sat on the mats", "en") == before


def test_threads_agree():
    texts = [f"running{i} dogs were chasing the cats' toys {i}" for i in range(300)]
    wanted = [terms(text, "en") for text in texts]
    words._analysers.clear()
    found: list[list[list[str]]] = []
    threads = [threading.Thread(target=lambda: found.append([terms(t, "en") for t in texts])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


def test_long_pieces_do_not_outgrow_what_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "CACHE_ENTRIES", 200)
    monkeypatch.setattr(words, "_analysers", {})
    for number in range(100):
        assert f"n{number}" in terms("the-" + f"{'x' * 990}-n{number}", "en")
        held = words._analysers["en"]
        assert sum(map(len, held)) <= 2 * 200 * words.CACHED_CHARS
        assert sum(map(len, held.stop_terms)) <= 2 * 200 * words.CACHED_CHARS

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cpu_time import at_most

from load.samples import PARAGRAPHS, source
from rove.errors import InputError
from rove.load.text import TextLoader, decode

KOREAN = "한국어 문서의 인코딩을 올바르게 인식하는 것은 중요합니다. 서울은 대한민국의 수도입니다."
FRENCH = "L'été dernier, nous avons déjà visité la forêt où le garçon naïf a été trouvé près du château."
RUSSIAN = "Кодировка русского текста должна распознаваться правильно. Москва является столицей России."
CHINESE = PARAGRAPHS["zh"] + "中文文本的编码识别是一个常见的问题。"
TRADITIONAL = "中文文本的編碼識別是一個常見的問題。臺北是臺灣的首都，人口超過兩百萬。"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (PARAGRAPHS["ja"], "shift_jis"),
        (PARAGRAPHS["ja"], "euc_jp"),
        (PARAGRAPHS["ja"], "iso2022_jp"),
        (PARAGRAPHS["ja"], "utf-16"),
        (CHINESE, "gb18030"),
        (CHINESE, "utf-32"),
        (TRADITIONAL, "big5"),
        (PARAGRAPHS["hu"], "cp1250"),
        (PARAGRAPHS["hu"], "utf-16-le"),
        (PARAGRAPHS["hu"], "utf-16-be"),
        (PARAGRAPHS["de"], "cp1252"),
        (FRENCH, "cp1252"),
        (KOREAN, "euc_kr"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (PARAGRAPHS["zh"], "utf-8-sig"),
    ],
)
@pytest.mark.parametrize("repeats", [1, 3000])
def test_every_encoding_comes_back_whole(text: str, encoding: str, repeats: int) -> None:
    text = (text + "\n") * repeats
    assert decode(text.encode(encoding)) == text


def test_foreign_letters_are_found_behind_a_megabyte_of_ascii() -> None:
    text = "plain line\n" * 100_000 + PARAGRAPHS["de"]
    assert decode(text.encode("cp1252")) == text


def test_utf8_that_was_cut_or_bitten_stays_utf8() -> None:
    data = (PARAGRAPHS["zh"] * 20).encode()
    assert decode(data[:-1]) == (PARAGRAPHS["zh"] * 20)[:-1]
    bitten = decode(data[:300] + b"\xff" + data[300:])
    assert bitten.replace("\ufffd", "") == PARAGRAPHS["zh"] * 20


@given(st.text())
def test_any_utf8_is_kept_save_line_ends_and_nul(text: str) -> None:
    wanted = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").removeprefix("\ufeff")
    assert decode(b"\xef\xbb\xbf" + text.removeprefix("\ufeff").encode()) == wanted


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_unreadable(data: bytes) -> None:
    try:
        assert decode(data).encode("utf-8") is not None
    except InputError as error:
        assert error.outcome == "unreadable"
        assert error.cure


def test_one_endless_line_is_read_in_linear_time() -> None:
    data = ("wörd " * 8_000_000).encode("utf-8")
    with at_most(8):
        assert len(decode(data)) == 40_000_000


def test_the_loader_keeps_the_text_and_names_it() -> None:
    [document] = TextLoader().load(source("text", b"one\r\n  two\n\n", "Meine Notiz.txt"))
    assert document.text == "one\n  two\n\n"
    assert document.title == "Meine Notiz"

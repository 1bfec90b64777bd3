"""Subtitles and transcripts of calls: the words, who says them, and when."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import Rove
from rove.errors import InputError
from rove.load.sniff import sniff
from rove.load.sound.subtitles import SubtitlesLoader
from rove.records import Document, Source
from rove.records.moment import time_at

CALL = """WEBVTT - weekly call
Kind: captions
Language: en

NOTE made by a machine, 00:00 is the beginning

STYLE
::cue { color: lime }

4f1c-0
00:00:01.000 --> 00:00:04.500 align:start position:0%
<v Anna Weil>The rent of the hall is <b>4,200</b> euros.</v>

4f1c-1
00:00:04.500 --> 00:00:06.000
<v Anna Weil>From May on.</v>

4f1c-2
01:02.500 --> 01:05.000
<v.loud Béla>And who pays the heating &amp; water?</v>
<v Anna Weil>The tenant.</v>
"""
FILM = "\r\n".join([
    "1", "00:00:01,000 --> 00:00:03,000", "{\\an8}<i>Tegnap este</i>", "megjött a szállítmány.", "",
    "2", "00:00:03,100 --> 00:00:05,000", '<font color="#fff">– 1984</font>', "3", "00:01:10,000 --> 00:01:12,000",
    "if a <3 and b> 2", "",
])  # fmt: skip
ROLLING = """WEBVTT

00:00.000 --> 00:02.000
 
Der Keller<00:00:00.500><c> steht</c><00:00:01.000><c> unter Wasser</c>

00:02.000 --> 00:02.010
Der Keller steht unter Wasser
 

00:02.010 --> 00:04.000
Der Keller steht unter Wasser
und<00:00:03.000><c> niemand hat die Pumpe geprüft</c>
"""  # noqa: W291, W293 - as YouTube writes them


def read(text: str | bytes, name: str = "call.vtt") -> Document:
    data = text.encode() if isinstance(text, str) else text
    [document] = SubtitlesLoader().load(Source(f"/{name}", name, data, "subtitles"))
    return document


def test_who_says_what_and_when() -> None:
    document = read(CALL)
    assert document.text == (
        "# call\n\nAnna Weil: The rent of the hall is 4,200 euros. From May on.\n\n"
        "Béla: And who pays the heating & water?\n\nAnna Weil: The tenant."
    )
    assert (document.language, document.metadata["speakers"]) == ("en", ("Anna Weil", "Béla"))
    for words, clock in (("4,200", "0:01–0:04"), ("From May", "0:04–0:06"), ("heating", "1:02–1:05")):
        start = document.text.index(words)
        time = time_at(document, (start, start + len(words)))
        assert time and time.clock == clock


def test_styles_numbers_and_line_ends_of_films_go_and_words_stay() -> None:
    text = read(FILM, "film.srt").text
    assert text == "# film\n\nTegnap este megjött a szállítmány. 1984\n\nif a <3 and b> 2"


def test_a_line_that_is_shown_on_stands_once() -> None:
    assert read(ROLLING).text == "# call\n\nDer Keller steht unter Wasser und niemand hat die Pumpe geprüft"


def test_what_is_said_three_times_stands_three_times() -> None:
    cue = "00:0{n}.000 --> 00:0{n}.500\nStop the pump now!\n\n00:0{n}.600 --> 00:0{n}.900\nDo you hear?\n\n"
    said = "WEBVTT\n\n" + "".join(cue.format(n=n) for n in range(3))
    assert read(said).text.count("Stop the pump now!") == 3
    same = "WEBVTT\n\n" + "".join(f"00:0{n}.000 --> 00:0{n}.500\n<v A{n}>Stop the pump now!\n\n" for n in range(4))
    assert read(same).text.count("Stop the pump now!") == 4


def test_words_without_spaces_are_joined_without_and_readings_beside_them_go() -> None:
    text = (
        "1\n00:00:01,000 --> 00:00:02,000\n<ruby>漢<rt>かん</rt></ruby>字の会議です。\n\n"
        "2\n00:00:02,000 --> 00:00:03,000\n部長が承認します。\n"
    )
    assert read(text, "会議.srt").text == "# 会議\n\n漢字の会議です。部長が承認します。"


def test_old_encodings_are_read() -> None:
    assert (
        "árvíztűrő"
        in read("1\n00:00:01,000 --> 00:00:02,000\nEz egy árvíztűrő szöveg, és még egy sor.\n".encode("cp1250")).text
    )


@pytest.mark.parametrize(
    "data", [b"WEBVTT\n\nNOTE nothing\n", b"1\n00:01 -> 00:02\nno arrow\n", b"WEBVTT\n\n00:01.000 --> 00:02.000\n\n"]
)
def test_what_says_nothing_is_told(data: bytes) -> None:
    with pytest.raises(InputError, match=r"call\.vtt") as caught:
        read(data)
    assert caught.value.outcome == "empty"


def test_it_is_known_without_a_suffix_and_a_text_about_it_is_a_text() -> None:
    assert sniff(CALL.encode(), "") == "subtitles"
    assert sniff(b"WEBVTT is a format.\n", "") == ""
    assert sniff(CALL.encode(), "markdown") == "markdown"


def test_an_answer_says_when_it_was_said(tmp_path: Path) -> None:
    (tmp_path / "weekly.vtt").write_text(CALL, "utf-8")
    with Rove.open(tmp_path / "kb") as kb:
        assert kb.add(tmp_path / "weekly.vtt").failed == ()
        [citation, *_] = kb.ask("How much is the rent of the hall?").citations
        [info] = kb.documents()
    assert "4,200" in citation.quote and citation.place == "0:01–0:04"
    assert (info.kind, info.title) == ("subtitles", "weekly")

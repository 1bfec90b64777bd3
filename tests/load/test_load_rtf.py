from __future__ import annotations

import pytest
from tests.cpu_time import at_most

from load.samples import PARAGRAPHS, source
from load.samples_office import rtf_sample
from rove.errors import InputError
from rove.load.office.rtf.loader import RtfLoader
from rove.records import Document

HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset238 Arial CE;}"
    r"{\f2\fcharset128 MS Gothic;}"
    r"{\f3\fcharset2 Symbol;}{\f4\fcharset134 SimSun;}}{\colortbl;\red0;}{\stylesheet{Normal;}"
    r"{\s1\outlinelevel0 Mein Titel;}"
    r"{\s2 heading 2;}{\s3 caption;}{\s4 Source Code;}{\*\cs10 Zeichen;}}"
)


def load(body: str | bytes) -> Document:
    data = HEAD.encode() + (body.encode("latin-1") if isinstance(body, str) else body) + b"}"
    [document] = RtfLoader().load(source("rtf", data, "file.rtf"))
    return document


def test_unicode_and_headings() -> None:
    [document] = RtfLoader().load(source("rtf", rtf_sample()))
    assert document.text == "\n\n".join(f"# Teil {code}\n\n{text}" for code, text in PARAGRAPHS.items())


def test_code_pages_by_font() -> None:
    body = (
        rb"\f0 Stra\'dfe \f1 \'e1rv\'edzt\'fbr\'f5 \f2 \'93\'fa\'96\'7b\'8c\'ea \f4 "
        + "中文".encode("gb18030")
        + rb"\f3 \'b7\f0\par"
        rb"\uc2\u26085\'93\'fa\uc1 \u-10179?\u-8704? {\uc0\u233}e\par"
    )
    assert load(body).text == "Straße árvíztűrő 日本語 中文•\n\n日😀 ée"


def test_styles_make_headings_captions_and_code() -> None:
    body = (
        r"\pard\s1 Egy\par\pard\s2 Zwei\par\pard\outlinelevel2 Drei\par\pard\s4 def f():\par     pass\par"
        r"\pard Text\par\pard\s3 1. t\u225?bl\u225?zat\par\trowd\cellx1000\cellx2000\intbl a\cell b\cell\row"
        r"\intbl 1\cell 2|3\cell\row\pard Ende\par"
    )
    document = load(body)
    assert document.text == (
        "# Egy\n\n## Zwei\n\n### Drei\n\n```\ndef f():\npass\n```\n\nText\n\n1. táblázat\n\n"
        "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |\n\nEnde"
    )
    assert [(b.kind, b.caption) for b in document.blocks] == [("table", "1. táblázat")]


def test_rows_that_state_their_own_cells_share_columns() -> None:
    body = (
        r"\trowd\trhdr\cellx1000\cellx3000\intbl\cell 2023\cell\row"
        r"\trowd\trhdr\cellx1000\cellx2000\cellx3010\intbl Mio.\cell Q1\cell Q2\cell\row"
        r"\trowd\clvmgf\cellx1000\cellx2000\cellx3000\intbl x\par y\cell 1\cell 2\cell\row"
        r"\trowd\clvmrg\cellx1000\cellx2000\cellx3000\intbl\cell 3\cell 4\cell\row\pard\par"
    )
    assert load(body).text == "| Mio. | 2023 Q1 | Q2 |\n| --- | --- | --- |\n| x y | 1 | 2 |\n|  | 3 | 4 |"


def test_lists_links_notes_comments_and_pictures() -> None:
    body = (
        r"{\listtext\pard\plain 1.\tab}\ls1\ilvl0 egy\par{\listtext\f3\'b7\tab}\ls2\ilvl1 zwei\par\pard "
        r'l\u225?sd {\field{\*\fldinst HYPERLINK "https://example.org/x"}{\fldrslt itt}}'
        r"{\super\chftn{\footnote\chftn  L\u225?b.\par}}"
        r" {\*\atnid A}{\*\atnauthor \u193?gnes}\chatn{\*\annotation{\*\atndate 1}Stimmt das?} und {\v "
        r"geheim}{\deleted weg}\par"
        r"\pard{\*\shppict{\pict{\*\picprop{\sp{\sn wzDescription}{\sv Ein Hund}}}\pngblip 89504e47}}"
        r"{\nonshppict{\pict\wmetafile8 00}}\par{\object{\*\objdata 0105}{\result eredm\u233?ny}}{\header Fej}"
        r"{\info{\title C\u237?m}{\author \u201?va}{\creatim\yr2024\mo3\dy1}}\par"
    )
    document = load(body)
    assert document.text == (
        "Fej\n\n1. egy\n  - zwei\n\nlásd [itt](https://example.org/x)[^1]  und\n\n> Comment (Ágnes): Stimmt das?\n\n"
        "![Ein Hund](image1.png)\n\neredmény\n\n[^1]: Láb."
    )
    assert document.title == "Cím"
    assert document.metadata == {"author": "Éva", "created": "2024-03-01T00:00:00"}


def test_binary_data_and_unknown_groups_are_left_out() -> None:
    assert load(b"a{\\pict\\bin5 }}}}}b}{\\*\\unknown{x}y}\\~c\\_d\\par").text == "a![](image1)\xa0c-d"
    assert "unknown" not in load(r"a{\*\unknown unknown}b\par").text


def test_a_file_that_ends_in_the_middle_is_read_so_far() -> None:
    whole = rtf_sample()
    loader = RtfLoader().load(source("rtf", whole[: len(whole) // 2], "file.rtf"))
    assert next(loader).text.startswith("# Teil en\n\nThe quick")
    with pytest.raises(InputError, match="middle") as caught:
        next(loader)
    assert caught.value.outcome == "partial"


def test_what_is_no_rtf_or_holds_nothing() -> None:
    for data, outcome in ((b"hello", "damaged"), (b"{\\rtf1}", "empty"), (b"{\\rtf1{\\pict 00", "damaged")):
        with pytest.raises(InputError) as caught:
            list(RtfLoader().load(source("rtf", data)))
        assert caught.value.outcome == outcome


@pytest.mark.parametrize(
    "body",
    ["{" * 300_000 + "x", "\\u8212" * 100_000, "\\trowd\\cellx1" * 100_000 + "\\cell" * 200_000,
     "{\\field{\\fldinst x}" * 50_000, "\\'" * 200_000, "\\" * 400_000, "{\\footnote " * 50_000,
     "\\pard\\par" * 100_000, "\\bin99999999999 x", "\\u" + "9" * 99],
    ids=["braces", "unicode", "cells", "fields", "quotes", "slashes", "notes", "paragraphs", "bin", "digits"],
)  # fmt: skip
def test_hostile_files_end_in_time(body: str) -> None:
    with at_most(8):
        try:
            list(RtfLoader().load(source("rtf", (HEAD + "text " + body).encode())))
        except InputError as error:
            assert error.outcome in ("partial", "damaged", "empty")

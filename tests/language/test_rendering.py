"""What is shown of canonical texts: whole and cut, in five languages; what only looks like markdown stays."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.cpu_time import growth

from rove.language.rendering import Link, render, rows_of_cells

SENTENCES = {
    "en": (
        "Since 2014 it is led by **[Satya Nadella](/wiki/Satya_Nadella)**.[[98]](#cite_note-98)[99] It *grew*.[^1]",
        "Since 2014 it is led by Satya Nadella. It grew.",
        Link("Satya Nadella", "/wiki/Satya_Nadella"),
    ),
    "de": (
        "[Görlitz](/wiki/G%C3%B6rlitz \"Görlitz\") wurde **1071** erwähnt[^3].[4] Mehr im `Archiv`.",
        "Görlitz wurde 1071 erwähnt. Mehr im Archiv.",
        Link("Görlitz", "/wiki/G%C3%B6rlitz"),
    ),
    "hu": (
        "A könyvtárat **[Széchényi Ferenc](https://hu.example/Szechenyi)** alapította 1802-ben.[12]",
        "A könyvtárat Széchényi Ferenc alapította 1802-ben.",
        Link("Széchényi Ferenc", "https://hu.example/Szechenyi"),
    ),
    "zh": (
        "[清华大学](/wiki/清华大学)由**周诒春**于1911年创办。[5][^注]后来**扩大**了。",
        "清华大学由周诒春于1911年创办。后来扩大了。",
        Link("清华大学", "/wiki/清华大学"),
    ),
    "ja": (
        "[任天堂](/wiki/任天堂)は**[山内房治郎](/wiki/山内)**によって創業された[^7]。[8]",
        "任天堂は山内房治郎によって創業された。",
        Link("任天堂", "/wiki/任天堂"),
    ),
}  # fmt: skip
UNTOUCHED = (
    "The interval [0, 1] and [0, 1), x[1], a[i][j], f(x)[1], see [1] and [2, 3].",
    "2*3*4 = 24, a * b * c, 2**10, 5* hotel, **kwargs after *args, snake_case_name, __init__ runs.",
    r"Save it to \\server\share, as List<String> where a < b.",
    "The class [^a-z] and x[^b]+ match; |x| + |y| ≤ |x + y|.",
    "[^a-z] is a class.",
    "|x| ≤ 1",
    "|x| + |y| = |z|",
    "|x|",
    "It costs $5 or $10, $x_1 * y_1$ and $$a_{1} * b_{2}$$.",
    "1986. Ein gutes Jahr.",
    "数组 a[1] 与 [0, 1]。",
)
CUT = {
    "Nadella](/wiki/Satya_Nadella) leads it.": "Nadella leads it.",
    "ikipedia.org/wiki/Satya_Nadella) leads it.": "leads it.",
    "It is led by [Satya Nadella](/wiki/Sat": "It is led by Satya Nadella",
    'It is led by [Satya Nadella](/wiki/X "Satya N': "It is led by Satya Nadella",
    "It is led by [Satya Na": "It is led by Satya Na",
    "A picture: ![The camp": "A picture: The camp",
    "**It is bold. And so": "It is bold. And so",
    "** And so on.": "And so on.",
    "and so on.**": "and so on.",
    "    - deep\n    - deeper\n- top": "• deep\n• deeper\n• top",
    "| 2014 | [Oslo](/o) |\n| 2015 | Ber": "2014\tOslo\n2015\tBer",
    "Oslo | 2014 |\n| Rome | 2015 |": "Oslo\t2014\nRome\t2015",
    "| --- | --- |\n| Oslo | 2014 |": "Oslo\t2014",
    "|Oslo|2014|": "Oslo\t2014",
    "| Oslo | 2014 |": "Oslo\t2014",
}  # fmt: skip
PIECES = st.lists(st.sampled_from(list("[](){}|*_`#$\\<>!^:-1a字。 \n\t") + ["](/w/", "```", "$$", "| ", "- ", "[^1]"]))


@pytest.mark.parametrize("language", SENTENCES)
def test_links_stand_apart_and_marks_are_gone(language: str) -> None:
    text, said, link = SENTENCES[language]
    shown = render(text)
    assert shown.text == said
    assert link in shown.links
    assert render(said).text == said


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_only_looks_like_markdown_stays(text: str) -> None:
    assert render(text).text == text


@pytest.mark.parametrize("text", CUT)
def test_a_piece_that_was_cut_is_shown_as_far_as_it_goes(text: str) -> None:
    assert render(text).text == CUT[text]


def test_blocks_are_spans_of_what_is_shown() -> None:
    text = (
        "## Heads\n\nYou need:\n\n- a **badge**\n- a form\n  in two parts\n1. Go.\n\n| City | Head |\n|---|---|\n"
        "| [Oslo](/o) | a \\| b |\n\n![The hall](hall.png)\n\n```py\nx = items[1]  # **no**\n```\n\n"
        "$$\na_1 * b_1\n$$\n\n> quoted *words*"
    )
    shown = render(text)
    assert [(block.kind, said) for block, said in shown.parts()] == [
        ("heading", "Heads"),
        ("text", "You need:"),
        ("item", "• a badge"),
        ("item", "• a form\n  in two parts"),
        ("item", "1. Go."),
        ("table", "City\tHead\nOslo\ta | b"),
        ("image", "The hall"),
        ("code", "x = items[1]  # **no**"),
        ("formula", "$$\na_1 * b_1\n$$"),
        ("text", "> quoted words"),
    ]
    table = next((block, said) for block, said in shown.parts() if block.kind == "table")
    assert table[0].headed
    assert rows_of_cells(table[1]) == [["City", "Head"], ["Oslo", "a | b"]]
    assert shown.links == (Link("Oslo", "/o"),)


def test_a_piece_of_a_split_table_stands_under_its_head() -> None:
    shown = render("| Oslo | 709,000 |", head="Cities\n| City | People |\n| | in 2023 |")
    assert [block.headed for block in shown.blocks] == [True]
    assert rows_of_cells(shown.text) == [["City", "People"], ["", "in 2023"], ["Oslo", "709,000"]]
    whole = "| City |\n| --- |\n| Oslo |"
    assert render(whole, head="| City |") == render(whole)


def test_on_one_line_rows_and_cells_stay_apart() -> None:
    assert render("Heads:\n\n| City | Head |\n|---|---|\n| Oslo | Ada |").line == "Heads: City · Head; Oslo · Ada"


def test_no_address_is_a_link_of_its_own_and_none_is_led_to() -> None:
    shown = render(
        "<https://a.example> [press](javascript:hacked=1) [](#x) [](https://b.example/c) [[PDF]](https://p.example)"
    )
    assert shown.text == "https://a.example press  https://b.example/c [PDF]"
    assert shown.links == (Link("press", "javascript:hacked=1"), Link("[PDF]", "https://p.example"))


@pytest.mark.parametrize(
    "mark",
    [
        "[[citation needed]](/wiki/Wikipedia:Citation_needed)",
        "[[citation needed](/wiki/Wikipedia:Citation_needed)]",
        "[[要出典](/wiki/Wikipedia:出典)]",
        "[98](#cite_note-Smith_(2010)-98)",
        r"[\[98\]](https://en.wikipedia.org/wiki/X#cite_note-98)",
        "[^98]",
    ],
)
def test_marks_of_references_go_with_the_blank_before_them(mark: str) -> None:
    assert render(f"It is so{mark}, they say {mark}. And {mark} on.").text == "It is so, they say. And on."


def test_html_that_a_text_brings_along_is_dropped_and_other_brackets_stay() -> None:
    text = "One<br>two <b>three</b> <!-- no --> <T> H<sub>2</sub>O\n\n<div>four</div>"
    assert render(text).text == "One\ntwo three  <T> H2O\n\nfour"


def test_where_nothing_would_be_left_the_text_stands_as_it_is() -> None:
    assert render("  [^2] ").text == "[^2]"
    assert render(" \n ").text == ""


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["# ", "## ", "#", "\n", "\n\n", " ", "    ", "a", "字。", "\u3000", "]", "!"])))
def test_prose_is_shown_as_the_parser_would_have_it(pieces: list[str]) -> None:
    text = "".join((*pieces, "a"))
    shown = render(text)
    parsed = render(f"{text}\n\n`x`")  # code sends it through the parser
    assert f"{shown.text}\n\nx" == parsed.text
    assert shown.blocks == parsed.blocks[:-1]


@settings(max_examples=300, deadline=None)
@given(PIECES)
@example(["$$", "\t", "$$"])
def test_any_piece_is_shown_and_its_blocks_are_in_order(pieces: list[str]) -> None:
    text = "".join(pieces)
    shown = render(text)
    assert shown.text or not text.strip()
    assert "\0" not in shown.text
    ends = [0, *(block.span[1] for block in shown.blocks)]
    assert all(before <= block.span[0] < block.span[1] for before, block in zip(ends, shown.blocks, strict=False))
    assert ends[-1] == len(shown.text)
    assert all("\t" not in said for block, said in shown.parts() if block.kind != "table")


@pytest.mark.parametrize(
    "unit", ["[[a]](#note ", "[^1]: ", "**a", "<!--", "| ", "_a_", "![", "- a\n  ", "> a\n", "a\n", "$$a\n", "|a\n"]
)
def test_time_grows_no_faster_than_the_text(unit: str) -> None:
    assert growth(lambda count: render(unit * count), 4_000, 16_000) < 10  # with the square it would be 16 times

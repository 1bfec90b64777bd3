"""A report as a page: its citations open at the words, nothing becomes markup, nothing is loaded."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from rove.paper.line_chart import chart
from rove.paper.paper_page import paper_html, report_words
from rove.records import Citation, Document, Section, Sentence
from rove.records.paper import (
    Chain,
    ChainEdge,
    ChainNode,
    Chart,
    Paper,
    PaperCell,
    PaperSection,
    PaperTable,
    Series,
)

TEXT = "# Accounts\n\nRevenue grew <fast>.\n\n| Line | 2024 |\n| --- | --- |\n| Revenue | 420.0 |\n| Costs | 42.0 |\n"
DOCUMENT = Document(
    "d", "accounts.md", "markdown", TEXT, "Accounts", "en", sections=(Section("Year", 2, (0, len(TEXT))),)
)


def cited(words: str, document: Document = DOCUMENT) -> Citation:
    start = document.text.index(words)
    return Citation(0, "c", document.document_id, document.source, document.title, words, (start, start + len(words)))


def written(*sentences: Sentence, sources: dict[str, Document] | None = None, **more: object) -> str:
    paper = replace(Paper("A <title>", sentences), **more)
    return paper_html(paper, {"d": DOCUMENT} if sources is None else sources)


def test_a_citation_opens_at_its_words() -> None:
    made = written(Sentence("It grew.", (cited("Revenue grew <fast>."),)))
    assert '<a href="#source-1" class="cite" id="cite-1" title="Accounts">[1]</a>' in made
    assert "<mark>Revenue grew &lt;fast&gt;.</mark>" in made
    assert "Accounts › Year" in made
    assert report_words("en")["unproved"] not in made


def test_a_cell_is_shown_in_its_row_under_the_header() -> None:
    made = written(Sentence("It is 420.", (cited("420.0"),)))
    assert '<th scope="col">2024</th>' in made
    assert "<td>Revenue</td><td><mark>420.0</mark></td>" in made
    assert "42.0</td>" not in made.replace("420.0", "")


def test_the_same_words_have_one_number_wherever_they_are_cited() -> None:
    one, other = cited("420.0"), cited("Revenue grew <fast>.")
    cells = ((PaperCell("a", (other,)), PaperCell("b", (one,))),)
    section = PaperSection("S", tables=(PaperTable(("x", "y"), cells),))
    made = written(Sentence("A.", (one,)), sections=(section,))
    assert re.findall(r'href="#source-(\d)"', made) == ["1", "2", "1"]
    assert made.count("<li ") == 2
    ids = re.findall(r' id="([^"]+)"', made)
    assert len(ids) == len(set(ids))
    assert {one for one in re.findall(r'href="#([^"]+)"', made)} <= set(ids)


@pytest.mark.parametrize("sources", [{}, {"d": replace(DOCUMENT, text="Something else, much longer than it was.")}])
def test_words_that_do_not_stand_in_the_source_are_shown_as_such(sources: dict[str, Document]) -> None:
    made = written(Sentence("It grew.", (cited("420.0"),)), sources=sources)
    assert report_words("en")["unproved"] in made
    assert "<mark>" not in made


def test_nothing_becomes_markup_and_nothing_is_loaded() -> None:
    evil = "<script>alert(1)</script><img src=https://x.example/a.png>"
    document = replace(DOCUMENT, text=evil, title=evil, source=evil)
    nodes = (ChainNode("a", evil, evil, 0), ChainNode("b", "B", "", 1))
    section = PaperSection(
        evil,
        (Sentence(evil, (cited(evil, document),)),),
        (Chain(evil, nodes, (ChainEdge("a", "b", True), ChainEdge("b", "gone"))),),
        (Chart(evil, "lines", (evil,), (Series(evil, (1.0,)),), evil, evil, 1.0, evil, evil, evil),),
        (PaperTable((evil,), ((PaperCell(evil),),), evil),),
        (evil,),
    )
    made = written(sections=(section,), sources={"d": document}, kicker=evil, notes=(evil,))
    assert "<script" not in made
    assert "<img" not in made
    assert "default-src 'none'" in made.replace("&#x27;", "'")
    assert not re.search(r'(?:src|href)="(?!#)', made)
    assert "@import" not in made
    assert "url(" not in made


@pytest.mark.parametrize(
    ("language", "word"), [("de", "Quellen"), ("zh", "来源"), ("hu", "Források"), ("ja", "出典"), ("xx", "Sources")]
)
def test_the_pages_own_words_are_those_of_its_language(language: str, word: str) -> None:
    made = written(Sentence("A.", (cited("420.0"),)), language=language)
    assert f"<h2>{word}</h2>" in made
    assert f'<html lang="{language}">' in made


def test_all_languages_have_the_same_words() -> None:
    assert all(report_words(one).keys() == report_words("en").keys() for one in ("de", "hu", "zh", "ja"))


def test_a_chart_draws_what_is_there_and_says_the_numbers() -> None:
    made = chart(
        "c", Chart("T", "bars", ("2023", "2024"), (Series("Cash", (None, -3.0)), Series("Debt", (2.0, 4.0)))), "N"
    )
    assert made.count("<rect") == 3 + 2  # three bars, and a key for each series
    assert "−3" in made
    assert '<th scope="row">2023</th><td></td><td>2</td>' in made
    assert chart("c", Chart("T", "lines", ("2023",), (Series("Cash", (None,)),)), "N") == ""


def test_a_line_has_a_point_for_each_value() -> None:
    made = chart(
        "c", Chart("T", "lines", tuple("abcd"), (Series("S", (1.0, None, 3.0, 2.0)),), limit=2.5, mark="c"), "N"
    )
    path = re.search(r'd="(M[^"]+)" class="line"', made)
    assert path is not None
    assert path[1].count("L") == 2
    assert made.count("<circle") == 3
    assert 'class="limit"' in made
    assert 'class="mark"' in made

"""Sections recovered from the lines of a text: numbers, names, capitals, bold; contents pages and lists are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.cpu_time import growth

from rove.chunk.cut import cut_document
from rove.chunk.outline import recovered_sections
from rove.records import Document, Section

Make = Callable[..., Document]
BODY = "Some words of prose stand here, and then some more.\n\n"


def outline(text: str, **fields: object) -> list[tuple[str, int]]:
    document = Document("d", "s", "text", text, **fields)  # type: ignore[arg-type]
    return [(s.title, s.level) for s in recovered_sections(document)]


@pytest.mark.parametrize(
    ("lines", "levels"),
    [
        (["1 Introduction", "1.1 Aim", "1.2 Scope", "2 Methods"], [1, 2, 2, 1]),
        (["1. Bevezetés", "1.1. Cél", "1.1.1. Részletek", "2. Módszerek"], [1, 2, 3, 1]),
        (["§ 1 Geltungsbereich", "§ 2 Begriffe", "§ 3 Fristen"], [1, 1, 1]),
        (["Teil I Allgemeines", "Kapitel 1: Zweck", "Abschnitt 1", "Teil II Besonderes"], [1, 2, 3, 1]),
        (["Chapter IV The Storm", "Section 1. Wind", "Chapter V"], [1, 2, 1]),
        (["I. rész: A múlt", "IV. fejezet", "2. szakasz"], [1, 2, 3]),
        (["第一編 総則", "第三章 労働時間", "第2節 休日", "第三十二条"], [1, 2, 3, 4]),
        (["第三章 财务报告", "第一节 概述", "第四章 附则"], [1, 2, 1]),
        (["PREFACE AND THANKS", "WHAT THIS BOOK IS"], [1, 1]),
        (["**First thing**", "__Second thing:__"], [1, 1]),
        (["# Marked", "## Below"], [1, 2]),
        (["INTRODUCTION", "1 Aim", "2 Scope", "METHODS"], [1, 2, 2, 1]),
        (["1 Aim", "A NOTE ON WORDS", "2 Scope"], [1, 2, 1]),
    ],
)
def test_headings_of_many_kinds(lines: list[str], levels: list[int]) -> None:
    text = "".join(f"{line}\n\n{BODY}" for line in lines)
    found = outline(text)
    assert [level for _, level in found] == levels
    for (title, _), line in zip(found, lines, strict=True):
        assert title == line.strip("#*_: ").rstrip(":")


@pytest.mark.parametrize(
    "text",
    [
        "1. Take the bread.\n2. Cut it.\n3. Eat it.\n",
        "Buy:\n\n1. Milk\n\n2. Bread\n\n3. Eggs\n\n4. Salt\n\nThen go home.\n",
        "2024 Was a good year for wine\n\n" + BODY,
        "In 1999 we met.\n\n12 Monkeys is a film\n\n" + BODY,
        "1 Introduction ........ 3\n2 Methods ........ 7\n\n" + BODY,
        "Partly so\n\nBookX\n\nIt is **very** important.\n\n" + BODY,
        "Chapter 4 is where the story turns, as every reader of the book will know by now.\n\n" + BODY,
        "```\n# no heading\n\n1 None\n```\n\n" + BODY,
        "| 1 A | b |\n|---|---|\n| 2 B | c |\n\n" + BODY,
        "",
    ],
)
def test_what_is_no_heading(text: str) -> None:
    assert outline(text) == []


def test_a_contents_page_is_no_list_of_headings() -> None:
    titles = ["1 Travel", "2 Leave", "3 Pay", "4 Notice", "5 Final words"]
    contents = "Contents\n\n" + "\n\n".join(titles) + "\n\n"
    text = contents + "".join(f"{title}\n\n{BODY}" for title in titles)
    document = Document("d", "s", "text", text)
    found = recovered_sections(document)
    assert [s.title for s in found] == titles
    assert found[0].span[0] == len(contents)


def test_known_sections_are_kept_and_a_lone_title_stands_above_what_is_recovered() -> None:
    text = f"# Book\n\n{BODY}1 One\n\n{BODY}2 Two\n\n{BODY}"
    lone = (Section("Book", 1, (0, len(text))),)
    assert outline(text, sections=lone) == [("Book", 1), ("1 One", 2), ("2 Two", 2)]
    known = (*lone, Section("Two", 2, (text.index("2 Two"), len(text))))
    assert outline(text, sections=known) == [("Book", 1), ("Two", 2)]


def test_chunks_carry_the_recovered_headings(make_document: Make) -> None:
    text = f"1 Travel\n\n{BODY}1.1 Trains\n\n{BODY}2 Leave\n\n{BODY}"
    chunks = cut_document(make_document(text, "pdf", title="Rules"), strategy="outline")
    assert [c.prefix for c in chunks] == ["Rules > 1 Travel", "Rules > 1 Travel > 1.1 Trains", "Rules > 2 Leave"]
    assert chunks[1].metadata == {"Header1": "1 Travel", "Header2": "1.1 Trains"}
    assert [c.text.splitlines()[0] for c in chunks] == ["1 Travel", "1.1 Trains", "2 Leave"]


@pytest.mark.parametrize(
    "unit", ["1 A\n\n", "**a**\n\n", "ABCD\n\n", "Chapter I\n\n", "1.1.1.1 A\n", "** ", "第一" * 20]
)
def test_cost_is_linear_in_hostile_text(unit: str) -> None:
    assert growth(lambda count: recovered_sections(Document("d", "s", "text", unit * count)), 3_000, 24_000) < 24

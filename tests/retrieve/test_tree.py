"""Mode "tree": all that stands below a heading that the question names."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from rove import AsyncRove, Rove, Text, field

HANDBOOK = """# Handbook

Read this first.

## Travel

Ask your manager before you book.

### Costs

Trains are paid second class.

### Hotels

At most ninety euros a night.

Breakfast is extra.

## Training

Five days a year are free.

### Costs

The firm pays the fee.

## Parking

The garage opens at six.
"""
PATTERN = "# {}\n\n{}\n\n## {}\n\n{}\n\n### {}\n\n{}\n\n## {}\n\n{}\n"
WRITTEN = {
    "de": "Handbuch|Einleitung.|Dienstreisen|Vorher fragen.|Hotels|Höchstens neunzig Euro.|Parken|Ab sechs.",
    "hu": "Kézikönyv|Bevezetés.|Kiküldetés|Előbb kérdezz.|Szállás|Legfeljebb kilencven euró.|Parkolás|Hattól.",
    "zh": "手册|前言。|出差规定|请先询问经理。|住宿|每晚最多九十欧元。|停车|六点开门。",
    "ja": "手引き|はじめに。|出張規定|上司に確認する。|宿泊|一泊九十ユーロまで。|駐車場|六時に開く。",
}
ASKED = {"de": "Was gilt für Dienstreisen?", "hu": "Kiküldetés", "zh": "出差规定", "ja": "出張規定"}


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[AsyncRove]:
    settings = {"embedder": {"name": "fake"}, "chunk": {"strategy": {"markdown": "header"}}}
    async with AsyncRove.open(tmp_path, **settings) as base:
        await base.add(
            Text(HANDBOOK, id="en", kind="markdown", metadata={"year": 2024}),
            Text(HANDBOOK.replace("ninety", "eighty"), id="old", kind="markdown", metadata={"year": 2020}),
            *(
                Text(PATTERN.format(*parts.split("|")), id=code, kind="markdown", metadata={"year": 2024})
                for code, parts in WRITTEN.items()
            ),
        )
        yield base


async def texts(kb: AsyncRove, question: str, top_k: int = 20, year: int = 2024) -> list[str]:
    """What is found below headings; its order says nothing here."""
    hits = await kb.search(question, top_k=top_k, mode="tree", where=field("year") == year)
    assert len(hits) <= top_k
    return sorted(hit.chunk.text.split("\n\n")[-1] for hit in hits if "tree" in hit.sources)


async def test_all_below_a_heading_is_found_whatever_its_words(kb: AsyncRove) -> None:
    """Also what has no word of the question, and the headings within; nothing beside, nothing that a filter hides."""
    assert await texts(kb, "What is said on travel?") == [
        "Ask your manager before you book.", "Breakfast is extra.", "Trains are paid second class.",
    ]  # fmt: skip
    hits = await kb.search("travel", mode="tree", where=field("year") == 2024, top_k=20)
    below = [hit for hit in hits if "tree" in hit.sources]
    first = hits.index(below[0])
    assert hits[first : first + len(below)] == below, "what is below stands together, where the first of it stood"
    assert any("ninety" in hit.chunk.text for hit in below)
    assert not any("eighty" in hit.chunk.text for hit in hits)


async def test_the_same_heading_under_two_parents_is_two_nodes(kb: AsyncRove) -> None:
    assert await texts(kb, "costs of travel") == ["Trains are paid second class."]
    assert await texts(kb, "costs of training") == ["The firm pays the fee."]
    assert await texts(kb, "costs") == ["The firm pays the fee.", "Trains are paid second class."]


async def test_of_a_long_section_the_most_relevant_is_given(kb: AsyncRove) -> None:
    """And fewer hits are the first of more."""
    more = await kb.search("travel hotels breakfast", mode="tree", where=field("year") == 2024, top_k=5)
    for top_k in (1, 2, 3):
        fewer = await kb.search("travel hotels breakfast", mode="tree", where=field("year") == 2024, top_k=top_k)
        assert fewer == more[:top_k]


async def test_without_a_named_heading_it_is_hybrid_search(kb: AsyncRove) -> None:
    for question in ("When does the garage open in the morning?", "ninety euros", "?!", "a" * 3000):
        tree = await kb.search(question, mode="tree", top_k=5)
        assert tree == await kb.search(question, mode="hybrid", top_k=5)


@pytest.mark.parametrize("language", WRITTEN)
async def test_headings_are_named_in_every_language(kb: AsyncRove, language: str) -> None:
    parts = WRITTEN[language].split("|")
    assert await texts(kb, ASKED[language]) == sorted([parts[3], parts[5]])


@pytest.mark.parametrize("question", ["travel", "4.2 travel"])
async def test_the_number_of_a_heading_need_not_be_asked_for(tmp_path: Path, question: str) -> None:
    text = "# 4. Rules\n\nRead.\n\n## 4.2. Travel\n\nAsk first.\n\nTrains only.\n\n## 4.3. 2024\n\nA year.\n"
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}, chunk={"size_chars": 30, "overlap_chars": 0}) as kb:
        await kb.add(Text(text, id="rules", kind="markdown"))
        below = [hit.chunk.text for hit in await kb.search(question, mode="tree") if "tree" in hit.sources]
        assert any("Trains" in text for text in below)
        assert not any("year" in text or "Read" in text for text in below)
        (hit, *_) = await kb.search("2024", mode="tree")
        assert "tree" in hit.sources


PAGES = """# Reisen

## Kosten

Flug und Hotel werden bis 2000 EUR erstattet.

## Genehmigung

Der Vorgesetzte genehmigt jede Fahrt.

# Weiterbildung

## Kosten

Der Betrieb trägt die Gebühren.

## Anmeldung

Das Personalbüro nimmt sie entgegen.
"""
RULES = """# 出差制度

## 费用标准

住宿不超过五百元。

## 审批

须经经理批准。

# 培训制度

## 费用

由公司承担。
"""


@pytest.fixture(scope="module")
def meaning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    search = {"chain": ["tree", "questions"]}
    chunk = {"strategy": {"markdown": "header"}}
    with Rove.open(tmp_path_factory.mktemp("meaning"), search=search, chunk=chunk) as base:
        base.add(Text(PAGES, id="de", kind="markdown"), Text(RULES, id="zh", kind="markdown"))
        yield base


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("Kosten von Dienstreisen", ("Reisen", "Kosten")),
        ("Seminargebühren", ("Weiterbildung", "Kosten")),
        ("差旅的费用", ("出差制度", "费用标准")),
        ("出差要花多少钱", ("出差制度", "费用标准")),
    ],
)
def test_a_heading_is_opened_by_what_it_means_with_those_above_it(
    meaning: Rove, question: str, path: tuple[str, ...]
) -> None:
    opened = [hit.chunk.headings for hit in meaning.search(question, mode="tree") if "tree" in hit.sources]
    assert path in opened
    assert ("Weiterbildung", "Kosten") not in opened or path == ("Weiterbildung", "Kosten")


@pytest.mark.parametrize("question", ["Wer ist Kanzler von Österreich?", "the colour of the moon", "月亮的颜色"])
def test_what_no_heading_is_of_opens_none_and_a_chain_finds_nothing_there(meaning: Rove, question: str) -> None:
    assert not any("tree" in hit.sources for hit in meaning.search(question, mode="tree"))
    assert meaning.search(question, mode="chain") == []
    assert meaning.search("Kosten der Weiterbildung", mode="chain")

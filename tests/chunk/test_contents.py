from __future__ import annotations

import pytest

from rove import Rove, Text
from rove.chunk.contents import contents_spans
from rove.chunk.cut import cut_document
from rove.records import Document

CHAPTERS = {
    "en": ["Installation of the pump", "Warranty and liability", "Maintenance intervals", "Spare parts"],
    "de": ["Einbau der Pumpe", "Gewährleistung und Haftung", "Wartungsfristen", "Ersatzteile"],
    "hu": ["A szivattyú beépítése", "Jótállás és felelősség", "Karbantartási időközök", "Pótalkatrészek"],
    "cs": ["Montáž čerpadla", "Záruka a odpovědnost", "Intervaly údržby", "Náhradní díly"],
}
LEADERS = [" ........ ", " . . . . . ", "\t", " ", " …… "]


def book(titles: list[str], leader: str, *, heading: str = "# Contents\n\n", gap: str = "\n") -> str:
    lines = gap.join(f"{n} {title}{leader}{n + 1}" for n, title in enumerate(titles, 1))
    chapters = "\n\n".join(f"# {n} {title}\n\nWhat is said of it, number {n}." for n, title in enumerate(titles, 1))
    return f"{heading}{lines}\n\n{chapters}\n"


@pytest.mark.parametrize("language", CHAPTERS)
@pytest.mark.parametrize("leader", LEADERS)
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_table_of_contents_is_a_piece_of_its_own(language: str, leader: str, gap: str) -> None:
    text = book(CHAPTERS[language], leader, gap=gap)
    chunks = cut_document(Document("d", "s", "markdown", text))
    contents = [chunk for chunk in chunks if chunk.kind == "contents"]
    assert [chunk.text for chunk in contents] == [text[: text.index("\n\n# 1 ")]]
    assert all(" ." not in chunk.text and "\t" not in chunk.text for chunk in chunks if chunk.kind != "contents")


@pytest.mark.parametrize(
    "text",
    [
        "# Menu\n\nTea ....... 3\nCoffee ....... 4\nWine ....... 9\n\n# Hours\n\nWe open at nine.\n",
        "Results\n\nIn all we counted 12\nand later 14\nand then 20\n\nmore words follow.\n",
        "# Contents\n\nTea 3\nTea 4\n\n# Tea\n\nHot.\n",
    ],
)
def test_price_lists_and_counts_are_none(text: str) -> None:
    assert not [*contents_spans(text)]


def test_what_it_leads_to_stands_before_it_and_answers(tmp_path) -> None:
    titles = CHAPTERS["en"]
    text = book(titles, " .... ").replace("number 2", "the maker repairs faults for seven years")
    with Rove.open(tmp_path / "kb") as kb:
        kb.add(Text(text, id="manual", kind="markdown"))
        hits = kb.search("Warranty and liability", top_k=5)
        assert "seven years" in hits[0].chunk.text
        assert [hit.chunk.kind for hit in hits].index("contents") == len(hits) - 1
        answer = kb.ask("Warranty and liability")
    assert "...." not in answer.text

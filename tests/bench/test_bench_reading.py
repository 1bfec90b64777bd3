"""The judges of reading: what counts as found, in order, invented, as a heading, as a cell."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest
from bench.peers import PINS, read_pins
from bench.reading.run import MARKS, shown
from bench.reading.score import Score, Share, in_order, key, score, words
from bench.reading.truth import ORACLES, Heading, Truth


def judged(text: str, truth: Truth) -> dict[str, tuple[float, float]]:
    """What was found of what there is, by name; without those of which there is nothing."""
    shares = score(text, asdict(truth), pages=0, boxed=Share()).shares
    return {name: (share.found, share.of) for name, share in shares.items() if share.of}


def test_words_are_letters_and_digits_and_single_chinese_characters() -> None:
    assert words("Größe_x: 12,5 **kg** 检索") == ["grösse", "x", "12", "5", "kg", "检", "索"]


def test_words_in_order_and_invented() -> None:
    got = judged("alpha gamma beta menu", Truth(text="alpha beta gamma delta"))
    assert got["words"] == (3, 4)
    assert got["in order"] == (2, 3)
    assert got["invented"] == (1, 4)


def test_spare_words_and_list_numbers_are_not_invented() -> None:
    assert judged("1. alpha Kopfzeile", Truth(text="alpha", spare="Kopfzeile"))["invented"] == (0, 3)


def test_marks_targets_and_formulas_are_no_words() -> None:
    text = "# Title\n\n[link](https://example.org/a_(b)) ![alt](x.png) $\\frac{a}{b}$ <!-- no --> see[^1]\n\n[^1]: note"
    got = judged(text, Truth(text="Title link alt see note"))
    assert got["words"] == (5, 5)
    assert got["invented"] == (0, 5)


@pytest.mark.parametrize(
    ("text", "found", "levels", "false"),
    [
        ("# A\n\n## B\n\n### C", 3, (2, 2), 0),
        ("## A\n\n### B\n\n#### C", 3, (2, 2), 0),
        ("# A\n\n# B\n\n# C", 3, (0, 2), 0),
        ("# A\n\nB\n\n### C\n\n# D", 2, (1, 1), 1),
        ("```\n# A\n```", 0, None, 0),
    ],
)
def test_headings(text: str, found: int, levels: tuple[float, float] | None, false: int) -> None:
    truth = Truth(text="A B C", headings=[Heading(1, "A"), Heading(2, "B"), Heading(3, "C")])
    got = judged(text, truth)
    assert got["headings"] == (found, 3)
    assert got.get("levels") == levels
    assert got["false headings"] == (false, 3)


def test_cells_count_in_a_row_of_a_pipe_table_only() -> None:
    truth = Truth(tables=[["Jahr", "Umsatz"], ["2023", "1,50"], ["2024", "9"]])
    assert judged("| Jahr | Umsatz |\n|---|---|\n| 2023 | 1.5 |\n| 2024 | 10 |", truth)["cells"] == (4, 6)
    assert judged("Jahr Umsatz 2023 1,50 2024 9", truth)["cells"] == (0, 6)


def test_a_cell_is_the_same_however_it_is_written() -> None:
    assert key("12.50") == key("**12.5**") == "12.5"
    assert key("25%") == key("0.25")
    assert key("2024-05-01 00:00:00") == key("2024-05-01")
    assert key("a\\|b") == key("a b")


def test_links_images_notes_code_and_formulas() -> None:
    truth = Truth(
        links=["https://example.org/a/", "https://example.org/b"],
        images=["A cat", "A dog"],
        notes=["Said aloud."],
        code=["x = 1\n  y = 2"],
        formulas=2,
    )
    text = "[a](https://example.org/a) ![A cat](1)\n\n> Note: Said aloud.\n\n```py\nx = 1\ny = 2\n```\n\n$x$"
    got = judged(text, truth)
    assert got["links"] == got["images"] == got["formulas"] == (1, 2)
    assert got["notes"] == got["code"] == (1, 1)


def test_in_order_is_the_longest_common_subsequence() -> None:
    assert in_order("", "abc") == in_order("abc", "") == 0
    assert in_order("abcabc", "cbacba") == 3
    assert in_order(list("x" * 5000), list("x" * 4000)) == 4000


def test_scores_add_up_and_are_shown() -> None:
    one, two = Score(), Score()
    one.shares["cells"].add(1, 2)
    two.shares["cells"].add(2, 2)
    total = (one + two).shares["cells"]
    assert shown("cells", total) == "75 % of 4"
    assert shown("words", Share(1, 3)) == "33.3 %"
    assert shown("links", Share()) == ""


def test_the_venv_is_pinned_and_the_page_has_its_marks() -> None:
    assert any(peer.name == "reading" and peer.pins[0].startswith("markitdown") for peer in read_pins(PINS.read_text()))
    page = Path(__file__).parents[2] / "docs" / "reading.md"
    assert len(MARKS.findall(page.read_text("utf-8"))) == 1


def test_no_oracle_imports_rove_or_markitdown() -> None:
    folder = Path(__file__).parents[2] / "bench" / "reading"
    modules = {value.partition(":")[0] for value in ORACLES.values()} | {"truth", "score"}
    for module in modules:
        text = (folder / f"{module}.py").read_text("utf-8")
        assert "import rove" not in text
        assert "from rove" not in text
        assert "import markitdown" not in text

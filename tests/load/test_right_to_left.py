from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from load.samples import source
from rove.load.layout.lines import at_one_height
from rove.load.layout.order import in_reading_order
from rove.load.layout.printed import PrintedLine, PrintedPage, Word, line_of
from rove.load.pdf.loader import PdfLoader
from rove.load.pdf.right_to_left import in_shares, words_as_read

CASE = Path(__file__).parents[3] / "shared/cases/13-pdf-rtl"


def seen(line: str) -> list[Word]:
    """Place a line as it is seen, from left to right, ten points high, a character five wide."""
    return [
        Word(5.0 * place, 0.0, 5.0 * place + (0.0 if char == "\u05b8" else 5.0), 10.0, char, 10.0)
        for place, char in enumerate(line)
        if char != " "
    ]


def read(line: str) -> str:
    [row] = at_one_height([*words_as_read(seen(line))])
    return line_of(row).text


def shown(*runs: str) -> str:
    """Write runs in reading order as they are seen: right-to-left ones turned about, from right to left."""
    return "".join(run if run[:1].isascii() and run[:1].isalnum() else run[::-1] for run in reversed(runs))


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        (["דגם ", "AX-200", "."], "דגם AX-200."),
        (["במרץ ", "2024", "."], "במרץ 2024."),
        (["ה-", "iPhone 15", " של ", "Apple", "!"], "ה-iPhone 15 של Apple!"),
        (["גרסה ", "10.0.17763", ", ", "15%", " בלבד"], "גרסה 10.0.17763, 15% בלבד"),
        (["גם (", "Windows Server 2019", ") פועלת בלבד"], "גם (Windows Server 2019) פועלת בלבד"),
        (["את ", "Office (64-bit)", " לפני"], "את Office (64-bit) לפני"),
        (["השפה ", "C", "++ והשפה ", "C", "#."], "השפה C++ והשפה C#."),
        (["בין ", "4471", " ", "9920", " לבין"], "בין 4471 9920 לבין"),
        (["رقم ", "HR-55", " قبل ", "14", " يوما."], "رقم HR-55 قبل 14 يوما."),
        (["شماره ", "۴۴۷۱"[::-1], " در"], "شماره ۴۴۷۱ در"),
        (["يوم ", "2024", "-", "03", "-", "12", " كان"], "يوم 2024-03-12 كان"),
    ],
)
def test_numbers_and_words_of_other_scripts_stand_as_they_are(runs: list[str], text: str) -> None:
    assert read(shown(*runs)) == text


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("דנא (תללוכ) בהזה", "הזהב (כוללת) אנד"),
        ("דנא )תללוכ( בהזה", "הזהב (כוללת) אנד"),
        ("גרא (א", "א) ארג"),
    ],
)
def test_brackets_open_before_a_word_however_the_file_holds_them(line: str, text: str) -> None:
    assert read(line) == text


def test_words_to_be_read_from_right_to_left_within_an_english_line() -> None:
    assert read("The word םולש לכל means all") == "The word לכל שלום means all"


def test_a_stop_that_stands_left_of_a_last_line_ends_it() -> None:
    assert read(".QA Manager") == "QA Manager."


def test_a_mark_stays_with_its_letter() -> None:
    letters = seen("םולש")
    mark = Word(17.0, 0.0, 17.0, 10.0, "\u05b8", 10.0)
    assert [word.text for word in words_as_read([*letters, mark])] == ["ש\u05b8לום"]


@pytest.mark.parametrize("order", ["لا", "ال"])
def test_a_ligature_of_lam_and_alef_is_read_in_its_only_order(order: str) -> None:
    signs = [Word(10.0, 0.0, 20.0, 10.0, char, 10.0) for char in order]
    [word] = words_as_read([*in_shares(signs)])
    assert word.text == "لا"


def test_the_right_column_is_read_first() -> None:
    words: list[Word] = []
    for left, name in ((50.0, "שמאל"), (300.0, "ימין")):
        for line in range(8):
            edges = [0.0, *(30.0 * n + 11 * line % 23 for n in range(1, 6)), 200.0]
            words += [
                Word(left + x, 12.0 * line, left + after - 4, 12.0 * line + 10, name, 10.0)
                for x, after in pairwise(edges)
            ]
    page = in_reading_order(PrintedPage(1, 550.0, 800.0, tuple(words)))
    texts = [item.text for item in page.items if isinstance(item, PrintedLine)]
    assert len(texts) == 16
    assert all("ימין" in text for text in texts[:8])


@pytest.mark.skipif(not CASE.is_dir(), reason="needs ../shared/cases")
def test_files_that_an_office_program_prints() -> None:
    texts: dict[str, str] = {}
    for name in ("he.pdf", "ar.pdf"):
        [document] = PdfLoader().load(source("pdf", (CASE / name).read_bytes(), name))
        texts[name] = " ".join(document.text.split())
    assert 'המחיר הוא 1,250 ש"ח ליחידה (כולל מע"מ) עבור דגם AX-200.' in texts["he.pdf"]
    assert "يحق للموظف ثلاثون يوما من الإجازة السنوية" in texts["ar.pdf"]
    assert "رقم النموذج هو HR-55 ويقدم" in texts["ar.pdf"]

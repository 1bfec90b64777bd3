"""Running heads, footers and page numbers go; what only looks like them stays."""

from __future__ import annotations

from load.samples_pages import pdf_pages, printed
from load.test_load_pdf_pages import PROSE, column, load


def test_page_numbers_and_running_heads_go_and_chapters_stay() -> None:
    pages = [
        [
            printed(72, 815, f"The collected reports, part {number}", size=8),
            printed(72, 780, f"Chapter {number}", size=16),
            *column(72, PROSE),
            printed(290, 30, f"- {number} -", size=8),
        ]
        for number in range(1, 5)
    ]
    document = load(pdf_pages(pages))
    assert [s.title for s in document.sections] == [f"Chapter {n}" for n in range(1, 5)]
    assert "reports" not in document.text
    assert "- 2 -" not in document.text


def test_pages_of_a_line_or_two_keep_them() -> None:
    pages = [
        [printed(72, 780, f"Abschnitt {n}"), printed(72, 765, f"Ein Absatz in Abschnitt {n}"), printed(290, 30, str(n))]
        for n in range(1, 6)
    ]
    text = load(pdf_pages(pages)).text
    for n in range(1, 6):
        assert f"Abschnitt {n}" in text
        assert f"Ein Absatz in Abschnitt {n}" in text
    assert [line for line in text.splitlines() if line.isdigit()] == []


def test_a_page_with_a_running_head_alone_keeps_it_and_the_others_lose_it() -> None:
    head = printed(72, 815, "The collected reports", size=8)
    pages = [[head, *column(72, PROSE)] for _ in range(4)] + [[head]]
    assert load(pdf_pages(pages)).text.count("The collected reports") == 1


def test_titles_that_some_slides_share_stay_and_what_all_have_goes() -> None:
    titles = ["Results"] * 4 + ["Ergebnisse", "Eredmények", "Outlook", "Plans"]
    pages = [
        [
            printed(72, 775, title, size=24),
            *column(72, [f"{number} {line}" for line in PROSE]),
            printed(72, 815, "ACME", size=20),
            printed(72, 30, "Company confidential", size=8),
        ]
        for number, title in enumerate(titles)
    ]
    text = load(pdf_pages(pages)).text
    assert text.count("Results") == 4
    assert "ACME" not in text
    assert "confidential" not in text

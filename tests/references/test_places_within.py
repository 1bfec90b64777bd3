"""Where in a document a reference leads to: rows, tables, numbered paragraphs, notes, entries, printed pages."""

from __future__ import annotations

import pytest

from rove.load.markdown import markdown_sections
from rove.records import Document
from rove.records.document import Page
from rove.references.places_within import spot_within, spots_within
from rove.references.text_references import references

TEXT = """# Verordnung

## § 9 Nachtarbeiten

(1) Nachtarbeiten bedürfen der Zulassung.

(2) Sie wird nach § 31 erteilt.

## § 31 Kosten

Bescheide fallen unter Tarifstelle 4.2 der Anlage 2, siehe auch [3] und Müller (2020).

## 7 Fees

7.1 Fees are due.

7.2 Late fees are ten per cent.
They are paid at once.

7.3 Nothing else.

14. Notices

(a) in writing;

(b) by post only.

15. Law

Table 3 shows the rates.

Table 3: Rates

| Class | Rate |
|---|---|
| Pearl | 310 |
| Slate | 7,300 |

| Week | Day |
|---|---|
| 1 | 2 |

Table 4: Weeks

## Anlage 2

| Tarifstelle | Betrag |
|---|---|
| 4.1 | 61 |
| 4.2 | 187 |

## Notes to the accounts

Note 5: Inventories are at cost.

## References

[2] Ode, B. Ferries. 2001.

[3] Lund, C. Tides.
    Harbour Press, 1999.

Müller, A. Brücken. 2020.
"""


def told(said: str, language: str = "en") -> str:
    document = Document("d", "s", "markdown", TEXT, "Verordnung", language, sections=markdown_sections(TEXT))
    spot = spot_within(references(said, language)[0], document)
    return TEXT[slice(*spot.span)].strip() if spot and spot.span else ""


@pytest.mark.parametrize(
    ("said", "language", "first", "last"),
    [
        ("nach § 9", "de", "## § 9 Nachtarbeiten", "(2) Sie wird nach § 31 erteilt."),
        ("§ 9 Abs. 2", "de", "(2) Sie wird", "erteilt."),
        ("Tarifstelle 4.2", "de", "| 4.2 | 187 |", "| 4.2 | 187 |"),
        ("Anlage 2 Nr. 4.2", "de", "| 4.2 | 187 |", "| 4.2 | 187 |"),
        ("Anlage 2", "de", "## Anlage 2", "| 4.2 | 187 |"),
        ("clause 7.2", "en", "7.2 Late fees", "paid at once."),
        ("paragraph 14(b)", "en", "(b) by post only.", "(b) by post only."),
        ("Table 3", "en", "Table 3: Rates", "| Slate | 7,300 |"),
        ("Table 4", "en", "| Week | Day |", "Table 4: Weeks"),
        ("see note 5", "en", "Note 5: Inventories", "at cost."),
        ("as shown [3]", "en", "[3] Lund, C. Tides.", "1999."),
        ("by Müller (2020)", "de", "Müller, A.", "2020."),
    ],
)
def test_what_is_pointed_to_from_its_beginning_to_its_end(said: str, language: str, first: str, last: str) -> None:
    place = told(said, language)
    assert place.startswith(first)
    assert place.endswith(last)


@pytest.mark.parametrize(
    "said",
    ["clause 8.1", "Table 9", "Schedule 2", "§ 9 BGB", "row 9", "see note 8", "as shown [9]", "Smith (2020)", "page 3"],
)
def test_what_is_not_there_is_not_found(said: str) -> None:
    assert told(said) == ""


def test_of_sections_with_one_number_the_nearest_comes_first() -> None:
    text = "# Part I\n\n## Section 2 A\n\nx\n\nsee section 2\n\n# Part II\n\n## Section 2 B\n\ny\n\nsee section 2\n"
    document = Document("d", "s", "markdown", text, sections=markdown_sections(text))
    first, second = (one for one in references(text) if one.label == "section 2")
    assert [spot.title for spot in spots_within(first, document)] == ["Section 2 A", "Section 2 B"]
    assert [spot.title for spot in spots_within(second, document)] == ["Section 2 B", "Section 2 A"]


def test_pages_by_what_is_printed_on_them() -> None:
    pages = tuple(Page(number, (10 * number - 10, 10 * number)) for number in range(1, 8))
    document = Document("d", "s", "pdf", "x" * 70, metadata={"page_labels": "1:i,3:1"}, pages=pages)

    def span(said: str) -> object:
        spot = spot_within(references(said)[0], document)
        return spot and spot.span

    assert span("page 1") == (20, 30)
    assert span("page ii") == (10, 20)
    assert span("pp. 2-4") == (30, 60)
    assert span("p. 2 f.") == (30, 50)
    assert span("page 6") is None
    assert span("see overleaf") == (10, 20)

"""Where in a document a reference leads to."""

from __future__ import annotations

import pytest

from rove.records import Document
from rove.records.document import Section
from rove.references.places_within import CAPTIONED_CHARS, Spot, names_within, spot_within
from rove.references.text_references import Reference


def document(text: str, *titles: str) -> Document:
    sections = tuple(Section(title, 1, (text.find(title), len(text))) for title in titles)
    return Document("d", "s", "markdown", text, sections=sections)


def to(kind: str, target: str, unit: str = "", label: str = "") -> Reference:
    return Reference(kind, target, label or target, (0, len(target)), unit)  # pyright: ignore


def title(reference: Reference, *titles: str) -> str:
    spot = spot_within(reference, document(" ".join(titles), *titles))
    return spot.title if spot else ""


@pytest.mark.parametrize(
    ("target", "unit", "names"),
    [
        ("请假制", "announced", ["请假制", "请假"]),
        ("休暇の", "announced", ["休暇の", "休暇"]),
        ("Űrlap", "announced", ["Űrlap", "Űrla", "Űrl", "Űr"]),
        ("Pay", "announced", ["Pay"]),
        ("Pay scale", "announced", ["Pay scale", "Pay"]),
        ("Űrlap szerint", "announced", ["Űrlap szerint", "Űrlap"]),
        ("Pay scale", "quoted", ["Pay scale"]),
    ],
)
def test_of_a_name_without_an_end_each_beginning_may_be_meant(target: str, unit: str, names: list[str]) -> None:
    assert names_within(to("section", target, unit)) == names


def test_a_numbered_section_is_found_by_its_number_and_its_kind() -> None:
    both = ("Chapter 2 Pay", "Section 2 Leave", "3.1 Travel")
    assert title(to("reference", "2", "section"), *both) == "Section 2 Leave"
    assert title(to("reference", "2", "chapter"), *both) == "Chapter 2 Pay"
    assert title(to("reference", "3.1", "section"), *both) == "3.1 Travel"
    assert title(to("reference", "3", "section"), *both) == ""
    assert title(to("reference", "2", "section"), "Chapter 2 Pay") == ""
    assert title(to("reference", "2", "section"), "2 One", "Section 2 Other") == "Section 2 Other"


def test_a_named_section_is_the_one_with_the_longest_fitting_title() -> None:
    names = ("Pay", "2. Pay scale", "Leave")
    assert title(to("section", "Pay scale below", "announced"), *names) == "2. Pay scale"
    assert title(to("section", "PAY", "quoted"), *names) == "Pay"
    assert title(to("section", "Pensions", "quoted"), *names) == ""


def test_a_link_within_the_document_leads_to_its_heading() -> None:
    assert title(to("link", "#pay-scale"), "Leave", "2.1 Pay scale") == "2.1 Pay scale"
    assert title(to("link", "#"), "Leave") == ""
    assert title(to("link", "pay-scale"), "Pay scale") == ""


def test_a_footnote_is_the_line_with_its_label_and_what_goes_on_there() -> None:
    text = "Paid[^1] and other[^12].\n\n[^12]: Other.\n[^1]: Monthly,\n  in advance.\n\nEnd."
    spot = spot_within(to("footnote", "1", label="[^1]"), document(text))
    assert spot is not None
    assert text[slice(*spot.span or ())] == "[^1]: Monthly,\n  in advance."
    plain = "Paid¹ so.\n1. Monthly.\n"
    spot = spot_within(to("footnote", "1", label="¹"), document(plain))
    assert spot is not None
    assert plain[slice(*spot.span or ())] == "1. Monthly."
    assert spot_within(to("footnote", "3", label="[^3]"), document(text)) is None


def test_a_table_is_found_by_its_caption_and_read_for_a_while() -> None:
    text = "See table 2.\n\nTable 1: Pay\n\nTable 2: Leave\n" + "x" * 2 * CAPTIONED_CHARS
    start = text.index("Table 2")
    end = start + len("Table 2: Leave") + CAPTIONED_CHARS
    assert spot_within(to("reference", "2", "table"), document(text)) == Spot("d", (start, end), "Table 2: Leave")
    assert spot_within(to("reference", "3", "table"), document(text)) is None
    assert spot_within(to("reference", "2", "figure"), document(text)) is None
    short = "Table 2: Leave\n5 days"
    assert spot_within(to("reference", "2", "table"), document(short)) == Spot("d", (0, len(short)), "Table 2: Leave")

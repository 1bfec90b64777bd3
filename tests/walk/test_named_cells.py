"""Which cells of tables sentences and other cells name, and which names of a question a text has."""

from __future__ import annotations

import pytest

from rove.answer.extract import Candidate, list_candidates
from rove.records import Chunk, Hit
from rove.walk.cell_values import CellValues
from rove.walk.chain import BridgeValue
from rove.walk.field_labels import is_mail_head
from rove.walk.question_names import has_name, question_names


def said(text: str, *, name: str = "a") -> list[Candidate]:
    chunk = Chunk(name, name, text, (0, len(text)), 0, language="en")
    return list_candidates("What?", [Hit(chunk, 1.0, {}, f"{name}.md")], "en")


def table(*rows: str, head: str, name: str = "t") -> list[Candidate]:
    ruled = "|".join("---" for _ in head.split("|"))
    lines = "".join(f"| {row} |\n" for row in rows)
    return said(f"| {head} |\n|{ruled}|\n{lines}", name=name)


PEOPLE = table("Anna Kern | M3 | fitter", "Bert Kern | M1 | clerk", head="Person | Group | Work")
FIRMS = table("Nordstern AG | 311", "Kolb and Sons | 427", head="Firm | Extension", name="f")


def test_of_a_column_that_the_question_has_a_cell_of_the_others_lead_nowhere() -> None:
    note = said("Anna Kern and Bert Kern asked for the fitter and the clerk.")
    cells = CellValues(PEOPLE, "Where does Anna Kern work?")
    assert {value.text for value, _ in cells.named_in(note, "Where does Anna Kern work?")} == {"fitter", "clerk"}


@pytest.mark.parametrize("question", ["Hol dolgozik Anna Kernnek a párja?", "Wo arbeitet Anna Kern?"])
def test_a_cell_is_asked_for_with_any_ending(question: str) -> None:
    note = said("Bert Kern is in the house today, at his desk.")
    assert not CellValues(PEOPLE, question).named_in(note, question)


def test_a_cell_that_another_cell_holds_leads_on_and_its_own_do_not() -> None:
    supplier = table("G-1 | Alt GmbH | since 2024 part of Nordstern AG", head="Code | Name | State", name="s")
    question = "Whom do I call about code G-1?"
    found = CellValues([*supplier, *FIRMS], question).named_in(supplier, question)
    assert [(value.text, value.head) for value, _ in found] == [("Nordstern AG", "Firm")]


def test_of_several_cells_the_one_leads_that_stands_beside_what_led_there() -> None:
    classes = table("gold | 650", "silver | 480", "bronze | 300", head="Level | Limit", name="c")
    rule = said("Grade P8 and above has gold, P6 and P7 have silver, all others have bronze.")
    question = "How much may the grade of a clerk spend?"
    found = CellValues(classes, question).named_in(rule, question, led="P7")
    assert [value.text for value, _ in found] == ["silver"]


def test_a_short_number_is_found_in_a_column_of_its_name_alone() -> None:
    rows = table("2 | 31.00 | 7", "3 | 22.00 | 2", head="Scale | Seat | Rank")
    assert [BridgeValue("2", "Scale").stands_in(row) for row in rows] == [True, False]
    assert [BridgeValue("311", "Phone").stands_in(row) for row in FIRMS] == [True, False]


def test_a_row_is_no_head_of_a_mail() -> None:
    rows = table("9 May | Paint Store", head="Date | House")
    assert not any(map(is_mail_head, rows))
    assert all(map(is_mail_head, said("From: ann@x.example To: bo@x.example about the house.")))


@pytest.mark.parametrize(
    ("question", "language", "text", "has"),
    [
        ("Mennyi jár Kerekes Imrének?", "hu", "| Kerekes Imre | 2187 |", True),
        ("Mennyi jár Kerekes Imrének?", "hu", "| Kerekes Ibolya | 2190 |", False),
        ("¿Cuándo riega Rosario Beltrán?", "es", "| Beltrán Asensio Rosario | 33 |", True),
        ("¿Cuándo riega Rosario Beltrán?", "es", "Beltrán no vino. Rosario sí.", False),
        ("Who runs the Ardley Observatory?", "en", "Observatories near Ardley are open.", False),
    ],
)
def test_a_name_has_any_ending_and_in_a_cell_any_order(question: str, language: str, text: str, has: bool) -> None:
    names = question_names(question, language)
    assert names
    assert all(has_name(text, name) for name in names) == has


def test_a_month_is_no_name() -> None:
    assert question_names("How much is a seat for The Salt Road on 9 May?", "en") == {"the salt road"}

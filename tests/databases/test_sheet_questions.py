"""Questions to one sheet run as SQL over it; it is found by its file's name and its heads, and each value is cited."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from load.packing import xlsx
from rove import Rove

FLEET = (
    ("Plate", "Make", "Year", "Driver", "Mileage (km)", "Insured"),
    ("AB-123", "Ford", "2018", "J. Moss", "120500", "yes"),
    ("CD-456", "Fiat", "2020", "P. Lane", "64000", "yes"),
    ("EF-789", "Ford", "2021", "K. Wood", "30200", "no"),
    ("GH-012", "VW", "2016", "S. Ali", "201000", "yes"),
)
PARTS = "part,supplier,price\nBrake pad,Bosch,45.90\nWiper,Valeo,18.50\nClutch kit,Sachs,289.00\nBattery,Varta,119.00\n"
ACCOUNTS = """# Accounts

(in thousands of dollars)

| Segment | Turnover 2023 | Loss 2023 |
| --- | --- | --- |
| Rail | 5,120 | (310) |
| Ports | 2,480 | △95 |
"""
STAFF = "Name,Department,Salary\nJoan,Transport,31000\nPete,Sales,52000\nKim,Transport,36500\nSam,Works,33800\n"


def _cell(place: str, text: str) -> str:
    if text.isdigit():
        return f'<c r="{place}" t="n"><v>{text}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    folder: Path = tmp_path_factory.mktemp("files")
    rows = "".join(
        f'<row r="{at}">{"".join(_cell("ABCDEF"[place] + str(at), text) for place, text in enumerate(row))}</row>'
        for at, row in enumerate(FLEET, 1)
    )
    (folder / "fleet.xlsx").write_bytes(xlsx(lambda _: rows)(1))
    (folder / "spare parts.csv").write_text(PARTS)
    (folder / "staff.csv").write_text(STAFF)
    (folder / "accounts.md").write_text(ACCOUNTS)
    (folder / "policy.md").write_text("# Policy\n\nPlates are kept in the list. Employees in Transport wear vests.\n")
    with Rove.open(tmp_path_factory.mktemp("kb")) as kb:
        kb.add(folder)
        yield kb


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("List the plates", [("AB-123",), ("CD-456",), ("EF-789",), ("GH-012",)]),
        ("How many staff are in Transport?", [("2",)]),
        ("What is the average salary?", [("38325",)]),
        ("What is the price of the Battery?", [("119",)]),
        ("Plates of the fleet with a mileage over 100000", [("AB-123",), ("GH-012",)]),
        ("How many of the fleet are not insured?", [("1",)]),
        ("Which spare part has the highest price?", [("Clutch kit", "Sachs", "289")]),
        ("Total salary in Transport", [("67500",)]),
    ],
)
def test_a_question_to_one_sheet_is_answered_from_its_cells(
    kb: Rove, question: str, rows: list[tuple[str, ...]]
) -> None:
    reply = kb.ask_tables(question)
    assert list(reply.rows) == rows, reply
    assert reply.cells
    if "COUNT" not in reply.sql and "SUM" not in reply.sql and "AVG" not in reply.sql:
        for cell in reply.cells:
            shown = kb.text(cell.document_id)[slice(*cell.span)].removesuffix(".00")
            assert shown == reply.rows[cell.row][cell.column]


@pytest.mark.parametrize("question", ["How many accidents happened?", "Which plates are red?", "Who is on holiday?"])
def test_what_no_sheet_holds_is_not_answered(kb: Rove, question: str) -> None:
    reply = kb.ask_tables(question)
    assert (reply.answered, reply.rows) == (False, ())


def test_a_number_says_in_what_its_table_is(kb: Rove) -> None:
    reply = kb.ask_tables("What is the Turnover 2023 of Rail?")
    assert reply.rows == (("5120",),)
    assert "are in 1,000 USD" in reply.note
    assert "are in" not in kb.ask_tables("What is the price of the Battery?").note
    assert kb.ask_tables("What is the Loss 2023 of Ports?").rows == (("-95",),)

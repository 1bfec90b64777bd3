"""A table that a chat model has written stands where its cells stand together in a source."""

from __future__ import annotations

import pytest

from rove.answer.cite import support_block
from rove.answer.table_check import support_table

POWER = """Verbrauch 2025

| Monat | Strom (kWh) | Kosten (Euro) |
| --- | --- | --- |
| Januar | 4.120 | 3.870 |
| **Februar** | 3.890 | [3.610](/wiki/Kosten) |
"""
FARES = "| 項目 | 大人（円） | 子供（円） |\n| --- | --- | --- |\n| 一回券 | 450 | 250 |\n| 年間券 | 3600 | 2000 |"
TOLD = "The library opens at 9 am and closes at 5 pm. The canteen opens at 11 am."


@pytest.mark.parametrize(
    ("block", "source"),
    [
        ("| Monat | Strom (kWh) |\n|---|---|\n| Februar | 3.890 |", POWER),
        ("| Month | Power |\n|---|---|\n| Januar | 4120 |\n| Februar | 3890 |", POWER),
        ("| Monat | Kosten |\n|---|---|\n| Februar | 3.610 Euro |", POWER),
        ("| Monat | Strom |\n|---|---|\n| Januar | 4,12 MWh |", POWER),
        ("| 券 | 子供（円） |\n|---|---|\n| 年間券 | 2,000 |", FARES),
        ("| Place | Opens |\n|---|---|\n| library | 9:00 |\n| canteen | 11 am |", TOLD),
        ("| Monat | Strom (kWh) | Gas |\n|---|---|---|\n| Januar | 4.120 |  |", POWER),
    ],
)
def test_a_table_written_anew_holds_cell_by_cell(block: str, source: str) -> None:
    span = support_block(block, source)
    assert span is not None
    assert source[slice(*span)].strip()


@pytest.mark.parametrize(
    ("block", "source"),
    [
        ("| Monat | Strom (kWh) |\n|---|---|\n| Februar | 4.120 |", POWER),  # the value of another row
        ("| Monat | Strom (kWh) |\n|---|---|\n| Januar | 3.870 |", POWER),  # of another column
        ("| Monat | Strom |\n|---|---|\n| März | 4.120 |", POWER),
        ("| 券 | 子供（円） |\n|---|---|\n| 年間券 | 3600 |", FARES),
        ("| Place | Opens |\n|---|---|\n| library | 11:00 |", TOLD),
        ("| Monat | Strom (kWh) |\n|---|---|\n| Januar | 4.120 |\n| April | 1 |", POWER),  # one row of two
        ("| |\n|---|\n| |", POWER),
        ("```\nrm -rf /\n```", POWER),
    ],
)
def test_one_wrong_cell_is_enough_to_fail(block: str, source: str) -> None:
    assert support_block(block, source) is None


def test_a_table_that_was_split_is_read_under_its_header() -> None:
    head, _, rest = FARES.partition("\n| 一回券")
    block = "| 項目 | 大人（円） |\n|---|---|\n| 年間券 | 3600 |"
    assert support_table(block, f"| 一回券{rest}", head) is not None
    assert support_table("| 項目 | 子供（円） |\n|---|---|\n| 年間券 | 3600 |", f"| 一回券{rest}", head) is None

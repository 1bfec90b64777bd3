from __future__ import annotations

from pathlib import Path

import pytest

from rove import Rove, Text
from rove.answer.rows import table_rows

OFFICES = """| Office | City | Opening hours | Head |
| --- | --- | --- | --- |
| North | Oslo | 08:00-16:00 | Ingrid Dahl |
| South | Győr | 09:00-18:00 | Kovács Ágnes |
| East | 東京 | 09:30-17:30 | 佐藤花子 |
"""


def test_rows_say_their_columns_and_keep_their_span() -> None:
    text = f"Our offices.\n\n{OFFICES}\nThat is all."
    rows = list(table_rows(text))
    assert [row.said for row in rows][2] == "Office: East; City: 東京; Opening hours: 09:30-17:30; Head: 佐藤花子"
    assert text[slice(*rows[1].span)] == "| South | Győr | 09:00-18:00 | Kovács Ágnes |"


def test_cells_without_a_name_and_names_without_a_cell() -> None:
    assert [row.said for row in table_rows("| a | |\n|---|---|\n| 1 \\| 2 | b | c |\n| | |")] == ["a: 1 | 2; b; c"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Who is the head of the office in Oslo?", "Ingrid Dahl"), ("Győr Head Office", "Kovács Ágnes")],
)
def test_without_a_chat_model_a_row_answers(tmp_path: Path, question: str, answer: str) -> None:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}, answer={"max_distance": 2, "quotes": 1}) as kb:
        kb.add(Text(OFFICES, id="offices", kind="markdown"))
        found = kb.ask(question)
    assert found.mode == "extractive"
    assert answer in found.text
    (citation,) = found.citations
    assert OFFICES[slice(*citation.span)] == citation.quote
    assert citation.quote.startswith("|")

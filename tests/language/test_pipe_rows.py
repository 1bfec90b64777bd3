from __future__ import annotations

from pathlib import Path

import pytest

from rove import Rove, Text
from rove.answer.answerer import render_block
from rove.answer.extract import list_candidates
from rove.language.pipe_rows import as_table, table_rows
from rove.records import Chunk, Hit

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


TABLES = {
    "en": ("| City | Head | Hours |", "| Oslo | Ingrid Dahl | 9-17 |", "Who is the head of the office in Oslo?"),
    "de": ("| Stadt | Leitung | Zeiten |", "| Bonn | Jürgen Groß | 8-16 |", "Wer hat die Leitung des Büros in Bonn?"),
    "hu": (
        "| Város | Vezető | Idő |",
        "| Győr | Kovács Ágnes | 9-18 |",
        "Ki a vezető a győri irodában, Győr városban?",
    ),
    "zh": ("| 城市 | 负责人 | 时间 |", "| 广州 | 王小明先生负责 | 9-17 |", "广州的负责人是谁？"),
    "ja": ("| 市 | 責任者 | 時間 |", "| 東京 | 佐藤花子が責任者です | 9-17 |", "東京の責任者は誰ですか"),
}


@pytest.mark.parametrize("language", TABLES)
def test_without_a_chat_model_a_row_is_shown_as_a_table(tmp_path: Path, language: str) -> None:
    header, row, question = TABLES[language]
    text = f"# A\n\n{header}\n|---|---|---|\n{row}\n"
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}, answer={"max_distance": 2, "quotes": 1}) as kb:
        kb.add(Text(text, id="t", kind="markdown"))
        found = kb.ask(question)
    assert found.text.splitlines() == [header, "| --- | --- | --- |", row.removesuffix(" |") + " [1] |"]
    (sentence,) = found.sentences
    assert sentence.text.splitlines() == [header, "| --- | --- | --- |", row]
    (citation,) = found.citations
    assert text[slice(*citation.span)] == citation.quote == row


def test_rows_of_one_table_stand_under_one_header_each_with_its_own_mark() -> None:
    text = "| Lift | Built |\n|---|---|\n| Lift east | in 1908 |\n| Lift west | in 1911 |\n"
    hit = Hit(Chunk("c", "d", text, (0, len(text)), 0, kind="table", language="en"), 1.0, title="T", uri="u")
    quotes = list_candidates("When was the lift built?", [hit], "en")
    assert render_block(quotes).splitlines() == [
        "| Lift | Built |",
        "| --- | --- |",
        "| Lift east | in 1908 [1] |",
        "| Lift west | in 1911 [1] |",
    ]


def test_a_table_with_fewer_names_than_cells_loses_none_and_keeps_its_bars() -> None:
    assert as_table(("a",), {r"| 1 \| 2 | b |": "[1]", "| c |": ""}).splitlines() == [
        "| a |  |",
        "| --- | --- |",
        r"| 1 \| 2 | b [1] |",
        "| c |  |",
    ]


def test_a_row_that_began_in_another_piece_says_its_key_and_stands_under_its_own_columns() -> None:
    head = "Tickets\n| Ticket | Place | Remedy | Owner |\n| --- | --- | --- | --- |\n| T-7 | Graz |"
    first, second = table_rows("| greased | Ann |\n| T-8 | Bern | changed | Bo |", head)
    assert first.said == "Ticket: T-7; Place: Graz; Remedy: greased; Owner: Ann"
    assert (first.names, first.cells) == (("Remedy", "Owner"), ("greased", "Ann"))
    assert second.said == "Ticket: T-8; Place: Bern; Remedy: changed; Owner: Bo"
    assert second.names == ("Ticket", "Place", "Remedy", "Owner")

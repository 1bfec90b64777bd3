"""Tables in documents are asked as a database is, and every value opens where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import Rove, Text, field
from rove.chunk.cell_tables import tables_in
from rove.databases.duckdb_target import DuckTarget
from rove.errors import InputError
from rove.models.fake import FakeEmbedder
from rove.records import Document, Note

STAFF = """# Staff

Table 1: Employees by site

| Name | Site | Salary |
| --- | --- | --- |
| Ann Lee | Oslo | $52,000 |
| Bo Ek | Bergen | $61,500 |
| Cy Dahl | Oslo | $48,250 |
"""
SALES = (
    "Stadt;Land;Umsatz\nBerlin;Deutschland;1.250,50\nWien;Österreich;980,00\nGraz;Österreich;410,25\nSumme;;2.640,75\n"
)


@pytest.fixture
def kb(tmp_path: Path) -> Rove:
    (tmp_path / "umsatz.csv").write_text(SALES, "utf-8")
    kb = Rove.open(tmp_path / "kb", embedder=FakeEmbedder())
    kb.add(Text(STAFF, id="staff", title="Staff", kind="markdown"), tmp_path / "umsatz.csv")
    return kb


def test_a_number_is_cited_by_the_cells_it_is_made_of(kb: Rove) -> None:
    with kb:
        reply = kb.ask_tables("What is the average salary in Oslo?")
        assert reply.rows == (("50125",),)
        text = kb.text("staff")
        assert [text[slice(*cell.span)] for cell in reply.cells] == ["$52,000", "$48,250"]


def test_a_list_is_cited_cell_by_cell(kb: Rove) -> None:
    with kb:
        reply = kb.ask_tables("Show the name and site of all employees")
        assert reply.rows == (("Ann Lee", "Oslo"), ("Bo Ek", "Bergen"), ("Cy Dahl", "Oslo"))
        text = kb.text("staff")
        assert all(text[slice(*cell.span)] == reply.rows[cell.row][cell.column] for cell in reply.cells)
        assert len(reply.cells) == 6
        best = kb.ask_tables("Who has the highest salary?")
        assert best.rows == (("Bo Ek", "Bergen", "61500"),)


def test_numbers_are_read_as_their_language_writes_them_and_totals_left_out(kb: Rove) -> None:
    with kb:
        reply = kb.ask_tables("Wie hoch ist die Summe Umsatz in Österreich?")
        assert reply.rows == (("1390.25",),)
        assert Note("totals-left-out", {"count": 1}) in reply.notes
        assert kb.ask_tables("Wie viele Zeilen hat Umsatz?").answered is False


def test_a_question_in_another_language_is_answered_where_it_names_what_stands_there(kb: Rove) -> None:
    with kb:
        reply = kb.ask_tables("Oslo的平均Salary是多少？")
        assert (reply.rows, [cell.row for cell in reply.cells]) == ((("50125",),), [0, 0])
        assert not kb.ask_tables("奥斯陆的平均工资是多少？").answered
        assert not kb.ask_tables("平均 Salary 是多少，天气怎么样？").answered


def test_a_filter_holds_and_no_table_is_said(kb: Rove) -> None:
    with kb:
        reply = kb.ask_tables("What is the average salary in Oslo?", where=field("type") == "csv")
        assert not reply.answered
        none = kb.ask_tables("What is the average salary in Oslo?", where=field("document_id") == "nowhere")
        assert none.text == "No table of the documents was found for this question."


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY t TO '/tmp/x.csv'",
        "SET enable_external_access = true",
        "ATTACH '/tmp/x.db'",
        "INSTALL httpfs",
    ],
)
def test_duckdb_opens_nothing_outside(sql: str) -> None:
    (table,) = tables_in(Document("d", "d", "markdown", STAFF, "Staff"))
    target = DuckTarget({table.schema.name: table})
    with pytest.raises(InputError):
        target.run(sql, max_rows=5, timeout_s=5)
    target.close()

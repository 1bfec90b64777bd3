"""Rules answer only what they have read to the last word; else they say which word, and what comes nearest."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from tests.databases.company import ASKED, MADE

from rove import Rove


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    path = tmp_path_factory.mktemp("db") / "company.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(MADE)
    connection.close()
    address = f"sqlite:///{path}"
    with Rove.open(tmp_path_factory.mktemp("kb"), databases={"company": {"url": address}}) as kb:
        yield kb


@pytest.mark.parametrize(("question", "rows"), ASKED)
def test_years_denials_and_other_tables_are_read(kb: Rove, question: str, rows: list[tuple[str, ...]]) -> None:
    reply = kb.ask_database(question)
    assert sorted(reply.rows) == rows, reply


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("How many invoices are overdue?", "overdue"),
        ("How many orders were returned?", "returned"),
        ("Customers who have never complained", "complained"),
        ("What is the highest revenue of our competitors?", "competitors"),
        ("How many orders are not above 5?", "not"),
    ],
)
def test_a_word_without_a_part_in_the_query_is_named_and_nothing_runs(kb: Rove, question: str, word: str) -> None:
    reply = kb.ask_database(question)
    assert (reply.answered, reply.sql, reply.rows) == (False, "", ())
    assert word in " ".join(reply.not_understood)
    assert word in reply.text


def test_the_nearest_readings_are_offered_as_sql_that_may_run(kb: Rove) -> None:
    reply = kb.ask_database("How many invoices are overdue?")
    assert 1 <= len(reply.readings) <= 3
    assert kb.run_sql(reply.readings[0]).rows == (("3",),)

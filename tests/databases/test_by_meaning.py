"""Words in other languages than the names are read by their meaning, where one name is near and no other is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from rove import Rove
from rove.databases.by_rules import by_rules
from rove.databases.joins import alone
from rove.databases.mentions import asks_within
from rove.records.schema import Column, TableSchema

MADE = """
CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, city TEXT, salary REAL, birth_date TEXT);
INSERT INTO employee VALUES (1, 'Anna', 'Budapest', 3000, '1980-01-02'), (2, 'Bob', 'Oslo', 5000, '1990-02-03'),
  (3, 'Li', 'Oslo', 4000, '1970-03-04');
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("db") / "staff.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(MADE)
    connection.close()
    return f"sqlite:///{path}"


@pytest.fixture(scope="module")
def kb(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    with Rove.open(tmp_path_factory.mktemp("kb"), databases={"staff": {"url": address}}) as kb:
        yield kb


@pytest.mark.parametrize(
    ("question", "rows", "read"),
    [
        ("平均工资是多少？", (("4000",),), "工资 = salary"),
        ("Oslo的员工有多少？", (("2",),), "员工 = employee"),
        ("平均給与はいくらですか？", (("4000",),), "給与 = salary"),
        ("Was ist das höchste Gehalt?", (("5000",),), "Gehalt = salary"),
        ("Mennyi az átlagos fizetés?", (("4000",),), "fizetés = salary"),
    ],
)
def test_words_of_other_languages_are_read_as_names(
    kb: Rove, question: str, rows: tuple[tuple[str, ...], ...], read: str
) -> None:
    reply = kb.ask_database(question)
    assert (reply.by, reply.rows) == ("rules", rows), reply
    assert any(note.code == "read-by-meaning" and read in str(note.parameters["words"]) for note in reply.notes)


@pytest.mark.parametrize(
    "question",
    [
        "平均温度是多少？",  # the table has no temperature
        "Wie hoch ist das Durchschnittsgehalt?",  # an average is hidden in the word
        "Wie viele Hunde gibt es?",
        "What is the average temperature?",
        "Mennyi az átlagos hőmérséklet?",
    ],
)
def test_what_is_near_to_no_name_or_asks_for_more_is_not_answered(kb: Rove, question: str) -> None:
    reply = kb.ask_database(question)
    assert (reply.answered, reply.sql) == (False, "")


def test_without_a_judge_no_word_is_read_as_another(address: str, tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", judge={"name": ""}, databases={"staff": {"url": address}}) as kb:
        reply = kb.ask_database("平均工资是多少？")
    assert (reply.answered, reply.not_understood) == (False, ("工资",))


@pytest.mark.parametrize(
    ("word", "language"),
    [("Gesamtbevölkerung", "de"), ("legidősebb", "hu"), ("总人口", "zh"), ("総人口", "ja"), ("total", "en")],
)
def test_a_word_that_asks_for_something_is_no_name(word: str, language: str) -> None:
    assert asks_within(word, language)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("按 age 升序列出 name", "zh"),
        ("name を age の昇順で表示", "ja"),
        ("Show the name sorted by age in ascending order", "en"),
    ],
)
def test_what_stands_after_the_way_of_an_order_is_no_key_of_it(question: str, language: str) -> None:
    table = TableSchema("singer", (Column("name", "text"), Column("age", "number")))
    ruled = by_rules(question, language, alone(table, {}))
    assert ruled.query is not None
    assert ruled.query.sql(dialect="sqlite").startswith('SELECT "name" FROM "singer" ORDER BY "age" ASC')
    assert '"name" ASC' not in ruled.query.sql(dialect="sqlite")

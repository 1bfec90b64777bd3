"""Names of tables and columns in words, and descriptions of tables read back as they were written."""

from __future__ import annotations

import pytest

from rove.language.identifiers import in_words, known_words, short_forms, spelled_out
from rove.language.schema_text import column_spans, describe_table, reads_as_schema, schema_of
from rove.records.schema import Column, TableSchema


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("CUST_ORD_DT", "customer order date"),
        ("custNo", "customer number"),
        ("HIREDT", "hire date"),
        ("VEHNO", "vehicle number"),
        ("stdm_cpcty", "stadium capacity"),
        ("brthplc", "birth place"),
        ("ACCT_NBR", "account number"),
        ("Singer_ID", "singer id"),
        ("orchestra", "orchestra"),
        ("zzqx", "zzqx"),
        ("年齢", "年齢"),
    ],
)
def test_short_names_are_spelled_out(name: str, words: str) -> None:
    assert in_words(name) == words


def test_a_short_form_of_several_words_gives_several() -> None:
    assert {"statistic", "status"} & set(in_words("stat").split())
    assert len(in_words("inv").split()) > 1


def test_words_that_stand_in_the_text_are_not_said_again() -> None:
    assert spelled_out("table dept (department); columns: dept_nm (department name, text)") == ""
    assert spelled_out("table x in database y; columns: EMP_SAL (number)") == "employee salary"


def test_a_word_is_found_by_what_it_is_shortened_to() -> None:
    for word in ("customer", "department", "quantity"):
        assert any(word in in_words(form).split() for form in short_forms(word)), word
    assert len(list(known_words())) > 1_000


TABLE = TableSchema(
    "ORD",
    (
        Column("ID", "INTEGER", is_key=True),
        Column("CUST", "INTEGER", "customer", references="CUST.ID"),
        Column("PRC", "DECIMAL(10, 2)", "price", comment="Without tax.", samples=("9.5", "12")),
        Column("Home Town", "VARCHAR(20)"),
    ),
    "shop",
    "orders",
    "All that was ordered.",
)


def test_what_is_written_is_read_back() -> None:
    text = describe_table(TABLE)
    assert schema_of(text) == TABLE
    assert [text[slice(*span)][:7] for span in column_spans(text)] == ["- `ID` ", "- `CUST", "- `PRC`", "- `Home"]


def test_a_description_in_one_line_is_read() -> None:
    text = (
        "table people (people) in database club; columns: ID (id, number, primary key), Date (date, text), A (-> b.c)"
    )
    table = schema_of(text)
    assert table is not None
    assert (table.name, table.database) == ("people", "club")
    assert [(c.name, c.label, c.type, c.is_key, c.references) for c in table.columns] == [
        ("ID", "id", "number", True, ""),
        ("Date", "date", "text", False, ""),
        ("A", "", "", False, "b.c"),
    ]
    assert [text[slice(*span)].strip()[:4] for span in column_spans(text)] == ["ID (", "Date", "A (-"]


def test_a_create_table_is_read_with_its_keys() -> None:
    table = schema_of(
        'CREATE TABLE ord (id INT PRIMARY KEY, "no" TEXT, c INT REFERENCES cust(id), d INT, '
        "FOREIGN KEY (d) REFERENCES x (y))"
    )
    assert table is not None
    assert [(c.name, c.is_key, c.references) for c in table.columns] == [
        ("id", True, ""),
        ("no", False, ""),
        ("c", False, "cust.id"),
        ("d", False, "x.y"),
    ]


@pytest.mark.parametrize(
    "text", ["", "table", "Table 4 shows the columns: a, b", "The table is round.", "# Head\n\nText."]
)
def test_prose_is_no_description(text: str) -> None:
    assert not reads_as_schema(text)

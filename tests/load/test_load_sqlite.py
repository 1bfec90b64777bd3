from __future__ import annotations

import sqlite3

import pytest

from load.samples import source
from load.samples_data import sqlite_file
from rove.errors import InputError
from rove.load.data import sqlite
from rove.load.discover import load_documents
from rove.records import Document


def load(data: bytes) -> list[Document]:
    return list(load_documents(source("sqlite", data)))


def made(script: str) -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.executescript(script)
    data = bytes(connection.serialize())
    connection.close()
    return data


def test_each_table_is_a_document_with_its_schema_first() -> None:
    documents = {d.title: d for d in load(sqlite_file())}
    assert list(documents) == ["author", "book", "later", "titles"]
    book = documents["book"]
    assert book.source == "/data/sample.sqlite#book"
    assert book.text.startswith("# book\n\n```sql\nCREATE TABLE book (id INTEGER PRIMARY KEY")
    assert "\n- `author_id` refers to [author](#author) (`id`)\n" in book.text
    assert "| 1 | Az arany \\| ember | 1 | (2 bytes) |\n| 2 | ノルウェイの森 | 2 |  |" in book.text
    assert book.text[slice(*book.blocks[0].span)].startswith("| id | title |")
    assert documents["titles"].text == "# titles\n\n```sql\nCREATE VIEW titles AS SELECT title FROM book\n```\n"


def test_a_write_ahead_log_is_no_reason_to_refuse() -> None:
    data = sqlite_file()
    assert len(load(data[:18] + b"\x02\x02" + data[20:])) == 4


def test_a_full_text_index_is_read_once() -> None:
    documents = load(made("CREATE VIRTUAL TABLE f USING fts5(t); INSERT INTO f VALUES ('őszi szél');"))
    assert [d.title for d in documents] == ["f"]
    assert "őszi szél" in documents[0].text


def test_a_query_without_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "MAX_STEPS", 3)
    rows = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 300000) INSERT INTO t SELECT x FROM c;"
    data = made(f"CREATE TABLE a (x); INSERT INTO a VALUES (1); CREATE TABLE t (x); {rows}")
    stream = load_documents(source("sqlite", data))
    titles: list[str] = []
    with pytest.raises(InputError) as caught:
        for document in stream:
            titles.append(document.title)  # noqa: PERF401 - what came before the error is what is looked at
    assert "a" in titles
    assert caught.value.outcome == "partial"
    assert "t (interrupted)" in str(caught.value)


def test_a_value_that_fills_the_memory_is_refused() -> None:
    data = made("CREATE TABLE t (a, b AS (zeroblob(900000000))); INSERT INTO t VALUES (1); CREATE TABLE u (x);")
    with pytest.raises(InputError) as caught:
        load(data)
    assert caught.value.outcome == "partial"


@pytest.mark.parametrize("name", ['odd "name"', "日本", "a b; DROP TABLE x"])
def test_odd_names(name: str) -> None:
    quoted = name.replace('"', '""')
    [document] = load(made(f'CREATE TABLE "{quoted}" (x); INSERT INTO "{quoted}" VALUES (7);'))
    assert document.title == name
    assert "| 7 |" in document.text


def test_no_table_is_empty() -> None:
    with pytest.raises(InputError) as caught:
        load(made("CREATE TABLE x (y); DROP TABLE x;"))
    assert caught.value.outcome == "empty"

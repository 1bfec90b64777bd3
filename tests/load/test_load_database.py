from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

import postgres_server
from load.samples_data import sqlite_file
from rove.errors import ConfigError, InputError
from rove.load.data.database import database_documents
from rove.records import Document

POSTGRES = """
CREATE SCHEMA archiv;
CREATE TABLE author (id serial PRIMARY KEY, név text);
COMMENT ON TABLE author IS 'Wer schreibt';
COMMENT ON COLUMN author.név IS '作者の名前';
CREATE TABLE archiv.book (id int PRIMARY KEY, author_id int REFERENCES author (id), data jsonb, price numeric(6, 2));
INSERT INTO author (név) VALUES ('Jókai Mór'), ('村上春樹'), ('Müller');
INSERT INTO archiv.book VALUES (1, 2, '{"cím": "森"}', 12.50);
CREATE VIEW names AS SELECT név FROM author;
"""


def load(url: str, max_rows: int = 100) -> dict[str, Document]:
    return {d.title: d for d in database_documents(url, max_rows=max_rows)}


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    (tmp_path / "a.sqlite").write_bytes(sqlite_file())
    return f"sqlite:///{tmp_path / 'a.sqlite'}"


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    pytest.importorskip("pg8000", reason="needs the extra rove[database]")
    with postgres_server.running() as given:
        address = make_url(given).set(drivername="postgresql+pg8000")
        query = dict(address.query)
        if folder := query.pop("host", ""):
            query["unix_sock"] = f"{folder}/.s.PGSQL.5432"
        url = address.set(query=query).render_as_string(hide_password=False)
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.execute(text(POSTGRES))
        engine.dispose()
        yield url


def test_a_database_file(sqlite_url: str) -> None:
    documents = load(sqlite_url)
    assert list(documents) == ["author", "book", "later", "titles"]
    book = documents["book"]
    assert book.kind == "database"
    assert "```sql\nCREATE TABLE book (" in book.text
    assert "- `author_id` refers to [author](#author) (`id`)" in book.text
    assert "| 2 | ノルウェイの森 | 2 |  |" in book.text


def test_more_rows_than_asked_for_are_partial(sqlite_url: str) -> None:
    documents: list[Document] = []
    with pytest.raises(InputError) as caught:
        documents.extend(database_documents(sqlite_url, max_rows=1))
    assert caught.value.outcome == "partial"
    assert "author, book" in str(caught.value)


def test_postgres(postgres_url: str) -> None:
    documents = load(postgres_url)
    author, book = documents["author"], documents["archiv.book"]
    assert "\n\nWer schreibt\n\n`név`: 作者の名前\n\n```sql\nCREATE TABLE author (" in author.text
    assert "| 1 | Jókai Mór |\n| 2 | 村上春樹 |" in author.text
    assert "- `author_id` refers to [author](#author) (`id`)" in book.text
    assert '| 1 | 2 | {"cím": "森"} | 12.50 |' in book.text
    assert "CREATE VIEW names AS" in documents["names"].text


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("sqlite:////nowhere/at/all.sqlite", InputError),
        ("postgresql://anna:geheim@127.0.0.1:1/shop", InputError),
        ("no address", InputError),
        ("nosql://anna:geheim@host/x", ConfigError),
    ],
)
def test_what_cannot_be_read_says_why_and_no_password(url: str, error: type[Exception]) -> None:
    if url.startswith("postgresql"):
        pytest.importorskip("pg8000", reason="needs the extra rove[database]")
    with pytest.raises(error) as caught:
        load(url)
    assert "geheim" not in str(caught.value)
    assert getattr(caught.value, "cure", "")

from __future__ import annotations

from pathlib import Path

import pytest

from load.samples import source
from rove.errors import InputError
from rove.load.data import long_table
from rove.load.discover import load_documents, locate, read_place
from rove.load.sheets import csv
from rove.load.sheets.csv import find_dialect
from rove.records import Document


def load(text: str | bytes, name: str = "t.csv") -> list[Document]:
    return list(load_documents(source("csv", text if isinstance(text, bytes) else text.encode(), name)))


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("név;ár\nkör;1,5\nnégyzet;2,5\n", ";"),
        ("a\tb, c\n1\t2\n", "\t"),
        ("a|b\nx, y|z, w\n", "|"),
        ('name,text\nx,"a; b; c"\ny,"d; e"\n', ","),
        ("sep=;\na;b\n", ";"),
        ("Bericht, Stand heute\na;b;c\n1;2;3\n4;5;6\n", ";"),
        ("dátum;idő\n2024-01-01;10:30\n", ";"),
    ],
)
def test_the_delimiter_is_found(text: str, delimiter: str) -> None:
    assert find_dialect(text).delimiter == delimiter


def test_quotes_breaks_and_pipes_in_cells() -> None:
    [document] = load('név,szöveg\nx,"első\nmásodik | ""idézet"""\n')
    assert document.text == '| név | szöveg |\n| --- | --- |\n| x | első második \\| "idézet" |\n'


@pytest.mark.parametrize(("text", "cell"), [("a,b\n'x, y',2\n", "x, y"), ('a,b\n"x \\"y\\", z",2\n', 'x "y", z')])
def test_other_quotes_and_escapes(text: str, cell: str) -> None:
    assert f"| {cell} | 2 |" in load(text)[0].text


def test_titles_above_the_header_are_paragraphs() -> None:
    [document] = load("Umsatzbericht;;\n\nRegion;2023;2024\n;Mio. €;Mio. €\nNord;1,5;2\n")
    assert document.text.startswith("Umsatzbericht\n\n| Region | 2023 (Mio. €) | 2024 (Mio. €) |\n")
    assert document.blocks[0].caption == "Umsatzbericht"
    assert document.text[slice(*document.blocks[0].span)].startswith("| Region")


def test_a_table_without_a_header_keeps_its_first_row() -> None:
    assert load("1,x\n2,y\n")[0].text == "|  |  |\n| --- | --- |\n| 1 | x |\n| 2 | y |\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1250", "cp932"])
def test_encodings(encoding: str) -> None:
    word = "東京都" if encoding == "cp932" else "árvíztűrő"
    rows = "".join(f"{word} tükör {n};{n}\n" if encoding != "cp932" else f"{word};{n}\n" for n in range(50))
    assert word in load(f"id;n\n{rows}".encode(encoding))[0].text


@pytest.mark.data
def test_a_real_japanese_file(shared_data: Path) -> None:
    path = shared_data / "files/markitdown/packages/markitdown/tests/test_files/test_mskanji.csv"
    [document] = load_documents(read_place(locate([path])[0]))
    assert document.text.startswith("| 名前 | 年齢 | 住所 |\n| --- | --- | --- |\n| 佐藤太郎 | 30 | 東京 |")


@pytest.mark.parametrize("streamed", [True, False])
def test_a_long_file_is_several_documents(streamed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_table, "MAX_PART_CHARS", 1000)
    monkeypatch.setattr(csv, "STREAMED_BYTES", 64 if streamed else 1 << 20)
    documents = load("szám,név\n" + "".join(f"{n},Győr {n}\n" for n in range(1000)))
    assert len(documents) > 10
    assert documents[0].source == f"/data/t.csv#row=1-{documents[0].metadata['last_row']}"
    assert all(d.text.startswith("| szám | név |\n| --- | --- |\n") for d in documents)
    assert len({d.document_id for d in documents}) == len(documents)
    rows = [line for d in documents for line in d.text.splitlines()[2:]]
    assert rows == [f"| {n} | Győr {n} |" for n in range(1000)]


def test_a_row_that_is_too_wide_is_named() -> None:
    stream = load_documents(source("csv", ",".join(f"n{n}" for n in range(1200)).encode() + b"\n1,2\n"))
    assert next(stream).text.startswith("| n0 | n1 |")
    with pytest.raises(InputError, match="1200 columns") as caught:
        next(stream)
    assert caught.value.outcome == "partial"


def test_a_quote_that_never_ends_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    before = csv.csv.field_size_limit(10_000)
    try:
        stream = load_documents(source("csv", ('a,b\n1,2\n3,"' + "x\n" * 20_000).encode()))
        assert "| 1 | 2 |" in next(stream).text
        with pytest.raises(InputError) as caught:
            next(stream)
    finally:
        csv.csv.field_size_limit(before)
    assert caught.value.outcome == "partial"


def test_one_column_of_sentences_is_one_column() -> None:
    assert load("mondat\nEz egy mondat, vesszővel\nMásodik\n")[0].text == (
        "| mondat |\n| --- |\n| Ez egy mondat, vesszővel |\n| Második |\n"
    )


@pytest.mark.parametrize("line", ["sep=;", "SEP=;\r", "\ufeffsep=;"])
def test_the_line_that_names_the_delimiter_is_no_row(line: str) -> None:
    assert load(f"{line}\nnév;db\ncsavar;12\n")[0].text == "| név | db |\n| --- | --- |\n| csavar | 12 |\n"

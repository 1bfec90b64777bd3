"""Small files of data: tables, trees and notebooks whose content is known to the letter."""

from __future__ import annotations

import json
import sqlite3
from io import BytesIO
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from load.samples import PARAGRAPHS

FILES = Path(__file__).parent / "files"
"""One workbook in three formats: sales.xlsx by openpyxl, sales.ods and sales.xls made of it by LibreOffice."""


def workbook(suffix: str) -> bytes:
    return (FILES / f"sales.{suffix}").read_bytes()


def csv_table() -> str:
    rows = "".join(f'{code};"{text}";{number},5\n' for number, (code, text) in enumerate(PARAGRAPHS.items()))
    return f"nyelv;szöveg;érték\n{rows}"


def sqlite_file() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        """
        CREATE TABLE author (id INTEGER PRIMARY KEY, név TEXT);
        CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, author_id INT REFERENCES author(id), cover BLOB);
        INSERT INTO author VALUES (1, 'Jókai Mór'), (2, '村上春樹');
        INSERT INTO book VALUES (1, 'Az arany | ember', 1, x'0102'), (2, 'ノルウェイの森', 2, NULL);
        CREATE VIEW titles AS SELECT title FROM book;
        CREATE TABLE later (x);
        """
    )
    data = connection.serialize()
    connection.close()
    return bytes(data)


def parquet_file(rows: list[dict[str, object]]) -> bytes:
    out = BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows), out)
    return out.getvalue()


def parquet_records() -> bytes:
    return parquet_file([{"id": code, "text": text, "n": n} for n, (code, text) in enumerate(PARAGRAPHS.items())])


def notebook() -> str:
    cells: list[dict[str, object]] = [
        {"cell_type": "markdown", "source": ["# Gyűjtemény 文集\n", "\n", f"{PARAGRAPHS['hu']}\n"]},
        {
            "cell_type": "code",
            "source": "# no heading\nprint(1)",
            "outputs": [
                {"output_type": "stream", "text": ["1\n"]},
                {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"}},
                {"output_type": "error", "ename": "ValueError", "evalue": "schlecht", "traceback": ["\u001b[0m"]},
            ],
        },
    ]
    return json.dumps({"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4})


def rst_text() -> str:
    parts = [f"Teil {code}\n{'-' * 20}\n\n{text}\n" for code, text in PARAGRAPHS.items()]
    return "Gyűjtemény 文集\n====================\n\n" + "\n".join(parts) + "\n.. code:: sh\n\n   # no heading\n"


def xml_tree() -> str:
    books = "".join(f'<book id="{code}"><text>{text}</text></book>' for code, text in PARAGRAPHS.items())
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<library>{books}</library>'


def rss_feed() -> str:
    items = "".join(
        f"<item><title>Teil {code}</title><link>https://example.org/{code}</link><category>{code}</category>"
        f"<pubDate>Tue, 19 Nov 2024 13:30:02 +0000</pubDate>"
        f"<description>&lt;p&gt;{text}&lt;/p&gt;</description></item>"
        for code, text in PARAGRAPHS.items()
    )
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>Hírek</title>{items}</channel></rss>'

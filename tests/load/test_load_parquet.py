from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from load.samples import PARAGRAPHS, source
from load.samples_data import parquet_file, parquet_records
from rove.errors import InputError
from rove.load.discover import load_documents, locate, read_place
from rove.prepare import Preparer, Recipe
from rove.records import Document


def load(data: bytes) -> list[Document]:
    return list(load_documents(source("parquet", data)))


def test_rows_with_a_text_are_records() -> None:
    documents = load(parquet_records())
    assert [d.text for d in documents] == list(PARAGRAPHS.values())
    assert documents[2].metadata == {"n": 2, "record_id": "hu"}


def test_the_longest_column_is_the_text_where_none_is_named_so() -> None:
    rows = [{"who": f"név {n}", "said": f"{text} {text}", "day": date(2024, 1, n)} for n, text in
            enumerate((PARAGRAPHS["en"], PARAGRAPHS["de"]), 1)]  # fmt: skip
    documents = load(parquet_file(list(rows)))
    assert documents[0].text == f"{PARAGRAPHS['en']} {PARAGRAPHS['en']}"
    assert (documents[0].metadata["who"], documents[0].metadata["day"]) == ("név 1", "2024-01-01")
    assert "said" not in documents[0].metadata


def test_other_rows_are_a_table() -> None:
    [document] = load(
        parquet_file([{"n": 1, "város": "Győr", "raw": b"xx"}, {"n": None, "város": "北京", "raw": None}])
    )
    assert document.text == "| n | város | raw |\n| --- | --- | --- |\n| 1 | Győr | (2 bytes) |\n|  | 北京 |  |\n"


def test_half_a_file_is_damaged() -> None:
    data = parquet_records()
    with pytest.raises(InputError) as caught:
        load(data[: len(data) // 2])
    assert caught.value.outcome == "damaged"


@pytest.mark.data
def test_a_real_table(shared_data: Path) -> None:
    [document] = load_documents(read_place(locate([shared_data / "pawsitive/labels.parquet"])[0]))
    assert document.text.startswith("| run | query | rank | reddit_name | annotator | label |\n")


def test_a_large_file_is_mapped_and_read_as_one_that_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "rows.parquet"
    place.write_bytes(parquet_records())
    held = read_place(locate([place])[0])
    monkeypatch.setattr("rove.load.file_bytes.MAPPED_FROM_BYTES", 1)
    monkeypatch.setattr("rove.load.file_bytes.HEAD_BYTES", 8)
    mapped = read_place(locate([place])[0])
    assert (mapped.data, mapped.all_bytes[:]) == (held.data[:8], held.data)
    assert list(load_documents(mapped)) == list(load_documents(held))
    preparer = Preparer(Recipe("fake", ""))
    assert preparer.fingerprint(mapped) == preparer.fingerprint(held)


def test_a_large_file_that_only_begins_like_one_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "note.txt"
    place.write_bytes(b"PAR1 is how a parquet file begins.")
    monkeypatch.setattr("rove.load.file_bytes.MAPPED_FROM_BYTES", 1)
    with pytest.raises(InputError) as caught:
        list(load_documents(read_place(locate([place])[0])))
    assert caught.value.outcome == "damaged"

"""Rows that were lost are missed: it is said what is gone and what cures it, and never that nothing was found."""

from __future__ import annotations

import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from rove import Rove, Text
from rove.cli import rove as command_line
from rove.errors import ConfigError
from rove.records import Hit
from rove.store import resident, row_counts
from rove.store.presence import REBUILD
from rove.sync.rebuilding import rebuild_base

FAKE = {"embedder": {"name": "fake"}}
TABLES = (
    "documents",
    "texts",
    "chunks",
    "vectors",
    "ledger",
    "facts",
    "walks",
    "walk_events",
    "dictionary",
    "kept_questions",
)
COMMANDS = (["search", "number7"], ["inspect"])
WORDS = ("kutya", "macska", "hund", "katze", "遠方", "house", "straße")


def texts(first: int = 0, count: int = 30) -> list[Text]:
    return [Text(f"{WORDS[n % 7]} number{n} lives here.", id=f"d{n}") for n in range(first, first + count)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base with rows in tables of every kind, and all of it in the catalog's file."""
    place = tmp_path_factory.mktemp("whole") / "kb"
    with Rove.open(place, **FAKE) as kb:
        kb.add(texts())
        kb.delete("d3")
        kb.define({"hund": ["dog"]})
        kb.keep_question("Where does number7 live?", "d7", (0, 5))
        list(kb.walk("Where does number7 live?"))
    with closing(sqlite3.connect(place / "catalog.sqlite")) as catalog:
        catalog.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (place / "rove.toml").write_text('[embedder]\nname = "fake"\n', "utf-8")
    for command in COMMANDS:
        assert CliRunner().invoke(command_line, [*command, "--kb", str(place)]).exit_code == 0
    return place


def said(place: Path) -> tuple[list[list[Hit]], list[tuple[str, str]]]:
    """What a fresh process finds and lists."""
    with Rove.open(place, **FAKE) as kb:
        found = [
            kb.search(question, mode=mode) for question in ("number7", "katze") for mode in ("keyword", "semantic")
        ]
        return found, [(info.document_id, kb.text(info.document_id)) for info in kb.documents()]


def root_page(place: Path, name: str) -> tuple[int, int]:
    with closing(sqlite3.connect(place / "catalog.sqlite")) as catalog:
        (size,) = catalog.execute("PRAGMA page_size").fetchone()
        (page,) = catalog.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    return size, (page - 1) * size


def overwrite(place: Path, name: str, page: Callable[[int], bytes]) -> None:
    size, at = root_page(place, name)
    data = bytearray((place / "catalog.sqlite").read_bytes())
    data[at : at + size] = page(size)
    (place / "catalog.sqlite").write_bytes(data)


def empty_page(kind: int, size: int) -> bytes:
    """A page of a tree, a table's (13) or an index's (10), that holds nothing."""
    return bytes([kind, 0, 0, 0, 0, *(size & 0xFFFF).to_bytes(2, "big")]).ljust(size, b"\0")


def run(place: Path, statement: str) -> None:
    with closing(sqlite3.connect(place / "catalog.sqlite", isolation_level=None)) as catalog:
        catalog.execute(statement)


DAMAGES: dict[str, Callable[[Path, str], None]] = {
    "zeroed": lambda place, name: overwrite(place, name, bytes),
    "emptied": lambda place, name: overwrite(place, name, lambda size: empty_page(13, size)),
    "noise": lambda place, name: overwrite(place, name, Random(41).randbytes),
    "dropped": lambda place, name: run(place, f'DROP TABLE "{name}"'),
    "all rows": lambda place, name: run(place, f'DELETE FROM "{name}"'),
    "one row": lambda place, name: run(
        place, f'DELETE FROM "{name}" WHERE rowid = (SELECT rowid FROM "{name}" ORDER BY random() LIMIT 1)'
    ),
}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_that_lost_rows_is_said_with_the_cure(whole: Path, table: str, tmp_path: Path) -> None:
    for name, damage in DAMAGES.items():
        place = tmp_path / name
        shutil.copytree(whole, place)
        damage(place, table)
        opens = name in {"zeroed", "noise"}  # who needs that page is told, and so is who asks doctor
        try:
            assert said(place) == said(whole) and opens, name
        except ConfigError as refused:
            assert REBUILD in refused.cure, name
            assert f"its table {table} holds" in str(refused) or name not in {"all rows", "one row"}
        for command in [["doctor"], *COMMANDS]:
            ran = CliRunner().invoke(command_line, [*command, "--kb", str(place)])
            assert ran.exit_code != 0 or (opens and command != ["doctor"]), (name, command)
            assert "agree" not in ran.output.partition("do not agree")[0], (name, command)


@pytest.mark.parametrize(
    "index", ["ix_chunks_chunk_id", "ix_chunks_document", "documents_of_id", "ix_documents_revision"]
)
def test_an_index_of_the_catalog_that_is_empty_is_said(whole: Path, index: str, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "kb")
    overwrite(tmp_path / "kb", index, lambda size: empty_page(10, size))
    with pytest.raises(ConfigError, match="do not agree") as refused:
        said(tmp_path / "kb")
    assert REBUILD in refused.value.cure


@pytest.mark.parametrize("table", ["chunks", "vectors", "walks", "dictionary"])
def test_what_is_left_is_put_together_again(whole: Path, table: str, tmp_path: Path) -> None:
    place = tmp_path / "kb"
    shutil.copytree(whole, place)
    DAMAGES["all rows"](place, table)
    rebuilt = rebuild_base("here", place, **FAKE)
    assert rebuilt.documents == 29
    (found, held), (found_before, held_before) = said(place), said(whole)
    assert sorted(held) == sorted(held_before)
    assert [hits[0].chunk.text for hits in found] == [hits[0].chunk.text for hits in found_before]
    with Rove.open(place, **FAKE) as kb:
        assert kb.doctor().ok


def counts(place: Path) -> dict[str, tuple[int, int]]:
    """By table: the rows that are noted, and those that there are."""
    with closing(sqlite3.connect(place / "catalog.sqlite")) as catalog:
        noted = dict(catalog.execute("SELECT name, rows FROM row_counts").fetchall())
        return {
            name: (rows, *catalog.execute(f'SELECT count(*) FROM "{name}"').fetchone()) for name, rows in noted.items()
        }


def test_rows_are_counted_as_they_come_and_go(tmp_path: Path) -> None:
    place = tmp_path / "kb"
    with Rove.open(place, **FAKE) as one, Rove.open(place, **FAKE) as other:
        one.add(texts())
        other.add(texts(20, 20))
        other.add(Text("replaced", id="d7"))
        one.delete("d8", "d9")
        list(other.walk("Where does number7 live?"))
        lines = list(one.export())
        assert one.doctor().ok
    every = counts(place)
    assert every["documents"] == (38, 38)
    assert {name: held for name, held in every.items() if len(set(held)) > 1} == {}
    assert every["walk_events"][0] > 2
    with Rove.open(tmp_path / "new", **FAKE) as new:
        new.import_(lines)
    assert counts(tmp_path / "new")["documents"] == (38, 38)


def test_a_base_of_the_last_release_is_counted_by_its_first_write(tmp_path: Path) -> None:
    with zipfile.ZipFile(Path(__file__).parents[1] / "deploy" / "older" / "9c8b98a2.zip") as archive:
        archive.extractall(tmp_path)
    place = tmp_path / "kb"
    for table in ("documents", "texts", "chunks", "vectors"):
        shutil.copytree(place, tmp_path / table)
        run(tmp_path / table, f"DELETE FROM {table}")
        with pytest.raises(ConfigError, match="holds 0 of"):
            Rove.open(tmp_path / table, **FAKE)
    with Rove.open(place, **FAKE) as kb:
        held = len(kb.documents())
        kb.add(Text("One more.", id="more"))
    assert counts(place)["documents"] == (held + 1, held + 1)
    run(place, "DELETE FROM texts WHERE document = (SELECT max(document) FROM texts)")
    with pytest.raises(ConfigError, match=f"its table texts holds {held} of {held + 1} rows"):
        Rove.open(place, **FAKE)


def test_of_a_large_table_lost_rows_are_missed_when_a_snapshot_is_made_and_by_doctor(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_counts, "INDEXED_ROWS", 0)
    monkeypatch.setattr(row_counts, "SCANNED_ROWS", 0)
    monkeypatch.setattr(resident, "KEPT_FROM", 5)
    place = tmp_path / "kb"
    shutil.copytree(whole, place)
    run(place, "DELETE FROM texts WHERE document = (SELECT seq FROM documents WHERE document_id = 'd7')")
    with Rove.open(place, **FAKE) as kb:
        assert kb.search("number7", mode="keyword")[0].chunk.document_id == "d7"
        for read in (kb.text, kb.document):
            with pytest.raises(ConfigError, match="the text of 'd7' is not there"):
                read("d7")
        with pytest.raises(ConfigError, match="its table texts holds 58 of 59 rows"):
            kb.add(texts(40, 30))
        with pytest.raises(ConfigError, match="its table texts"):
            kb.doctor()
    for table in ("texts", "chunks"):
        run(place, f"DELETE FROM {table}")
        with pytest.raises(ConfigError, match=f"its table {table} holds 0 of"):
            Rove.open(place, **FAKE)


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("DELETE FROM texts WHERE document = 2", "1 documents have no text: 'd1'"),
        ("DELETE FROM chunks WHERE document = 2", "1 documents have not the chunks that they had: 'd1'"),
        ("DELETE FROM documents WHERE seq = 2", "1 rows of texts are of documents that are not there"),
        ("DELETE FROM vectors WHERE seq = 2", "1 rows of chunks are of vectors that are not there"),
    ],
)
def test_doctor_holds_each_table_against_the_others(whole: Path, statement: str, named: str, tmp_path: Path) -> None:
    place = tmp_path / "kb"
    shutil.copytree(whole, place)
    run(place, "DELETE FROM row_counts")  # nothing tells how many there were
    run(place, statement)
    with Rove.open(place, **FAKE) as kb, pytest.raises(ConfigError) as refused:
        kb.doctor()
    assert named in str(refused.value)
    assert REBUILD in refused.value.cure


def test_more_rows_than_were_counted_are_no_loss(whole: Path, tmp_path: Path) -> None:
    place = tmp_path / "kb"
    shutil.copytree(whole, place)
    run(place, "INSERT INTO dictionary VALUES ('cat', 'macska')")
    with Rove.open(place, **FAKE) as kb:
        assert kb.doctor().ok
    assert counts(place)["dictionary"] == (2, 2)

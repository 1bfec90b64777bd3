"""Several processes on one base at once: writers take turns, readers are never in the way and never misled."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from rove.records import Text
from rove.store.database import Database, get_fact
from rove.store.sqlite import SqliteDialect
from rove.sync import Rove

FAKE = {"embedder": {"name": "fake"}}


@pytest.fixture(autouse=True)
def in_lancedb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROVE_STORE__INDEX", "lancedb")


WRITER = """
import sys
import rove.ingest.batch
from rove.sync import Rove
rove.ingest.batch.BATCH_CHUNKS = 12
base, folder = sys.argv[1:]
with Rove.open(base, embedder={"name": "fake"}) as kb:
    print("ready", flush=True)
    sys.stdin.readline()
    report = kb.add(folder)
    assert report.ok, report
    print(report.added, report.documents, flush=True)
"""
# Answers each line with what it finds, as chunk id and text; asks the index on disk and the resident one.
READER = """
import json, sys
from rove.sync import Rove
base = sys.argv[1]
fake = {"name": "fake"}
lance = {"index": "lancedb", "resident_chunks": 0}
with Rove.open(base, embedder=fake) as held, Rove.open(base, embedder=fake, store=lance) as asked:
    print("ready", flush=True)
    for line in sys.stdin:
        found = [
            [hit.chunk.chunk_id, hit.chunk.text, hit.chunk.document_id]
            for kb in (held, asked)
            for mode in ("keyword", "semantic", "hybrid")
            for hit in kb.search(line, mode=mode, top_k=8)
        ]
        print(json.dumps(found), flush=True)
"""
SUBJECTS = {
    "en": "The pilot guided vessel {0} through the narrow strait of {1}.",
    "de": "Der Lotse führte das Schiff {0} durch die Meerenge von {1}.",
    "hu": "A révkalauz átvezette a(z) {0}. hajót {1} szorosán.",
    "zh": "领航员引导{0}号船通过{1}海峡。",
    "ja": "水先人は{0}号船を{1}海峡に導いた。",
}
QUESTIONS = ["pilot vessel strait", "Lotse Schiff Meerenge", "révkalauz hajó", "领航员引导船", "水先人 海峡"]


class Helper:
    """Another process, spoken to line by line; its end is checked."""

    def __init__(self, script: str, log: Path, *arguments: object) -> None:
        self.log = log
        with log.open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-W", "error", "-c", script, *map(str, arguments)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.log.read_text()[-3000:]
        return line

    def ask(self, question: str) -> list[list[str]]:
        self.tell(question)
        return json.loads(self.hear())

    def close(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        status = self.process.wait(60)
        self.process.stdout.close()
        return status


@contextmanager
def helper(script: str, log: Path, *arguments: object) -> Iterator[Helper]:
    made = Helper(script, log, *arguments)
    try:
        yield made
    finally:
        status = made.close()
    assert status == 0, log.read_text()[-3000:]


def write_folder(folder: Path, name: str, count: int) -> None:
    folder.mkdir()
    for n in range(count):
        code = list(SUBJECTS)[n % 5]
        text = "\n\n".join(SUBJECTS[code].format(f"{name}{n}-{part}", f"{name}{part}") for part in range(6))
        (folder / f"{n:02}.md").write_text(f"# {name} {n}\n\n{text}\n")


def cataloged(base: Path) -> list[str]:
    with closing(sqlite3.connect(base / "catalog.sqlite")) as database:
        return [row[0] for row in database.execute("SELECT chunk_id FROM chunks")]


def test_a_base_that_another_process_is_just_making_is_not_taken_for_lost(tmp_path: Path) -> None:
    (tmp_path / "write.lock").touch()
    with closing(sqlite3.connect(tmp_path / "catalog.sqlite", isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("BEGIN IMMEDIATE")
        other.execute("CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        with ThreadPoolExecutor(1) as thread:
            opened = thread.submit(lambda: Database(SqliteDialect(tmp_path / "catalog.sqlite")))
            with pytest.raises(TimeoutError):
                opened.result(0.5)
            other.execute("COMMIT")
            database = opened.result(60)
    with database.read() as connection:
        assert get_fact(connection, "schema")
    database.close()


def test_two_write_while_a_third_searches(tmp_path: Path) -> None:
    base = tmp_path / "kb"
    folders = [tmp_path / name for name in ("north", "south")]
    for folder in folders:
        write_folder(folder, folder.name, 30)
    with Rove.open(base, **FAKE) as kb:
        kb.add(Text("A pilot boards every vessel.", id="first"))
    seen: set[str] = set()
    with (
        helper(WRITER, tmp_path / "north.log", base, folders[0]) as north,
        helper(WRITER, tmp_path / "south.log", base, folders[1]) as south,
        helper(READER, tmp_path / "reader.log", base) as reader,
    ):
        for process in (north, south, reader):
            assert process.hear() == "ready\n"
        for writer in (north, south):
            writer.tell("go")
        last = 0
        while last < 2:
            last += north.process.poll() is not None and south.process.poll() is not None
            for question in QUESTIONS:
                hits = reader.ask(question)
                assert hits, "the first document is always there"
                seen |= {hit[0] for hit in hits}
        assert north.hear() == "30 30\n"
        assert south.hear() == "30 30\n"
    ids = cataloged(base)
    assert max(Counter(ids).values()) == 1
    assert seen <= set(ids)
    assert len(seen) > 30
    with Rove.open(base, **FAKE, store={"index": "lancedb", "resident_chunks": 0}) as kb:
        health = kb.doctor()
        assert health.ok, health
        assert health.chunks == len(ids)
        sources = {info.source for info in kb.documents()}
        assert sources == {"first", *(str(file) for folder in folders for file in folder.iterdir())}


@pytest.mark.long
def test_two_processes_take_in_the_same_folder(tmp_path: Path) -> None:
    """The second finds all there, or does the same work again: either way each chunk is there once."""
    base, folder = tmp_path / "kb", tmp_path / "docs"
    write_folder(folder, "docs", 30)
    with (
        helper(WRITER, tmp_path / "one.log", base, folder) as one,
        helper(WRITER, tmp_path / "two.log", base, folder) as two,
    ):
        for process in (one, two):
            assert process.hear() == "ready\n"
        for process in (one, two):
            process.tell("go")
        for process in (one, two):
            process.hear()
    ids = cataloged(base)
    with Rove.open(base, **FAKE) as kb:
        assert kb.doctor().ok
        documents = kb.documents()
    assert max(Counter(ids).values()) == 1
    assert Counter(info.source for info in documents) == Counter(str(file) for file in folder.iterdir())
    with Rove.open(tmp_path / "alone", **FAKE) as kb:
        kb.add(folder)
    assert sorted(ids) == sorted(cataloged(tmp_path / "alone"))


@pytest.mark.parametrize("name", ["Kwyjibo", "köhögőfürj", "鸚鵡螺"])
def test_a_reader_outlives_an_erasure(name: str, tmp_path: Path) -> None:
    """A process that had the base open before sees the erased no more, the rest as before, and what came later."""
    base = tmp_path / "kb"
    with Rove.open(base, **FAKE) as kb, helper(READER, tmp_path / "reader.log", base) as reader:
        texts = [Text(SUBJECTS[code].format(n, f"Nr{n}"), id=f"{code}{n}") for code in SUBJECTS for n in range(8)]
        kb.add(Text(f"{name} guided the vessel {name}.", id="goner"), texts)
        assert reader.hear() == "ready\n"
        assert {hit[2] for hit in reader.ask(name)} >= {"goner"}
        before = reader.ask(QUESTIONS[1])
        assert kb.delete("goner") == 1
        after = reader.ask(name)
        assert all(hit[2] != "goner" and name not in hit[1] for hit in after)
        assert [hit[0] for hit in reader.ask(QUESTIONS[1])] == [hit[0] for hit in before]
        kb.add(Text(f"{name} came again.", id="later"))
        assert {hit[2] for hit in reader.ask(name)} >= {"later"}
        assert kb.delete("later", *[text.id for text in texts[:20]]) == 21
        ids = set(cataloged(base))
        assert {hit[0] for question in QUESTIONS for hit in reader.ask(question)} <= ids


def test_a_reader_outlives_a_doctor_that_makes_the_index_anew(tmp_path: Path) -> None:
    base = tmp_path / "kb"
    with Rove.open(base, **FAKE) as kb, helper(READER, tmp_path / "reader.log", base) as reader:
        kb.add([Text(SUBJECTS[code].format(n, f"Nr{n}"), id=f"{code}{n}") for code in SUBJECTS for n in range(8)])
        assert reader.hear() == "ready\n"
        before = reader.ask(QUESTIONS[0])
        for manifest in (base / "index").rglob("*.manifest"):
            manifest.write_bytes(b"")
        assert kb.doctor().rebuilt
        assert [hit[0] for hit in reader.ask(QUESTIONS[0])] == [hit[0] for hit in before]

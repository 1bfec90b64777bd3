"""What a base takes up stays within bounds, however often its documents are replaced; readers do not notice."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from sqlite3 import connect

import pytest

import rove.store.catalog
import rove.store.lance
import rove.store.lance_versions
import rove.store.store
from rove.records import Text
from rove.sync import Rove

FAKE = {"name": "fake"}


@pytest.fixture(autouse=True)
def in_lancedb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROVE_STORE__INDEX", "lancedb")


WORDS = ["board", "policy", "remote", "work", "approves", "quarter", "budget", "plan", "harbour", "vessel", "strait"]


def text(document: str, version: int) -> Text:
    words = " ".join(WORDS[(n * (version + 1)) % len(WORDS)] for n in range(1, 150))
    return Text(f"{words} {document} version{version}", id=document)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in files(folder))


def versions(folder: Path) -> int:
    return len(list((folder / "index" / "chunks.lance" / "_versions").iterdir()))


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Path]:
    with Rove.open(tmp_path / "kb", embedder=FAKE) as kb:
        kb.add([text(f"d{n}", 0) for n in range(100)])
    yield tmp_path / "kb"


@pytest.mark.long
def test_many_single_replacements_leave_few_files_and_readers_find_all(base: Path) -> None:
    begun, most, largest = size(base), 0, 0
    asked_too = {"index": "lancedb", "resident_chunks": 0}
    with Rove.open(base, embedder=FAKE) as writer, Rove.open(base, embedder=FAKE, store=asked_too) as reader:
        for version in range(1, 97):
            assert writer.add(text("d7", version)).replaced == 1
            if version % 8 == 0:
                hits = reader.search(f"version{version}", top_k=1)
                assert [hit.chunk.document_id for hit in hits] == ["d7"]
                most, largest = max(most, len(files(base))), max(largest, size(base))
        assert most <= 250
        assert largest <= 3 * begun + 10_000_000
        writer.doctor()
        assert versions(base) <= rove.store.lance_versions.GRACE_VERSIONS
        assert len(files(base)) <= 60
        assert len(reader.search("version96", mode="keyword")) == 1
        assert writer.doctor().ok


def test_each_process_that_adds_one_document_tidies_what_the_ones_before_have_left(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rove.store.lance_versions, "TIDY_VERSIONS", 16)
    for version in range(1, 13):
        with Rove.open(base, embedder=FAKE) as kb:
            kb.add(text("d7", version))
    assert versions(base) <= 24


def test_single_deletions_are_tidied_up_after_too(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rove.store.lance_versions, "TIDY_VERSIONS", 16)
    with Rove.open(base, embedder=FAKE) as kb:
        for n in range(60):
            kb._run(kb._kb.store.remove([f"d{n}"], erase=False))
        assert versions(base) <= 16 + 40
        assert len(kb.documents()) == 40


def test_what_was_taken_away_long_ago_is_forgotten(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rove.store.catalog, "REMOVALS", 10)
    with Rove.open(base, embedder=FAKE) as kb:
        for version in range(1, 41):
            kb.add(text("d7", version))
    with closing(connect(base / "catalog.sqlite")) as catalog:
        (rows,) = catalog.execute("SELECT count(*) FROM removals").fetchone()
        assert 10 <= rows <= 60


def test_doctor_gives_back_the_room_of_what_was_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "kb"
    with Rove.open(folder, embedder=FAKE) as kb:
        kb.add([text(f"d{n}", n) for n in range(800)])
        kb._run(kb._kb.store.remove([f"d{n}" for n in range(1, 800)], erase=False))
        kb.doctor()
    with closing(connect(folder / "catalog.sqlite")) as catalog:
        assert catalog.execute("PRAGMA freelist_count").fetchone() == (0,)
    assert (folder / "catalog.sqlite").stat().st_size < 1_000_000


def held_files(folder: Path) -> list[Path]:
    """The files of the index that this process holds open, those that are gone included."""
    found: list[Path] = []
    for handle in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(handle.readlink())
    return [path for path in found if path.is_relative_to(folder / "index")]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="what a process holds open is read from /proc")
def test_who_only_reads_lets_go_of_the_indices_that_a_writer_has_replaced(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rove.store.store, "OPTIMIZE_EVERY", 2)
    monkeypatch.setattr(rove.store.lance, "TIDY_FRAGMENTS", 2)
    on_disk = {"index": "lancedb", "resident_chunks": 0}
    with Rove.open(base, embedder=FAKE) as writer, Rove.open(base, embedder=FAKE, store=on_disk) as reader:
        for version in range(1, 25):
            writer.add(text("d7", version))
            hits = reader.search(f"version{version}", top_k=1)
            assert [hit.chunk.document_id for hit in hits] == ["d7"]
        gc.collect()
        assert len(held_files(base)) <= 4


def test_arrow_takes_its_memory_from_the_system_unless_the_user_says_otherwise() -> None:
    told = "import rove.store.lance, pyarrow; print(pyarrow.default_memory_pool().backend_name)"
    env = {name: value for name, value in os.environ.items() if name != "ARROW_DEFAULT_MEMORY_POOL"}
    for said in ({}, {"ARROW_DEFAULT_MEMORY_POOL": "mimalloc"}):
        done = subprocess.run(
            [sys.executable, "-c", told], env={**env, **said}, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == (said.get("ARROW_DEFAULT_MEMORY_POOL") or "system"), done.stderr


def test_a_new_base_can_give_back_pages_that_are_free(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}):
        pass
    with closing(connect(tmp_path / "catalog.sqlite")) as catalog:
        assert catalog.execute("PRAGMA auto_vacuum").fetchone() == (2,), "incremental"

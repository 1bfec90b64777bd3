"""Fields that are worked out later: in catalog and index alike, whatever happens in between."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from rove import Rove, Text, field
from rove.store.document_query import DocumentQuery
from rove.store.failpoints import ENRICHING

FAKE = {"embedder": {"name": "fake"}, "store": {"index": "lancedb", "resident_chunks": 0}}
GIVEN = {"d1": {"mood": 3, "tags": ("甲", "é")}, "d2": {"mood": -1}, "unknown": {"mood": 9}}
ENRICH = """
import asyncio, sys
from rove import AsyncRove
async def main():
    lance = {"index": "lancedb", "resident_chunks": 0}
    async with AsyncRove.open(sys.argv[1], embedder={"name": "fake"}, store=lance) as kb:
        await kb.store.enrich({"d1": {"mood": 3, "tags": ("甲", "é")}, "d2": {"mood": -1}, "unknown": {"mood": 9}})
asyncio.run(main())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Rove.open(tmp_path / "kb", **FAKE) as kb:
        kb.add([Text(f"Text number {n} of the base.", id=f"d{n}", metadata={"mood": 0, "n": n}) for n in range(4)])
    return tmp_path / "kb"


def moods(kb: Rove) -> dict[str, object]:
    return {info.document_id: info.metadata.get("mood") for info in kb.documents()}


def found(kb: Rove) -> set[str]:
    return {hit.chunk.document_id for hit in kb.search("text number", top_k=9, where=field("mood") == 3)}


def test_what_is_worked_out_wins_and_can_be_taken_away(folder: Path) -> None:
    with Rove.open(folder, **FAKE) as kb:
        enrich = lambda fields: kb._run(kb._kb.store.enrich(fields))  # noqa: E731
        assert enrich(GIVEN) == 2
        assert enrich(GIVEN) == 0
        assert moods(kb) == {"d0": 0, "d1": 3, "d2": -1, "d3": 0}
        assert found(kb) == {"d1"}
        assert kb.document("d1")[1][0].metadata["tags"] == ("甲", "é")
        titles = [info.title for info in kb.documents()]
        (by_title,) = kb._kb.store.catalog.find_documents([DocumentQuery(titles=tuple(titles))], limit=9)
        assert {info.document_id: info.metadata["mood"] for info in by_title} == moods(kb)
        assert enrich({"d1": {"mood": None}}) == 1
        assert moods(kb)["d1"] == 0, "what the document came with is there again"
        assert found(kb) == set()
        assert kb.document("d1")[0].metadata["tags"] == ("甲", "é")
        assert kb.doctor().ok


@pytest.mark.parametrize("name", ENRICHING)
def test_killed_in_the_middle(folder: Path, name: str) -> None:
    env = {**os.environ, "ROVE_FAILPOINT": name}
    ran = subprocess.run([sys.executable, "-c", ENRICH, str(folder)], env=env, capture_output=True, check=False)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    with Rove.open(folder, **FAKE) as kb:
        assert moods(kb)["d1"] == 3
        kb.add(Text("Any writer mends what the last one left.", id="d9"))
        assert found(kb) == {"d1"}
        assert kb.doctor().ok


def test_a_document_that_is_erased_takes_its_fields_along(folder: Path) -> None:
    with Rove.open(folder, **FAKE) as kb:
        kb._run(kb._kb.store.enrich(GIVEN))
        kb.delete("d1")
    with sqlite3.connect(folder / "catalog.sqlite") as database:
        assert database.execute("SELECT count(*) FROM enrichments").fetchone() == (1,)


def test_a_catalog_of_version_3_is_brought_up(folder: Path) -> None:
    with sqlite3.connect(folder / "catalog.sqlite") as database:
        database.execute("DROP TABLE enrichments")
        database.execute("ALTER TABLE chunks DROP COLUMN names")
        database.execute("UPDATE facts SET value = '3' WHERE name = 'schema'")
    with Rove.open(folder, **FAKE) as kb:
        assert moods(kb) == dict.fromkeys(("d0", "d1", "d2", "d3"), 0)
        assert kb._run(kb._kb.store.enrich(GIVEN)) == 2
        assert found(kb) == {"d1"}
        assert kb.doctor().ok

"""Bases that older versions of Rove have made: opened by this one with all that they held; newer ones are refused."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import pytest

from rove import Rove, Text
from rove.errors import ConfigError
from rove.store.tables import MIGRATIONS, SCHEMA_VERSION

OLDER = sorted(Path(__file__).with_name("older").glob("*.zip"))
FAKE = {"name": "fake"}


def unpacked(packed: Path, place: Path) -> tuple[Path, dict[str, Any]]:
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(place)
    return place / "kb", json.loads((place / "told.json").read_text("utf-8"))


def version_of(kb: Path) -> int:
    connection = sqlite3.connect(kb / "catalog.sqlite")
    (version,) = connection.execute("SELECT value FROM facts WHERE name = 'schema'").fetchone()
    connection.close()
    return int(version)


def held(kb: Rove) -> list[dict[str, Any]]:
    """What `older_base.py` notes of a base."""
    documents = [(info, *kb.document(info.document_id)) for info in kb.documents()]
    told = [
        {
            "document_id": info.document_id,
            "source": info.source,
            "title": info.title,
            "text": document.text,
            "metadata": dict(document.metadata),
            "chunks": [[chunk.chunk_id, *chunk.span] for chunk in chunks],
        }
        for info, document, chunks in documents
    ]
    return json.loads(json.dumps(told, default=str))


def nearest(kb: Rove, question: str) -> str:
    """The document that is found by meaning alone: by the vectors that the older version has kept."""
    return kb.search(question, top_k=1, mode="semantic")[0].chunk.document_id


def by_id(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(documents, key=lambda one: one["document_id"])


def test_there_is_one_of_each_version_that_can_be_brought_up(tmp_path: Path) -> None:
    versions = {version_of(unpacked(packed, tmp_path / packed.stem)[0]) for packed in OLDER}
    assert versions == set(MIGRATIONS)


@pytest.mark.parametrize("packed", OLDER, ids=lambda path: path.stem)
def test_an_older_base_has_all_that_it_held(packed: Path, tmp_path: Path) -> None:
    place, told = unpacked(packed, tmp_path)
    with Rove.open(place, embedder=FAKE, create=False) as kb:
        assert by_id(held(kb)) == by_id(told["documents"])
        for question, hits in told["found"].items():
            best = kb.search(question, top_k=3)[0].chunk  # the ranking has changed since, within a document
            assert (best.document_id, [best.document_id, *best.span] in hits) == (hits[0][0], True), question
        assert [info.walk_id for info in kb.walks()] == told["walks"]
        for walk_id in told["walks"]:
            assert len(list(kb.export_walk(walk_id))) > 2
        assert kb.doctor().problems == ()
        kb.add(Text("Der Zug nach Wien fährt um sieben.", id="train", title="Zug"))
        assert kb.search("Wann fährt der Zug nach Wien?", top_k=1)[0].chunk.document_id
        lines = list(kb.export())
    assert version_of(place) == SCHEMA_VERSION
    with Rove.open(tmp_path / "new", embedder=FAKE) as new:
        assert new.import_(lines).failed == ()
        assert {one["text"] for one in held(new)} >= {one["text"] for one in told["documents"]}
        again = {question: nearest(new, question) for question in told["found"]}
    with Rove.open(place, embedder=FAKE) as kb:
        assert {question: nearest(kb, question) for question in told["found"]} == again


def test_a_base_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder=FAKE) as kb:
        kb.add(Text("The office closes at 18:00."))
    file = tmp_path / "kb" / "catalog.sqlite"
    connection = sqlite3.connect(file)
    connection.execute(f"UPDATE facts SET value = '{SCHEMA_VERSION + 1}' WHERE name = 'schema'")
    connection.commit()
    connection.close()
    before = file.read_bytes()
    with pytest.raises(ConfigError, match=f"has catalog version {SCHEMA_VERSION + 1}; this Rove reads") as refused:
        Rove.open(tmp_path / "kb", embedder=FAKE)
    assert "Export it with the Rove that made it" in refused.value.cure
    assert file.read_bytes() == before

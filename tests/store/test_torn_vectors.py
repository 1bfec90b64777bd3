"""A vector that is damaged in the catalog hides its passage alone; a search says so, and doctor makes it anew."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path

import numpy as np
import pytest

from rove import AsyncRove, Rove, RoveError, ServiceError, Text
from rove.events import Event, Noted
from rove.models import Vectors
from rove.models.fake import FakeEmbedder
from rove.records.filter import AccessFilter
from rove.records.learned import LeadEnd
from rove.records.walk_events import Answered
from rove.store import array_file, catalog_check, resident, store
from rove.store.catalog_rows import blob_of, blobs_of, check_vectors, vectors_of
from rove.store.memories import LeadEntry, Memories
from rove.sync.rebuilding import rebuild_base

FAKE = {"embedder": {"name": "fake"}}
TEXTS = {
    "en": "The lighthouse keeper counted the ships.",
    "de": "Der Leuchtturmwärter zählte die Schiffe.",
    "hu": "A világítótorony őre megszámolta a hajókat.",
    "zh": "灯塔看守人数船。",
    "ja": "灯台守は船を数えた。",
}
DAMAGES = {
    "nan": lambda blob: np.full(len(blob) // 2, np.nan, "<f4").tobytes(),
    "infinite": lambda blob: np.full(len(blob) // 2, np.inf, "<f4").tobytes(),
    "stretched": lambda blob: blob[:-1] + bytes([blob[-1] + 1]),
    "short": lambda blob: blob[:-4],
    "long": lambda blob: blob + blob,
    "part": lambda blob: blob[:-1],
    "empty": lambda _: b"",
    "text": lambda _: "no bytes",
    "zeros": lambda blob: bytes(len(blob)),
}


def damage(folder: Path, how: str, table: str = "vectors", column: str = "vector", *, at: int = 1) -> None:
    with closing(sqlite3.connect(folder / "catalog.sqlite")) as catalog, catalog:
        rows = f"SELECT rowid, {column} FROM {table} ORDER BY rowid LIMIT 1 OFFSET ?"
        seq, blob = catalog.execute(rows, (at,)).fetchone()
        catalog.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (DAMAGES[how](blob), seq))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "kb"
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(resident, "KEPT_FROM", 1_000)  # without a snapshot vectors are read from the catalog
        with Rove.open(folder, **FAKE) as kb:
            kb.add([Text(text, id=code) for code, text in TEXTS.items()])
            assert any(isinstance(event, Answered) for event in kb.walk("Who counted the ships at the lighthouse?"))
    return folder


@pytest.fixture
def base(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(resident, "KEPT_FROM", 1_000)
    return shutil.copytree(made, tmp_path / "kb")


def heard(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Noted)]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_vector_hides_its_passage_alone_until_doctor_makes_it_anew(how: str, base: Path) -> None:
    damage(base, how)
    rest = set(TEXTS) - {"de"}
    events: list[Event] = []
    with Rove.open(base, **FAKE) as kb:
        for mode in ("semantic", "hybrid", "walk"):
            assert {hit.chunk.document_id for hit in kb.search("ships", mode=mode, listener=events.append)} == rest
        assert kb.search("Leuchtturmwärter", mode="keyword") == []
        (said,) = heard(events)
        assert "cannot be found: 1, of 'de'" in said and "rove doctor" in said
        assert "keeper" in kb.ask("Who counted the ships?").text
        assert list(kb.walk("Who counted the ships?"))
        lines = list(kb.export())
        assert kb.add(Text("The harbour master wrote it down.", id="more")).ok
        health = kb.doctor()
        assert health.problems == ("1 vector cut off or not of numbers: 'de' (row 2 of vectors): made anew",)
        assert not health.left
        found = {hit.chunk.document_id for hit in kb.search("lighthouse", mode="semantic", listener=events.append)}
        assert found == {*TEXTS, "more"}
        assert heard(events) == [said]
        assert kb.doctor().ok
    with Rove.open(base.parent / "other", **FAKE) as kb:  # an export leaves the vector out, and an import makes it anew
        assert kb.import_(lines).failed == ()
        assert {hit.chunk.document_id for hit in kb.search("lighthouse", mode="semantic")} == set(TEXTS)
    damage(base, how)
    made = rebuild_base("here", base, **FAKE)
    assert (made.documents, made.vectors, made.lost) == (len(TEXTS) + 1, len(TEXTS), ())


class Down(FakeEmbedder):
    """Embeds what is asked, and no passage: its endpoint is gone, or refuses them all."""

    error: RoveError = ServiceError("503: gone.", cure="Wait.")

    async def passages(self, texts: Sequence[str]) -> Vectors:
        raise self.error


@pytest.mark.parametrize("error", [Down.error, ServiceError("400: no.", cure="Leave it.", retryable=False)])
def test_doctor_says_what_it_could_not_make_anew_and_the_rest_is_found(
    error: RoveError, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage(base, "nan")
    monkeypatch.setattr(Down, "error", error)
    with Rove.open(base, embedder=Down()) as kb:
        health = kb.doctor()
        assert not health.ok and health.problems == ()
        assert "1 vector cut off or not of numbers: 'de' (row 2 of vectors)" in health.left[0]
        assert len(kb.search("lighthouse", mode="semantic", listener=lambda _: None)) == len(TEXTS) - 1


def test_of_many_damaged_vectors_a_few_are_named(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog_check, "READ_AT_ONCE", 1)  # nothing beside it says how long a vector is
    monkeypatch.setattr(catalog_check, "NAMED", 3)
    for at in range(len(TEXTS)):
        damage(base, "short", at=at)
    with Rove.open(base, **FAKE) as kb:
        assert kb.search("lighthouse", listener=lambda _: None) == []
        assert re.match(r"5 vectors .*: 'en' .*, 'de' .*, 'hu' .*, …: made anew", kb.doctor().problems[0])
        assert len(kb.search("lighthouse", mode="semantic")) == len(TEXTS)


def test_a_caller_hears_of_damage_in_what_it_may_see_alone(base: Path) -> None:
    with Rove.open(base, **FAKE) as kb:
        kb.add(Text("The keeper of hr counted.", id="hr", metadata={"access": "hr"}))
    with closing(sqlite3.connect(base / "catalog.sqlite")) as catalog:
        last = catalog.execute("SELECT count(*) FROM vectors").fetchone()[0] - 1
    damage(base, "nan", at=last)
    told: list[Event] = []
    with Rove.open(base, **FAKE) as kb:
        kb.search("keeper", where=AccessFilter("access", "in", ("it",)), listener=told.append)
        assert heard(told) == []
        kb.search("keeper", where=AccessFilter("access", "in", ("hr",)), listener=told.append)
        assert "'hr'" in heard(told)[0]


def test_who_does_not_listen_finds_it_in_the_log_and_in_an_answers_note(
    base: Path, caplog: pytest.LogCaptureFixture
) -> None:
    damage(base, "nan")
    with Rove.open(base, **FAKE) as kb:
        kb.search("ships")
        kb.search("ships")
    assert [record.getMessage().count("'de'") for record in caplog.records] == [1]
    with Rove.open(base, **FAKE) as kb:
        assert "'de'" in kb.ask("Who counted the ships?").note
        assert "'de'" not in kb.ask("Who counted the ships?").note


OWN = ["memory_facts.vector", "memory_facts.asked", "memory_leads.asked", "summaries.vector"]


@pytest.mark.parametrize("how", ["nan", "short", "text"])
@pytest.mark.parametrize("place", OWN)
async def test_damaged_vectors_of_walks_and_summaries_cost_themselves_alone(place: str, how: str, base: Path) -> None:
    async with opened(base) as kb:
        for question in ("Wer zählte die Schiffe?", "灯台守は何を数えた？"):
            await kb.walk(question).answered()
        count = len(await kb.memory().facts())
        (walk_id, *_) = [info.walk_id for info in await kb.walks()]
        lead = LeadEnd("the harbour", "name", "answer", walk_id=walk_id)
        (asked,) = await kb.embedder.queries(["Who counted?"])
        Memories(kb.store.catalog.database).keep("", [], [LeadEntry(lead, asked)])
        await kb.enrich("summaries")
    assert count > 1
    table, column = place.split(".")
    damage(base, how, table, column, at=0)
    async with opened(base) as kb:
        assert len(await kb.memory().search("ships")) in {count - 1, count}
        assert await kb.walk("Who counted the ships?").answered()
        found = await kb.search("lighthouse ships", mode="summaries")
        assert len({hit.chunk.document_id for hit in found}) >= len(TEXTS) - 1
        health = await kb.doctor()
        assert f"of {table}" in health.problems[0] and not health.left
        assert (await kb.doctor()).ok


@asynccontextmanager
async def opened(base: Path) -> AsyncGenerator[AsyncRove]:
    kb = AsyncRove.open(base, **FAKE)
    try:
        yield kb
    finally:
        await kb.close()


def test_what_is_not_looked_at_in_a_snapshot_takes_no_other_chunk_away(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resident, "KEPT_FROM", 1)
    monkeypatch.setattr(store, "FEW_CHUNKS", 1)
    with Rove.open(base, **FAKE) as kb:
        kb.add(Text("The harbour master wrote it down.", id="more"))
        want = [hit.chunk.document_id for hit in kb.search("lighthouse ships", mode="semantic", top_k=3)]
    monkeypatch.setattr(array_file, "MEMORY_BYTES", 0)
    monkeypatch.setattr(
        array_file, "_sample_block_numbers", lambda count: range(0)
    )  # as in a block that is in no sample
    (file,) = (base / "resident").glob("*/arrays.bin")
    upper = json.loads(file.with_name("facts.json").read_bytes())["arrays"]["upper"]
    data, (rows, width) = bytearray(file.read_bytes()), upper["shape"]
    end = upper["offset"] + rows * width
    data[end - width : end] = np.random.default_rng(1).bytes(width)
    file.write_bytes(data)
    with Rove.open(base, **FAKE) as kb:
        for mode in ("semantic", "hybrid"):
            hits = kb.search("lighthouse ships", mode=mode, top_k=3)
            assert hits and all(np.isfinite(hit.score) for hit in hits)
        found = [hit.chunk.document_id for hit in kb.search("lighthouse ships", mode="semantic", top_k=4)]
        assert [name for name in found if name != "more"] == want
    assert "more" not in want


@pytest.mark.parametrize("how", DAMAGES)
def test_what_a_snapshot_holds_is_found_and_doctor_makes_the_catalogs_vectors_anew(
    how: str, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resident, "KEPT_FROM", 1)
    monkeypatch.setattr(store, "FEW_CHUNKS", 1)
    with Rove.open(base, **FAKE) as kb:
        kb.add(Text("The harbour master wrote it down.", id="more"))
    for at in range(len(TEXTS)):
        damage(base, how, at=at)
    with Rove.open(base, **FAKE) as kb:
        for mode in ("semantic", "hybrid", "walk", "tree"):  # by the snapshot; what is read beside it is damaged
            assert len(kb.search("lighthouse", mode=mode, rerank=True)) == len(TEXTS) + 1
        assert kb.ask("Who counted the ships?").text
        health = kb.doctor()
        assert "5 vectors" in health.problems[0] and not health.left
        assert kb.doctor().ok


def test_a_snapshot_remembers_what_it_lacks(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damage(base, "nan")
    monkeypatch.setattr(resident, "KEPT_FROM", 1)
    monkeypatch.setattr(store, "FEW_CHUNKS", 1)
    with Rove.open(base, **FAKE) as kb:
        kb.add(Text("The harbour master wrote it down.", id="more"))
    assert list((base / "resident").glob("*/facts.json"))
    told: list[Event] = []
    with Rove.open(base, **FAKE) as kb:
        assert len(kb.search("ships", mode="semantic", listener=told.append)) == len(TEXTS)
        assert "'de'" in heard(told)[0]
        assert kb.doctor().problems == ("1 vector cut off or not of numbers: 'de' (row 2 of vectors): made anew",)
        assert len(kb.search("ships", mode="semantic")) == len(TEXTS) + 1


def test_a_damaged_vector_of_no_document_is_let_go(base: Path) -> None:
    with closing(sqlite3.connect(base / "catalog.sqlite")) as catalog, catalog:
        catalog.execute("INSERT INTO vectors (key, vector) VALUES ('unused', x'00')")
    with Rove.open(base, **FAKE) as kb:
        assert len(kb.search("lighthouse", mode="semantic")) == len(TEXTS)
        assert kb.doctor().problems == ("1 vector cut off or not of numbers: row 6 of vectors: made anew",)
        assert kb.doctor().ok


def test_a_document_that_comes_again_has_its_damaged_vector_made_anew(base: Path) -> None:
    damage(base, "nan")
    with Rove.open(base, **FAKE) as kb:
        assert kb.add(Text(TEXTS["de"], id="again")).ok  # of the same content, and so of the same vector
        kb.delete("de")
        assert {hit.chunk.document_id for hit in kb.search("ships", mode="semantic")} == {*TEXTS, "again"} - {"de"}
        assert kb.doctor().ok


@pytest.mark.parametrize("blob", ["x'00'", "zeroblob(5)", "'text'"])
def test_damaged_tokens_are_as_none(blob: str, tmp_path: Path) -> None:
    with Rove.open(tmp_path) as kb:
        kb.add([Text(text, id=code) for code, text in TEXTS.items()])
        want = [hit.chunk.document_id for hit in kb.search("Who counted the ships?", rerank=False)]
    with closing(sqlite3.connect(tmp_path / "catalog.sqlite")) as catalog, catalog:
        catalog.execute("PRAGMA ignore_check_constraints=ON")
        catalog.execute(f"UPDATE tokens SET tokens = {blob} WHERE vector = 2")
    with Rove.open(tmp_path) as kb:
        assert sorted(hit.chunk.document_id for hit in kb.search("Who counted the ships?")) == sorted(want)
        assert kb.ask("Who counted the ships?").text


def test_whole_vectors_pass() -> None:
    check_vectors([])
    old, new = np.ones(3, "<f4").tobytes(), blob_of(np.array([0.6, 0.0, -0.8], np.float32))
    check_vectors([old] * 2)
    check_vectors([new, blob_of(np.zeros(3, np.float32)), old])


def test_a_vector_comes_back_as_it_was_but_for_the_sixteenth_bit() -> None:
    chance = np.random.default_rng(3).standard_normal((200, 48)).astype(np.float32)
    vectors = chance / np.linalg.norm(chance, axis=1, keepdims=True)
    once = np.stack(vectors_of(blobs_of(vectors)))
    assert np.abs(once - vectors).max() < 2**-16
    assert np.array_equal(np.stack(vectors_of(blobs_of(once))), once), "rounded again it is another"
    old = vectors[0].astype("<f4").tobytes()
    assert np.array_equal(vectors_of([old, blob_of(vectors[1])])[0], vectors[0])


TORN_TOKENS = {
    "cut": lambda blob: blob[:-1],
    "longer": lambda blob: blob + b"\0",
    "empty": lambda _: b"",
    "text": lambda _: "no bytes",
    "another mark": lambda blob: bytes([blob[0] ^ 1]) + blob[1:],
}


def tokens_of(folder: Path) -> list[object]:
    with closing(sqlite3.connect(folder / "catalog.sqlite")) as catalog:
        return [blob for (blob,) in catalog.execute("SELECT tokens FROM tokens ORDER BY vector")]


def test_doctor_names_tokens_that_the_embedder_cannot_read_and_has_them_made_anew(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb") as kb:
        kb.add([Text(text, id=code) for code, text in TEXTS.items()])
        assert not kb.doctor().problems
    whole = tokens_of(tmp_path / "kb")
    assert len(whole) == len(TEXTS)
    for how, change in TORN_TOKENS.items():
        with closing(sqlite3.connect(tmp_path / "kb/catalog.sqlite")) as catalog, catalog:
            catalog.execute("UPDATE tokens SET tokens = ? WHERE vector = 2", (change(whole[1]),))
        with Rove.open(tmp_path / "kb") as kb:
            told = "1 passage with tokens that the embedder cannot read: 'de' (row 2 of vectors): made anew"
            assert kb.doctor().problems == (told,), how
            assert not kb.doctor().problems
        assert tokens_of(tmp_path / "kb") == whole


def test_tokens_of_another_version_of_the_embedder_are_no_damage(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb") as kb:
        kb.add([Text(text, id=code) for code, text in TEXTS.items()])
    with closing(sqlite3.connect(tmp_path / "kb/catalog.sqlite")) as catalog, catalog:
        catalog.execute("UPDATE tokens SET tokens = x'0102'")
    with Rove.open(tmp_path / "kb") as kb:
        assert not kb.doctor().problems

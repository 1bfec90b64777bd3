"""Another embedder without downtime: both are searched until the new one is whole, and never one by the other."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openai_server import embeddings, failure, serve
from rove import AsyncRove, ConfigError, Rove, Text
from rove.errors import EmbedderMovedError, EmbedderWarning
from rove.events import ChunksDeepened, Event
from rove.migration import Migration
from rove.models.fake import hash_vectors
from rove.records import Citation, Document
from rove.records.learned import LeadEnd, Remembered
from rove.settings import read_settings
from rove.store import shallow
from store.moving import FAKE, QUESTIONS, SHORT, STATIC, TEXTS, finds_all, found, fresh, is_over, vectors_of

FOX = Text("The quick brown fox of Ipswich jumps over the lazy dog.", id="fox")


@pytest.fixture
async def place(tmp_path: Path) -> Path:
    """A base that the fake embedder has made."""
    async with AsyncRove.open(tmp_path / "kb", embedder=FAKE) as kb:
        await kb.add(TEXTS)
    return tmp_path / "kb"


def after_groups(monkeypatch: pytest.MonkeyPatch, groups: int) -> Any:  # noqa: ANN401 - a function
    """Stop a migration after so many groups of seven documents."""
    monkeypatch.setattr(shallow, "GROUP_DOCUMENTS", 7)
    left = [groups]

    def stops() -> bool:
        left[0] -= 1
        return left[0] < 0

    return stops


async def learned(kb: AsyncRove) -> None:
    """Let a walk have learned the answer to each question."""
    texts = {one.id: one.text for one in TEXTS}
    for at, (name, question) in enumerate(QUESTIONS.items()):
        quote = texts[name]
        citation = Citation(0, f"{name}-0", name, name, name, quote, (0, len(quote)))
        fact = Remembered("", quote, "", 0.9, citation, walk_id=f"w{at}")
        lead = LeadEnd(f"lead {name}", "name", "answer", document_id=name, walk_id=f"w{at}")
        assert await kb.memory().keep(question, [fact], [lead]) == 1


async def moved(place: Path, monkeypatch: pytest.MonkeyPatch, groups: int, **settings: Any) -> None:  # noqa: ANN401
    """Switch a base, and let the new embedder reach a part of it."""
    migration = Migration(read_settings(place, **settings))
    await migration.run(until=after_groups(monkeypatch, groups))


@pytest.mark.parametrize("embedder", [SHORT, STATIC], ids=["shorter", "as-long"])
async def test_all_is_found_all_the_while(
    place: Path, tmp_path: Path, embedder: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = await fresh(tmp_path / "fresh", embedder, [*TEXTS, FOX])
    with pytest.raises(ConfigError, match="rove migrate"):
        AsyncRove.open(place, embedder=embedder)
    migrated = await AsyncRove.migrate(place, embedder=embedder, deep=False)
    assert (migrated.passages, migrated.left) == (len(TEXTS), len(TEXTS))
    async with AsyncRove.open(place, embedder=embedder) as kb:
        assert await finds_all(kb)
        report = await kb.add([*TEXTS, FOX], deep=False)
        assert (report.added, report.unchanged) == (1, len(TEXTS))
        assert kb.store.catalog.depth().shallow == len(TEXTS)
        assert (await kb.search("fox of Ipswich", mode="semantic"))[0].chunk.document_id == "fox"
        assert (await kb.doctor()).ok
    await moved(place, monkeypatch, 2, embedder=embedder)
    async with AsyncRove.open(place, embedder=embedder) as kb:
        assert 0 < kb.store.catalog.depth().share < 1
        assert await finds_all(kb)
        assert (await kb.doctor()).ok
    migrated = await AsyncRove.migrate(place, embedder=embedder)
    assert migrated.left == 0
    assert ("no longer needed" in " ".join(migrated.settings)) == ("previous" in embedder)
    async with AsyncRove.open(place, embedder=embedder) as kb:
        assert await found(kb, "semantic") == wanted
        assert is_over(kb)
        assert (await kb.doctor()).ok


async def test_who_has_it_open_is_told_and_finds_nothing_wrong(place: Path) -> None:
    async with AsyncRove.open(place, embedder=FAKE) as old, AsyncRove.open(place, embedder=FAKE) as idle:
        before = await found(old)
        context = old.search_context
        await AsyncRove.migrate(place, embedder=STATIC)  # as long: no length would tell
        for call in (
            lambda: old.search("Orford"),
            lambda: old.search("Orford", mode="keyword"),
            lambda: old.ask("Who keeps letters in Orford?"),
            lambda: old.gather("Who keeps letters in Orford?"),
            lambda: old.themes(),
            lambda: old.add(FOX),
            lambda: old.delete("en-Orford"),
            lambda: old.memory().keep("Who?", [], [LeadEnd("x", "name", "answer")]),
            lambda: old.doctor(),
        ):
            with pytest.raises(EmbedderMovedError, match="static"):
                await call()
        await AsyncRove.migrate(place, embedder=FAKE)
        assert await found(old) == before == await found(idle)
        assert context is old.search_context
        assert (await idle.doctor()).ok


async def test_what_the_switch_overtakes_reads_no_vector(place: Path) -> None:
    async with AsyncRove.open(place, embedder=FAKE) as kb:
        await learned(kb)
        ids = [hit.chunk.chunk_id for hit in await kb.search("Orford")]
        summaries = kb.store.documents.summaries
        await AsyncRove.migrate(place, embedder=STATIC)
        for read in (
            lambda: kb.store.chunk_vectors(ids),
            lambda: kb.store.find(ids, "vectors"),
            lambda: kb.memory().search("Who keeps letters?"),
            lambda: asyncio.to_thread(summaries.nearest, hash_vectors(["x"], 384)[0], None, 3),
        ):
            with pytest.raises(EmbedderMovedError, match="static"):
                await read()
        with pytest.raises(EmbedderMovedError):
            async with kb.store.of_one_embedder():
                raise ValueError(ids)


async def test_what_an_add_has_begun_is_not_kept_by_the_embedder_before(place: Path) -> None:
    async with AsyncRove.open(place, embedder=FAKE) as kb:
        await kb.search("Orford")
        ingest = kb._ingest(lambda event: None)
        item = ingest.preparer.prepare(Document("fox", "fox", "text", FOX.text), "fox")
        vectors = {key: hash_vectors(["fox"], 384)[0] for key in item.vector_keys}
        await AsyncRove.migrate(place, embedder=STATIC, deep=False)
        with pytest.raises(EmbedderMovedError):
            kb.store.catalog.stage([item], vectors, {})
    async with AsyncRove.open(place, embedder=STATIC) as kb:
        assert len(await kb.documents()) == len(TEXTS)


async def test_it_goes_back_and_embeds_only_what_had_moved(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with AsyncRove.open(place, embedder=FAKE) as kb:
        before = await found(kb)
    await moved(place, monkeypatch, 2, embedder=SHORT)
    async with AsyncRove.open(place, embedder=SHORT) as kb:
        await kb.add(FOX)
        deep = round(kb.store.catalog.depth().share * (len(TEXTS) + 1))
    assert deep == len(TEXTS) + 1  # `add` goes on where a migration stopped
    await AsyncRove.migrate(place, embedder={**FAKE, "previous": SHORT_ALONE})
    await moved(place, monkeypatch, 2, embedder=SHORT)
    async with AsyncRove.open(place, embedder=SHORT) as kb:
        assert await finds_all(kb)  # which embeds some that had not moved
    told: list[Event] = []
    migrated = await AsyncRove.migrate(place, embedder={**FAKE, "previous": SHORT_ALONE}, listener=told.append)
    assert migrated.left == 0
    assert sum(one.count for one in told if isinstance(one, ChunksDeepened)) == 14
    async with AsyncRove.open(place, embedder=FAKE) as kb:
        await kb.delete("fox")
        assert await found(kb) == before
        assert is_over(kb)


SHORT_ALONE = {"name": "fake", "dimension": 96}


async def test_a_stand_in_becomes_the_embedder(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, embedder={**FAKE, "first": "static"}) as kb:
        await kb.add(TEXTS, deep=False)
    told: list[Event] = []
    migrated = await AsyncRove.migrate(tmp_path, embedder=FAKE, to="static", listener=told.append)
    assert (migrated.left, told) == (0, [])
    async with AsyncRove.open(tmp_path, embedder=STATIC) as kb:
        assert is_over(kb)
        assert await found(kb, "semantic") == await fresh(tmp_path / "fresh", STATIC)


async def test_what_another_stand_in_has_reached_is_settled_before(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path / "kb", embedder={**FAKE, "first": "static"}) as kb:
        await kb.add(TEXTS, deep=False)
    await AsyncRove.migrate(tmp_path / "kb", embedder=SHORT, deep=False)
    async with AsyncRove.open(tmp_path / "kb", embedder={**SHORT, "first": "static"}) as kb:
        assert await finds_all(kb)
        await kb.add(FOX, deep=False)  # by the embedder itself: a third one is not let in
        assert kb.store.catalog.depth().shallow == len(TEXTS)
        await kb.add()
        assert is_over(kb)


async def test_memories_and_summaries_are_made_anew(place: Path) -> None:
    async with AsyncRove.open(place, embedder=FAKE) as kb:
        await kb.enrich("summaries")
        await learned(kb)
        await kb.memory().keep("Nobody knows", [], [LeadEnd("stray", "name", "answer", walk_id="gone")])
    await AsyncRove.migrate(place, embedder=SHORT, deep=False)
    async with AsyncRove.open(place, embedder=SHORT) as kb:
        held = vectors_of(kb)
        assert (len(held["facts"]), len(held["leads"])) == (10, 5)
        assert {length for name in ("facts", "leads", "summaries") for length in held[name]} == {96}
        for name, question in QUESTIONS.items():
            assert (await kb.memory().search(question))[0].citation.document_id == name
            assert f"lead {name}" in [end.text for end, alike in await kb.memory().experience(question) if alike > 0.9]
            assert await kb.search(question, mode="summaries")
        assert (await kb.doctor()).ok


async def test_an_index_beside_is_made_anew_and_asked_once_it_has_everything(place: Path, tmp_path: Path) -> None:
    beside = {"index": "lancedb", "resident_chunks": 0}
    await (kb := AsyncRove.open(place, embedder=FAKE, store=beside)).add(FOX)
    assert await kb.store.index.count() == len(TEXTS) + 1
    await kb.close()
    await AsyncRove.migrate(place, embedder=SHORT, store=beside, deep=False)
    async with AsyncRove.open(place, embedder=SHORT, store=beside) as kb:
        assert await finds_all(kb)
        assert await kb.store.index.count() == 0
        assert (await kb.doctor()).ok
    await AsyncRove.migrate(place, embedder=SHORT, store=beside)
    async with AsyncRove.open(place, embedder=SHORT, store=beside) as kb:
        assert await kb.store.index.count() == len(TEXTS) + 1
        assert await found(kb, "semantic") == await fresh(tmp_path / "fresh", SHORT, [*TEXTS, FOX])
        assert (await kb.doctor()).ok


async def test_an_endpoint_before_is_asked_with_its_own_key_which_is_not_kept(tmp_path: Path) -> None:
    def answer(body: dict[str, Any]) -> Any:  # noqa: ANN401 - a reply
        return embeddings(*hash_vectors(body["input"], 64).tolist())

    async with serve(answer) as server:
        old = {"name": "openai", "model": "old", "base_url": server.url, "dimension": 64, "api_key": "sk-old-secret"}
        async with AsyncRove.open(tmp_path / "kb", embedder=old) as kb:
            await kb.add(TEXTS)
        new = {**FAKE, "previous": old}
        await AsyncRove.migrate(tmp_path / "kb", embedder=new, deep=False)
        asked = len(server.requests)
        async with AsyncRove.open(tmp_path / "kb", embedder=new) as kb:
            assert await finds_all(kb)
            assert [request["input"] for request in server.requests[asked:]] == [[q] for q in QUESTIONS.values()]
            assert server.headers[-1]["authorization"] == "Bearer sk-old-secret"
        for file in (tmp_path / "kb").rglob("*"):
            assert not file.is_file() or b"sk-old-secret" not in file.read_bytes()
        async with AsyncRove.open(tmp_path / "kb", embedder=FAKE) as kb:
            with pytest.warns(EmbedderWarning, match=r"embedder\.previous"):
                assert await finds_all(kb)  # by words
    async with AsyncRove.open(tmp_path / "kb", embedder={**new, "previous": {**old, "retries": 0}}) as kb:
        assert await finds_all(kb)  # the endpoint has gone for good
        assert (await AsyncRove.migrate(tmp_path / "kb", embedder=new)).left == 0


async def test_what_the_new_one_refuses_is_let_go_and_said(place: Path) -> None:
    def answer(body: dict[str, Any]) -> Any:  # noqa: ANN401 - a reply
        if any("Zephyrine" in text for text in body["input"]):
            return failure(400, "too odd")
        return embeddings(*hash_vectors(body["input"], 64).tolist())

    async with serve(answer) as server:
        new = {"name": "openai", "model": "new", "base_url": server.url, "dimension": 64, "api_key": "k", "retries": 0}
        migrated = await AsyncRove.migrate(place, embedder={**new, "previous": FAKE})
        assert {one.document_id for one in migrated.lost} == {
            f"{one}-Zephyrine" for one in ("en", "de", "hu", "zh", "ja")
        }
        assert migrated.passages == len(TEXTS) - 5
        async with AsyncRove.open(place, embedder=new) as kb:
            assert is_over(kb)
            assert (await kb.doctor()).ok


async def test_an_export_in_the_middle_is_whole(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await moved(place, monkeypatch, 2, embedder=SHORT)
    async with AsyncRove.open(place, embedder=SHORT) as kb:
        lines = [line async for line in kb.export()]
    assert sum(bool(json.loads(line).get("vectors")) for line in lines) == 14
    async with AsyncRove.open(tmp_path / "other", embedder=SHORT) as kb:
        await kb.import_(lines)
        assert await found(kb, "semantic") == await fresh(tmp_path / "fresh", SHORT)


def test_disk_is_given_back(tmp_path: Path) -> None:
    large: dict[str, Any] = {"name": "fake", "dimension": 4096}
    with Rove.open(tmp_path, embedder=large) as kb:
        kb.add([Text(f"Letter {i} of the harbour.", id=f"l{i}") for i in range(300)])
    size = (tmp_path / "catalog.sqlite").stat().st_size
    Rove.migrate(tmp_path, embedder={**SHORT_ALONE, "previous": large})
    assert (tmp_path / "catalog.sqlite").stat().st_size < size - 0.9 * 300 * 2 * 4096
    with closing(sqlite3.connect(tmp_path / "catalog.sqlite")) as database:
        assert database.execute("PRAGMA freelist_count").fetchone()[0] < 50


async def test_it_says_what_it_cannot_know(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no base"):
        Migration(read_settings(tmp_path / "nothing"), "static")
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake", "dimension": 17}) as kb:
        await kb.add(TEXTS[0])
    with pytest.raises(ConfigError, match="under \\[embedder.previous\\]"):
        Migration(read_settings(tmp_path / "kb"), "static")
    estimate = await Migration(
        read_settings(tmp_path / "kb", embedder={"name": "fake", "dimension": 17}), "static"
    ).estimate()
    assert (estimate.passages, estimate.of, estimate.others) == (1, 1, 0)
    assert np.isfinite(estimate.seconds)


async def test_a_better_one_before_keeps_its_order(place: Path) -> None:
    async with AsyncRove.open(place, embedder=FAKE) as kb:
        before = await found(kb, "semantic")
    await AsyncRove.migrate(place, embedder=STATIC, deep=False)  # which is trusted less
    async with AsyncRove.open(place, embedder=STATIC) as kb:
        after = await found(kb, "semantic")
        scores = {name: score for name, score in (await fresh(place.parent / "fresh", STATIC)).items()}
    for name, hits in before.items():
        assert [document for document, _ in after[name]] == [document for document, _ in hits]
        assert after[name][0][1] <= scores[name][0][1] + 1e-3  # and the scores are the new one's

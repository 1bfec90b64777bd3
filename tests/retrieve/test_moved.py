"""A document is replaced in the midst of a search, an answer, a look: readers see the old or the new, never none."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

import rove.store.catalog
from rove.engine import AsyncRove
from rove.load.discover import locate
from rove.prepare import Preparer
from rove.records import Hit, Text
from rove.records.prepared import Prepared
from rove.retrieve import RETRIEVERS
from rove.store.name_graph import NamingText
from rove.sync import Rove
from rove.walk.finder import Finder

FAKE = {"name": "fake"}
LANCE = {"index": "lancedb"}
MODES = [
    "keyword",
    "semantic",
    "hybrid",
    "sparse",
    "gather",
    "walk",
    "graph",
    "tree",
    "rewrite",
    "chain",
    "together",
    "tools",
]
LINES = {
    "en": "The pilot guided vessel {0} through the narrow strait of Lemai.",
    "de": "Der Lotse führte das Schiff {0} durch die Meerenge von Lemai.",
    "hu": "A révkalauz átvezette a(z) {0}. hajót Lemai szorosán.",
    "zh": "领航员引导{0}号船通过勒迈海峡。",
    "ja": "水先人は{0}号船を勒邁海峡に導いた。",
}


def texts(version: int) -> list[Text]:
    return [Text(line.format(version), id=language) for language, line in LINES.items()]


class Replacer:
    """Replaces all documents from another connection, as another process would, each time that it is called."""

    def __init__(self, folder: Path) -> None:
        self.version = 0
        self._lock = Lock()
        self.kb = Rove.open(folder, embedder=FAKE, store=LANCE)

    def __call__(self) -> None:
        with self._lock:
            self.version += 1
            assert self.kb.add(texts(self.version)).replaced == len(LINES)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "kb"
    with Rove.open(folder, embedder=FAKE, store=LANCE) as kb:
        kb.add(texts(0), [Text(f"Something else, number {n}, of the canteen.", id=f"f{n}") for n in range(40)])
    return folder


@pytest.fixture
def replace_all(made: Path, tmp_path: Path) -> Iterator[Replacer]:
    replacer = Replacer(shutil.copytree(made, tmp_path / "kb"))
    yield replacer
    replacer.kb.close()


def opened(folder: Path, resident: int) -> AsyncRove:
    return AsyncRove.open(folder / "kb", embedder=FAKE, store={"index": "lancedb", "resident_chunks": resident})


def after(call: Callable[..., Any], then: Callable[[], None], times: int = 1) -> Callable[..., Any]:
    """The call, and right after its first `times` calls something else."""
    left = [times]

    def called(*arguments: Any, **named: Any) -> Any:
        found = call(*arguments, **named)
        if left[0]:
            left[0] -= 1
            then()
        return found

    return called


def before(call: Callable[..., Any], then: Callable[[], None], times: int = 1) -> Callable[..., Any]:
    """The call, and right before its first `times` calls something else."""
    left = [times]

    def called(*arguments: Any, **named: Any) -> Any:
        if left[0]:
            left[0] -= 1
            then()
        return call(*arguments, **named)

    return called


def versions(hits: list[Hit]) -> dict[str, set[str]]:
    """Which versions of which documents were found."""
    found: dict[str, set[str]] = {}
    for hit in hits:
        if hit.chunk.document_id in LINES:
            found.setdefault(hit.chunk.document_id, set()).add(hit.chunk.text)
    return found


def assert_all(hits: list[Hit], wanted: set[str], newest: int) -> None:
    found = versions(hits)
    assert wanted <= set(found), found
    for language, seen in found.items():
        assert seen == {LINES[language].format(newest)}


def test_the_modes_are_all_that_there_are() -> None:
    assert {*MODES, "questions", "schema", "summaries", "themes"} == set(
        RETRIEVERS.names()
    )  # which find no text for each question


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("resident", [131_072, 0])
@pytest.mark.parametrize("moment", ["find", "living", "chunk_vectors", "chunk_tokens"])
async def test_a_search_in_whose_midst_all_is_replaced(
    tmp_path: Path, replace_all: Replacer, monkeypatch: pytest.MonkeyPatch, mode: str, resident: int, moment: str
) -> None:
    async with opened(tmp_path, resident) as kb:
        catalog = kb.store.catalog
        monkeypatch.setattr(catalog, moment, before(getattr(catalog, moment), replace_all, times=2))
        hits = await kb.search("pilot vessel strait Lemai", mode=mode, top_k=45, rerank=True)
    as_it_was = moment.startswith("chunk_") and versions(hits)["en"] == {LINES["en"].format(0)}
    assert_all(hits, {"en", "de"}, 0 if as_it_was else replace_all.version)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("vessel strait", "en"),
        ("Schiff Meerenge", "de"),
        ("hajót szorosán", "hu"),
        ("领航员海峡", "zh"),
        ("水先人", "ja"),
    ],
)
async def test_in_every_language(
    tmp_path: Path, replace_all: Replacer, monkeypatch: pytest.MonkeyPatch, question: str, language: str
) -> None:
    async with opened(tmp_path, 131_072) as kb:
        monkeypatch.setattr(kb.store.catalog, "find", before(kb.store.catalog.find, replace_all))
        assert_all(await kb.search(question, mode="keyword"), {language}, 1)


async def test_memory_takes_in_one_state_of_the_base_and_no_mixture(
    tmp_path: Path, replace_all: Replacer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was new when it began to follow is gone when it comes to read it: the version after it is not missed."""
    async with opened(tmp_path, 131_072) as kb:
        await kb.search("pilot", mode="keyword")
        replace_all()
        catalog = kb.store.catalog
        monkeypatch.setattr(catalog, "removed_since", after(catalog.removed_since, replace_all))
        found = await asyncio.to_thread(kb.store.resident.search, terms=["vessel"], vector=None, top_k=5, where=None)
        assert found is not None
        assert found.ranked["keyword"], "neither the old nor the new was there"


async def test_what_is_on_its_way_in_takes_no_place_of_what_is_live(tmp_path: Path) -> None:
    async with opened(tmp_path, 0) as kb:
        await kb.add([Text(f"The harbour of unit {n} is quiet.", id=f"h{n}") for n in range(20)])
        new = await _prepared(kb, [Text(f"Harbour, harbour, unit {n}!", id=f"n{n}") for n in range(50)])
        vectors = {
            key: vector
            for item in new
            for key, vector in zip(
                item.vector_keys, await kb.embedder.passages([c.indexed_text for c in item.chunks]), strict=True
            )
        }
        await asyncio.to_thread(kb.store.catalog.stage, new, vectors, {})
        await kb.store.index.add(rove.store.catalog.staged_rows(new, vectors), fresh=True)
        for mode in ("keyword", "semantic", "hybrid"):
            hits = await kb.search("harbour unit", mode=mode, top_k=10, rerank=False)
            assert len(hits) == 10, mode
            assert all(hit.chunk.document_id.startswith("h") for hit in hits)


async def _prepared(kb: AsyncRove, given: list[Text]) -> list[Prepared]:
    preparer = Preparer(kb.readers.recipe)
    return [item for at in locate(given) for item in preparer.read(at, "") if isinstance(item, Prepared)]


@pytest.mark.parametrize("resident", [131_072, 0])
@pytest.mark.parametrize("moment", ["find", "texts"])
async def test_an_answer_in_whose_midst_all_is_replaced(
    tmp_path: Path, replace_all: Replacer, monkeypatch: pytest.MonkeyPatch, resident: int, moment: str
) -> None:
    async with opened(tmp_path, resident) as kb:
        catalog = kb.store.catalog
        monkeypatch.setattr(catalog, moment, before(getattr(catalog, moment), replace_all, times=3))
        answer = await kb.ask("Through which strait did the pilot guide the vessel?")
        assert not answer.refused, answer.note
        for sentence in answer.sentences:
            for citation in sentence.citations:
                assert citation.quote == LINES[citation.document_id].format(replace_all.version)


async def test_a_base_that_shrinks_to_what_memory_holds_is_found_whole(tmp_path: Path) -> None:
    async with opened(tmp_path, 20) as kb:
        await kb.add([Text(f"The harbour of unit {n} is quiet.", id=f"h{n}") for n in range(30)])
        assert len(await kb.search("harbour", mode="keyword", top_k=50)) == 30
        await kb.delete(*(f"h{n}" for n in range(15)))
        assert len(await kb.search("harbour", mode="keyword", top_k=50)) == 15


async def test_who_has_seen_less_than_is_remembered_starts_again(
    tmp_path: Path, replace_all: Replacer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rove.store.catalog, "REMOVALS", 8)
    async with opened(tmp_path, 131_072) as kb:
        await kb.search("pilot vessel", mode="walk")
        for _ in range(20):
            replace_all()
        catalog = kb.store.catalog
        await asyncio.to_thread(catalog.tidy)
        assert await asyncio.to_thread(catalog.removed_since, 1) is None
        assert (
            len(await asyncio.to_thread(catalog.removed_since, await asyncio.to_thread(catalog.revision) - 1) or ())
            == 5
        )
        for mode in MODES:
            assert_all(await kb.search("pilot vessel strait Lemai", mode=mode, top_k=45), {"en"}, 20)
        assert kb.store.names.titled([NamingText("Note en", "en")])


async def test_a_walk_reads_the_version_that_has_replaced_what_it_has_found(
    tmp_path: Path, replace_all: Replacer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, 131_072) as kb:
        plain = await kb.walk("Through which strait did the pilot guide the vessel?").answered()
        assert not plain.refused
        found = Finder.hits

        async def hits(self: Finder, chunk_ids: Sequence[str]) -> list[Hit]:
            if not replace_all.version:
                await asyncio.to_thread(replace_all)
            return await found(self, chunk_ids)

        monkeypatch.setattr(Finder, "hits", hits)
        answer = await kb.walk("Which narrow strait did the pilot guide the vessel through?").answered()
        assert replace_all.version == 1
        assert not answer.refused, answer.note
        cited = {c.document_id: c.quote for sentence in answer.sentences for c in sentence.citations}
        assert cited["en"] == LINES["en"].format(1)


async def test_an_export_holds_the_vectors_of_what_is_replaced_meanwhile(
    tmp_path: Path, replace_all: Replacer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, 131_072) as kb:
        monkeypatch.setattr("rove.exchange.DOCUMENTS_AT_ONCE", 1)
        monkeypatch.setattr(kb.store.vectors, "get", before(kb.store.vectors.get, replace_all, times=3))
        lines = [json.loads(line) async for line in kb.export()]
    assert replace_all.version == 3
    exported = {line["document_id"]: line for line in lines[1:]}
    assert set(LINES) <= set(exported)
    assert all(line["vectors"] for line in exported.values())

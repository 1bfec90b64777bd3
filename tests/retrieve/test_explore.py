"""The graph of knowledge: made by the enricher, explored by names, documents and chunks, within what may be seen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rove import AsyncRove, Text, field
from rove.errors import InputError
from rove.records import Citation
from rove.records.filter import AccessFilter
from rove.records.graph import ALIAS, Subgraph
from rove.records.learned import Remembered
from rove.retrieve.explore import Reach, entity_keys
from rove.store.triplets import Triplets

DOCUMENTS = {
    "curie": (
        "Marie Curie",
        "en",
        "Marie Curie was born in Warsaw. Marie Curie won the Nobel Prize. Marie Curie discovered Polonium.",
    ),
    "polonium": ("Polonium", "en", "Polonium was named after Poland. Polonium is a chemical element."),
    "who": ("Geneva", "en", "The World Health Organization (WHO) is based in Geneva. Geneva lies in Switzerland."),
    "who2": ("Health", "en", "WHO was founded in 1948. WHO publishes the Classification of Diseases."),
    "benz": ("Carl Benz", "de", "Carl Benz gründete die Firma Benz. Carl Benz wurde 1844 geboren.\n\nGeboren: 1844"),
    "tisza": ("Tisza", "hu", "A Tisza a Dunába ömlik."),
    "zh": ("邓兆棠", "zh", "邓兆棠是「香港赛马会」的会员。"),
    "ja": ("黒澤明", "ja", "黒澤明は、映画『羅生門』の監督である。"),
}
SEEDS = {"en": "Marie Curie", "de": "Carl Benz", "hu": "Tisza", "zh": "邓兆棠", "ja": "黒澤明"}


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[AsyncRove]:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as base:
        texts = [
            Text(text, id=name, title=title, metadata={"lang": language, "access": ("staff",)})
            for name, (title, language, text) in DOCUMENTS.items()
        ]
        await base.add(texts)
        await base.enrich("graph")
        yield base


def said(graph: Subgraph) -> set[tuple[str, str, str]]:
    names = {one.key: one.name for one in graph.entities}
    return {(names[link.subject], link.predicate, names[link.object]) for link in graph.links}


def bytes_below(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize("language", SEEDS)
async def test_what_is_said_of_a_name_is_found_in_its_words(kb: AsyncRove, language: str) -> None:
    graph = await kb.explore(SEEDS[language])
    assert graph.links
    assert graph.entities[0].name == SEEDS[language]
    assert graph.entities[0].hops == 0
    for link in graph.links:
        for relation in link.relations:
            start, end = relation.triplet.span
            assert (await kb.text(relation.document_id))[start:end] == relation.quote
            assert relation.triplet.object in relation.quote
            assert relation.by == "rules 2"


async def test_depth_and_direction_say_how_far_and_which_way(kb: AsyncRove) -> None:
    near = await kb.explore("Warsaw", reach=Reach(depth=1))
    assert said(near) == {("Marie Curie", "was born in", "Warsaw")}
    far = said(await kb.explore("Warsaw", reach=Reach(depth=2)))
    assert ("Marie Curie", "discovered", "Polonium") in far
    assert ("Polonium", "was named after", "Poland") not in far
    assert ("Polonium", "was named after", "Poland") in said(await kb.explore("Warsaw", reach=Reach(depth=3)))
    assert said(await kb.explore("Warsaw", reach=Reach("out"))) == set()
    assert said(await kb.explore("Warsaw", reach=Reach("in"))) == said(near)
    assert {one.hops for one in (await kb.explore("Warsaw", reach=Reach(depth=3))).entities} == {0, 1, 2, 3}


async def test_fan_and_limit_leave_out_and_say_so(kb: AsyncRove) -> None:
    whole = await kb.explore("Marie Curie")
    assert len(whole.links) == 3
    assert not whole.more
    for reach in (Reach(fan=2), Reach(limit=2)):
        part = await kb.explore("Marie Curie", reach=reach)
        assert len(part.links) == 2
        assert part.more


@pytest.mark.parametrize("reach", [Reach(depth=0), Reach(depth=9), Reach(fan=0), Reach(limit=10**9), Reach("up")])  # type: ignore[arg-type]
async def test_a_reach_out_of_range_is_refused(kb: AsyncRove, reach: Reach) -> None:
    with pytest.raises(InputError) as refused:
        await kb.explore("Marie Curie", reach=reach)
    assert refused.value.cure


async def test_other_names_are_one_entity_with_the_words_that_say_so(kb: AsyncRove) -> None:
    for name in ("World Health Organization", "WHO"):
        graph = await kb.explore(name)
        (entity,) = [one for one in graph.entities if not one.hops]
        assert set(entity.names) == {"World Health Organization", "WHO"}
        (joined,) = entity.joined
        assert (joined.document_id, joined.triplet.predicate) == ("who", ALIAS)
        objects = {object_ for _, _, object_ in said(graph)}
        assert {"Geneva", "Classification of Diseases"} <= objects


async def test_what_joins_names_is_undone_with_its_document(kb: AsyncRove) -> None:
    await kb.delete("who")
    graph = await kb.explore("WHO")
    assert {one.document_id for link in graph.links for one in link.relations} == {"who2"}
    assert all(not one.joined for one in graph.entities)


async def test_documents_and_chunks_are_seeds_too(kb: AsyncRove) -> None:
    graph = await kb.explore(documents=["curie"])
    assert said(graph) == said(await kb.explore("Marie Curie"))
    assert {one.hops for one in graph.entities} == {0}
    _, chunks = await kb.document("polonium")
    assert ("Polonium", "was named after", "Poland") in said(await kb.explore(chunks=[chunks[0].chunk_id]))
    further = said(await kb.explore(documents=["curie"], reach=Reach(depth=2)))
    assert ("Polonium", "was named after", "Poland") in further


async def test_a_number_leads_no_further(kb: AsyncRove) -> None:
    await kb.add(Text("Bank: 1844", id="x", title="Savings Office"))
    await kb.enrich("graph")
    assert not any("Bank" in link for link in said(await kb.explore("Carl Benz", reach=Reach(depth=3))))
    assert len(said(await kb.explore("1844"))) == 2


async def test_a_filter_lets_through_only_what_its_documents_say(kb: AsyncRove) -> None:
    everything = await kb.explore("Marie Curie", "Carl Benz")
    german = await kb.explore("Marie Curie", "Carl Benz", where=field("lang") == "de")
    assert said(german) < said(everything)
    assert {one.document_id for link in german.links for one in link.relations} == {"benz"}


async def test_what_is_hidden_is_neither_shown_nor_takes_a_place(kb: AsyncRove) -> None:
    secret = [
        Text(f"Marie Curie met Agent{n} Secret. Marie Curie visited Place{n} Secret.", id=f"s{n}",
             metadata={"access": ("board",)})
        for n in range(40)
    ]  # fmt: skip
    seen = AccessFilter("access", "in", ("staff",))
    before = await kb.explore("Marie Curie", where=seen, reach=Reach(fan=5))
    await kb.add(secret)
    await kb.enrich("graph")
    assert await kb.explore("Marie Curie", where=seen, reach=Reach(fan=5)) == before
    hits = await kb.search("Where was Marie Curie born?", mode="graph", where=seen, top_k=50)
    assert not any("Secret" in hit.chunk.text for hit in hits)


async def test_a_document_is_read_once_and_again_when_it_changes(kb: AsyncRove) -> None:
    triplets = Triplets(kb.store.catalog.database)
    assert triplets.unread("rules 2") == []
    assert (await kb.enrich("graph")).changed == 0
    await kb.add(Text("Marie Curie lived in Paris.", id="curie", title="Marie Curie"))
    assert [name for _, name in triplets.unread("rules 2")] == ["curie"]
    assert said(await kb.explore("Warsaw")) == set()
    assert (await kb.enrich("graph")).changed == 1
    assert ("Marie Curie", "lived in", "Paris") in said(await kb.explore("Paris"))


async def test_a_run_that_was_cut_off_is_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.enrich.graph.BATCH", 2)
    kept = Triplets.keep
    calls: list[int] = []

    def keep(self: Triplets, documents: list, by: str) -> int:  # type: ignore[type-arg]
        calls.append(len(documents))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return kept(self, documents, by)

    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as base:
        await base.add([Text(text, id=n, title=t) for n, (t, code, text) in DOCUMENTS.items()])
        with monkeypatch.context() as patched:
            patched.setattr(Triplets, "keep", keep)
            with pytest.raises(KeyboardInterrupt):
                await base.enrich("graph")
        assert (await base.graph_size())[1] <= 2
        assert (await base.estimate_enrich("graph")).documents == len(DOCUMENTS) - 2
        await base.enrich("graph")
        assert (await base.graph_size())[1] == len(DOCUMENTS)


async def test_erased_words_leave_the_disk(kb: AsyncRove, tmp_path: Path) -> None:
    await kb.add(Text("Zanzibarius Quux discovered Unobtainium.", id="q", title="Quux"))
    await kb.enrich("graph")
    assert said(await kb.explore("Unobtainium"))
    await kb.delete("q")
    assert said(await kb.explore("Unobtainium")) == set()
    held = bytes_below(tmp_path)
    assert b"Unobtainium" not in held
    assert b"unobtainium" not in held


async def test_an_export_carries_the_graph(kb: AsyncRove, tmp_path: Path) -> None:
    lines = [line async for line in kb.export()]
    async with AsyncRove.open(tmp_path / "other", embedder={"name": "fake"}) as other:
        assert not (await other.import_(lines)).failed
        assert await other.graph_size() == await kb.graph_size()
        for name in SEEDS.values():
            assert await other.explore(name) == await kb.explore(name)
        assert (await other.enrich("graph")).changed == 0


async def test_an_export_that_claims_what_its_text_does_not_say_is_not_believed(kb: AsyncRove, tmp_path: Path) -> None:
    lines = [line.replace('"Warsaw"', '"Berlin"') async for line in kb.export()]
    damaged = [line.replace('"by": "rules 2"', '"bye": "rules 2"') if '"polonium"' in line else line for line in lines]
    async with AsyncRove.open(tmp_path / "other", embedder={"name": "fake"}) as other:
        report = await other.import_(damaged)
        assert len(report.failed) == 1
        assert said(await other.explore("Berlin")) == set()
        assert ("Marie Curie", "discovered", "Polonium") in said(await other.explore("Marie Curie"))


async def test_what_a_walk_has_learned_stands_beside_what_documents_say(kb: AsyncRove) -> None:
    text = await kb.text("who2")
    _, chunks = await kb.document("who2")
    quote = "WHO publishes the Classification of Diseases."
    span = (text.index(quote), text.index(quote) + len(quote))
    citation = Citation(1, chunks[0].chunk_id, "who2", "who2", "Health", quote, span)
    fact = Remembered("", "WHO maintains the Disease List.", "What does WHO do?", 1.0, citation)
    assert await kb.memory().keep("What does WHO do?", [fact], []) == 1
    assert await kb.memory("other").keep("What does WHO do?", [fact], []) == 1
    graph = await kb.explore("WHO")
    (learned,) = [one for link in graph.links for one in link.relations if one.memory_id]
    assert (learned.by, learned.triplet.object, learned.quote) == ("walk", "Disease List", quote)
    assert (await kb.enrich("graph")).changed == 0
    (kept,) = await kb.memory().facts()
    await kb.memory().edit(kept.memory_id, "WHO maintains the Disease Register.")
    assert ("WHO", "maintains", "Disease Register") in said(await kb.explore("Disease Register"))
    assert said(await kb.explore("Disease List", space="nobody")) == set()
    await kb.memory().clear()
    assert not any(one.memory_id for link in (await kb.explore("WHO")).links for one in link.relations)


async def test_longer_names_are_suggested(kb: AsyncRove) -> None:
    assert await kb.graph_names("Curie") == ["Marie Curie"]
    assert await kb.graph_names("Nobody at all") == []


async def test_mode_graph_finds_a_document_by_another_name(kb: AsyncRove) -> None:
    await kb.add(Text("It meets every year in May.", id="assembly", title="World Health Organization"))
    await kb.enrich("graph")
    question = "When does the WHO meet?"
    hits = await kb.search(question, mode="graph", top_k=20)
    assert "assembly" in [hit.chunk.document_id for hit in hits]
    ranks = {
        mode: [hit.chunk.document_id for hit in await kb.search(question, mode=mode, top_k=20)].index("assembly")
        for mode in ("walk", "graph")
    }
    assert ranks["graph"] <= ranks["walk"]


async def test_without_a_graph_mode_graph_is_mode_walk(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as base:
        await base.add([Text(text, id=n, title=t) for n, (t, code, text) in DOCUMENTS.items()])
        walked = [hit.chunk.chunk_id for hit in await base.search("Where was Marie Curie born?", mode="walk")]
        assert [hit.chunk.chunk_id for hit in await base.search("Where was Marie Curie born?", mode="graph")] == walked


def test_a_name_has_a_key_for_each_language() -> None:
    assert entity_keys("Running", ["en", "de"]) == {"run", "running"}

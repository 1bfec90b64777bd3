"""The ways to search, over a real base: every registered retriever keeps the contract; gather keeps its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from rove import AsyncRove, InputError, Rove, Text, field
from rove.models import Reranker
from rove.records import Hit, Place
from rove.retrieve import RETRIEVERS, Query
from rove.retrieve.ranked_lists import ranked_lists, search_terms
from rove.retrieve.same import apart
from rove.settings import SearchSettings
from rove.store.search_lists import SearchLists

TEXTS = {
    "en": "Remote work is approved by the head of the unit and reviewed every year.",
    "de": "Telearbeit genehmigt der Leiter der Abteilung; der Betriebsrat wird gehört.",
    "hu": "A távmunkát az egységvezető engedélyezi, és évente felülvizsgálja.",
    "zh": "远程办公由部门主管批准，每年复审一次。",
    "ja": "在宅勤務は部門長が承認し、毎年見直します。",
}

RANKING = [mode for mode in RETRIEVERS.names() if mode not in {"questions", "summaries", "themes"}]
"""Those that find something for every question."""


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    with Rove.open(tmp_path_factory.mktemp("kb"), embedder={"name": "fake"}) as base:
        base.add([Text(text, id=name, metadata={"lang": name}) for name, text in TEXTS.items()])
        base.add(
            [
                Text(f"Filler number {i} speaks of weather and of trains.", id=f"f{i}", metadata={"n": i})
                for i in range(40)
            ]
        )
        yield base


@pytest.mark.parametrize("mode", RANKING)
@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("who approves remote work", "en"),
        ("Wer genehmigt Telearbeit?", "de"),
        ("Ki engedélyezi a távmunkát?", "hu"),
        ("谁批准远程办公", "zh"),
        ("在宅勤務は誰が承認しますか", "ja"),
    ],
)
def test_every_mode_finds_it_in_every_language(kb: Rove, mode: str, question: str, wanted: str) -> None:
    hits = kb.search(question, mode=mode, top_k=3)
    assert hits[0].chunk.document_id == wanted
    assert 1 <= len(hits) <= 3
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
    text = kb.text(wanted)
    assert text[slice(*hits[0].chunk.span)] == hits[0].chunk.text
    assert hits[0].sources
    assert all(place.rank >= 1 for hit in hits for place in hit.sources.values())


@pytest.mark.parametrize("mode", RANKING)
def test_a_filter_holds_in_every_mode(kb: Rove, mode: str) -> None:
    hits = kb.search("filler weather trains remote work", mode=mode, top_k=50, where=field("n") >= 38)
    assert {hit.chunk.document_id for hit in hits} == {"f38", "f39"}


def test_gather_keeps_the_five_numbers(tmp_path: Path) -> None:
    numbers = {"k_keyword": 2, "k_semantic": 1, "k_rerank": 4, "pool_keyword": 6, "pool_semantic": 5}
    with Rove.open(tmp_path, embedder={"name": "fake"}, search=numbers) as base:
        base.add([Text(f"apple {'banana ' * (i % 5)} cherry {i}", id=f"d{i}") for i in range(30)])
        hits = base.search("apple banana cherry", mode="gather", top_k=50)
        keyword = [h.chunk.chunk_id for h in base.search("apple banana cherry", mode="keyword", top_k=6)]
        semantic = [h.chunk.chunk_id for h in base.search("apple banana cherry", mode="semantic", top_k=5)]
        found = [h.chunk.chunk_id for h in hits]
        assert len(found) == len(set(found))
        assert 4 <= len(found) <= 7
        assert {*keyword[:2], *semantic[:1]} <= set(found)
        assert set(found) <= {*keyword, *semantic}
        for hit in hits:
            if "keyword" in hit.sources:
                assert keyword[hit.sources["keyword"].rank - 1] == hit.chunk.chunk_id
            assert "rerank" in hit.sources


class Contrary:
    """A reranker that turns the first stage's order round, and counts what it is shown."""

    weight = 0.0

    def __init__(self) -> None:
        self.shown: list[int] = []

    async def scores(self, question: str, hits: Sequence[Hit]) -> list[float]:
        self.shown.append(len(hits))
        return [float(place + 1) for place in range(len(hits))]


@pytest.mark.parametrize("question", ["apple banana cherry", "apfel", "蘋果"])
async def test_the_reranker_adds_its_own_best_and_sees_the_pool_alone(tmp_path: Path, question: str) -> None:
    """Its weight is 0: the order of the output is the first stage's, and yet the three that join are its own."""
    numbers = {"k_keyword": 12, "k_semantic": 3, "k_rerank": 3, "pool_keyword": 4, "pool_semantic": 10}
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}, search=numbers) as base:
        await base.add([Text(f"apple {'banana ' * (i % 5)} cherry {i} 蘋果", id=f"d{i}") for i in range(40)])
        contrary = Contrary()
        base.search_context = replace(base.search_context, reranker=cast("Reranker", contrary))
        hits = await base.search(question, mode="gather")
    assert contrary.shown
    assert max(contrary.shown) <= 4 + 10
    ranks = sorted(hit.sources["rerank"].rank for hit in hits if "rerank" in hit.sources)
    assert ranks[:3] == [1, 2, 3]
    unseen = [hit for hit in hits if "rerank" not in hit.sources]
    assert all(hit.sources["keyword"].rank > 4 for hit in unseen)
    assert all(
        hit.sources["rerank"].rank <= 3
        or hit.sources.get("keyword", Place(99, 0.0)).rank <= 12
        or hit.sources.get("semantic", Place(99, 0.0)).rank <= 3
        for hit in hits
        if "rerank" in hit.sources
    )


class Silent(Contrary):
    """A reranker without an opinion."""

    async def scores(self, question: str, hits: Sequence[Hit]) -> list[float]:
        return [0.0] * len(hits)


async def test_where_the_reranker_has_no_opinion_the_first_stage_orders_the_gathering(tmp_path: Path) -> None:
    numbers = {"k_keyword": 12, "k_semantic": 3, "k_rerank": 3, "pool_keyword": 2, "pool_semantic": 2}
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}, search=numbers) as base:
        await base.add([Text(f"apple {'banana ' * (i % 5)} cherry {i}", id=f"d{i}") for i in range(40)])
        base.search_context = replace(base.search_context, reranker=cast("Reranker", Silent()))
        hits = await base.search("apple banana cherry", mode="gather")
    assert len(hits) >= 12
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_no_top_k_of_the_settings_cuts_a_gathering_and_an_explicit_one_cuts_what_is_given(tmp_path: Path) -> None:
    settings = {"top_k": 2, "k_keyword": 6, "k_semantic": 6, "k_rerank": 6}
    with Rove.open(tmp_path, embedder={"name": "fake"}, search=settings, answer={"mode": "gather"}) as base:
        base.add([Text(f"apple {'banana ' * (i % 5)} cherry {i}", id=f"d{i}") for i in range(40)])
        whole = base.search("apple banana cherry", mode="gather")
        assert 6 <= len(whole) <= 18
        assert [hit.chunk.chunk_id for hit in base.search("apple banana cherry", mode="gather", top_k=2)] == [
            hit.chunk.chunk_id for hit in whole[:2]
        ]
        assert len(base.search("apple banana cherry")) == 2
        assert len(base.ask("apple banana cherry").hits) == len(whole)


def test_the_five_numbers_of_a_gathering_are_the_missions() -> None:
    s = SearchSettings()
    assert (s.k_keyword, s.k_semantic, s.k_rerank, s.pool_keyword, s.pool_semantic) == (3, 3, 3, 10, 10)


@pytest.mark.parametrize(("how", "left"), [("off", 6), ("equal", 4), ("near", 3)])
@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic", "gather"])
def test_hits_with_the_same_text_are_one_where_the_settings_say_so(
    tmp_path: Path, how: str, left: int, mode: str
) -> None:
    long = "Remote work is approved by the head of the unit, who answers within three days, and reviewed every year."
    texts = [
        long,
        f"  {long.upper()} ",
        long + "!",
        "远程办公由部门主管批准。",
        "远程办公 由部门主管批准。",
        "The unit likes remote cats at work.",
    ]
    search = {"deduplicate": how, "k_keyword": 6, "k_semantic": 6}
    with Rove.open(tmp_path, embedder={"name": "fake"}, search=search, load={"duplicates": "off"}) as base:
        base.add([Text(text, id=f"d{i}") for i, text in enumerate(texts)])
        found = base.search("remote work 远程办公", mode=mode, top_k=6)
        assert len({hit.chunk.document_id for hit in found}) == len(found) == left
        assert {hit.chunk.document_id for hit in apart(found)} == {f"d{i}" for i in range(len(texts))}
        best = base.search("remote work 远程办公", mode=mode, top_k=1)
        assert best[0].chunk.chunk_id == found[0].chunk.chunk_id


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic", "walk", "sparse"])
@pytest.mark.parametrize("notice", TEXTS.values(), ids=TEXTS)
def test_a_text_that_stands_often_leaves_the_places_to_others(tmp_path: Path, mode: str, notice: str) -> None:
    copies = [Text(notice + " " * n, id=f"copy {n}", title=f"Notice {n}") for n in range(60)]
    others = [Text(f"{notice} {n}", id=f"other {n}") for n in range(12)]
    with Rove.open(tmp_path, embedder={"name": "fake"}, load={"duplicates": "off"}) as base:
        base.add([*copies, *others])
        found = base.search(notice, mode=mode, top_k=10)
        assert len({hit.chunk.text.strip() for hit in found}) == len(found) == 10
        best = next(hit for hit in base.search(notice, mode=mode, top_k=20) if hit.chunk.text.strip() == notice)
        assert {hit.title for hit in (best, *best.same)} == {f"Notice {n}" for n in range(60)}
        scores = [hit.score for hit in (best, *best.same)]
        assert scores == sorted(scores, reverse=True)
        few = base.search(notice, mode=mode, top_k=10, where=field("title").in_(["Notice 3", "Notice 4"]))
        assert [sorted(hit.title for hit in (one, *one.same)) for one in few] == [["Notice 3", "Notice 4"]]


def test_gather_by_default_gives_at_most_nine_and_at_least_three(kb: Rove) -> None:
    assert 3 <= len(kb.search("who approves remote work and trains", mode="gather")) <= 9


def test_reranking_says_so_and_keeps_what_was_found(kb: Rove) -> None:
    plain = kb.search("who approves remote work", top_k=10)
    again = kb.search("who approves remote work", top_k=10, rerank=True)
    assert {h.chunk.chunk_id for h in again} <= {
        h.chunk.chunk_id for h in kb.search("who approves remote work", top_k=20)
    }
    assert len(again) == len(plain)
    assert all("rerank" in hit.sources for hit in again)


@pytest.mark.parametrize(("question", "more"), [("  ", {}), ("x", {"top_k": 0})])
def test_a_question_that_cannot_work_is_refused(kb: Rove, question: str, more: dict[str, int]) -> None:
    with pytest.raises(InputError):
        kb.search(question, **more)


def test_no_mode_of_that_name(kb: Rove) -> None:
    with pytest.raises(Exception, match="keyword, semantic, hybrid, gather"):
        kb.search("x", mode="psychic")


def test_selective_filters_keep_full_recall(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}, store={"index": "lancedb", "resident_chunks": 0}) as disk:
        disk.add(
            [Text(f"text {i} about {'cats' if i % 3 else 'dogs'}", id=f"d{i}", metadata={"n": i}) for i in range(300)]
        )
        found = disk.search("cats and dogs", mode="semantic", top_k=3, where=field("n").in_([5, 150, 299]))
        assert {hit.chunk.document_id for hit in found} == {"d5", "d150", "d299"}


async def test_lists_are_the_same_in_memory_and_from_the_index(tmp_path: Path) -> None:
    texts = [
        "Der Hund schläft im Garten.",
        "猫は庭で眠る。",
        "A kutya a kertben alszik.",
        "The dog sleeps; the cat purrs.",
    ]
    found: list[list[SearchLists]] = []
    for limit in (100, 0):
        store = {"index": "lancedb", "resident_chunks": limit}
        async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}, store=store) as kb:
            await kb.add(*[Text(text, id=text) for text in texts])
            questions = ("Wo schläft der Hund?", "猫 dog", "Hol alszik a kutya?", "purring elephants")
            names = ["keyword", "semantic"]
            found.append([await ranked_lists(kb.search_context, Query(q, 5), top_k=5, names=names) for q in questions])
    for held, stored in zip(*found, strict=True):
        assert held.coverage == stored.coverage
        for name, scored in held.ranked.items():
            assert [chunk_id for chunk_id, _ in scored] == [chunk_id for chunk_id, _ in stored.ranked[name]]
            assert dict(scored) == pytest.approx(dict(stored.ranked[name]), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("mode", ["keyword", "hybrid", "walk"])
def test_a_passage_is_found_by_what_stands_elsewhere_in_its_document(tmp_path: Path, mode: str) -> None:
    same = "The deadline is the last day of the month."
    rest = {lang: [f"{text} {number}." for number in range(3)] for lang, text in TEXTS.items()}
    with Rove.open(tmp_path, embedder={"name": "fake"}, chunk={"size_chars": 90, "overlap_chars": 0}) as kb:
        kb.add([Text("\n\n".join([*parts, same]), id=lang) for lang, parts in rest.items()])
        kb.add([Text(f"Note {number}: rain and trains.", id=f"n{number}") for number in range(20)])
        for lang, asked in {"de": "deadline Telearbeit", "hu": "deadline távmunkát", "zh": "deadline 远程办公"}.items():
            said = [hit for hit in kb.search(asked, top_k=20, mode=mode) if hit.chunk.text == same]
            assert said[0].chunk.document_id == lang


def test_a_question_in_another_language_is_read_both_ways() -> None:
    asked = "Wann besiegten die Denver Broncos die Panthers?"
    german = ["besiegt", "denv", "broncos", "panth"]
    assert search_terms(asked, ["en"]) == ["besiegten", "denver", "bronco", "panther", *german]  # and nothing dies
    assert search_terms(asked, ["de", "en"]) == german
    assert {"super", "bowl"} <= set(search_terms("超级碗 Super Bowl 在哪里?", ["en"]))


def test_a_word_that_seems_to_be_of_another_language_is_found(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(
            Text("The boiler is flushed every spring.", id="en"), Text("Straße und Größe stehen im Formular.", id="de")
        )
        assert [hit.chunk.document_id for hit in kb.search("Groesse", mode="keyword")] == ["de"]
        assert kb.search("Quux", mode="keyword") == []

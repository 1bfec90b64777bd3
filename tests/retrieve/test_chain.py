"""Modes "chain" and "together": several ways to search, one after the other or at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rove import ConfigError, Rove, Text, field
from rove.retrieve.fuse import reciprocal_rank_fusion

TEXTS = {
    "faq": "Q: Who pays for travel?\nA: The office pays.\n",
    "de": "Telearbeit genehmigt der Leiter der Abteilung; der Betriebsrat wird gehört.",
    "hu": "A távmunkát az egységvezető engedélyezi, és évente felülvizsgálja.",
    "zh": "远程办公由部门主管批准，每年复审一次。",
    "ja": "在宅勤務は部門長が承認し、毎年見直します。",
}
FAKE = {"name": "fake"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kb")
    with Rove.open(path, embedder=FAKE) as base:
        base.add([Text(text, id=name, metadata={"lang": name}) for name, text in TEXTS.items()])
        base.add([Text(f"Filler number {n} speaks of travel and of trains.", id=f"f{n}") for n in range(40)])
    return path


@pytest.fixture
def kb(folder: Path) -> Iterator[Rove]:
    with Rove.open(folder, embedder=FAKE) as base:
        yield base


def open_with(folder: Path, **search: object) -> Rove:
    return Rove.open(folder, embedder=FAKE, search=search)


def test_the_first_that_finds_anything_wins(kb: Rove) -> None:
    assert [hit.chunk.text for hit in kb.search("who pays for travel", mode="chain")] == ["The office pays."]
    others = kb.search("trains and travel", mode="chain")
    assert others == kb.search("trains and travel")
    assert len(others) == 10


@pytest.mark.parametrize("question", ["Wer genehmigt Telearbeit?", "谁批准远程办公", "在宅勤務は誰が承認しますか"])
def test_what_scores_too_little_is_passed_over(folder: Path, question: str) -> None:
    with open_with(folder, chain=("keyword", "semantic")) as base:
        assert set(base.search(question, mode="chain")[0].sources) == {"keyword"}
        least = base.search(question, mode="keyword")[0].score + 0.01
    with open_with(folder, chain=("keyword", "semantic"), chain_scores={"keyword": least}) as base:
        assert set(base.search(question, mode="chain")[0].sources) == {"semantic"}
    with open_with(folder, chain=("keyword",), chain_scores={"keyword": least}) as base:
        assert base.search(question, mode="chain") == []


def test_lists_at_once_are_fused_by_their_places_and_weights(folder: Path) -> None:
    weights = {"keyword": 1.0, "semantic": 2.0}
    with open_with(folder, together=weights, rrf_k=10, deduplicate="off") as base:
        hits = base.search("travel of the office", mode="together", top_k=8)
        lists = {mode: base.search("travel of the office", mode=mode, top_k=8) for mode in weights}
    rankings = [[hit.chunk.chunk_id for hit in found] for found in lists.values()]
    wanted = reciprocal_rank_fusion(rankings, k=10, weights=[1.0, 2.0])[:8]
    assert [(hit.chunk.chunk_id, hit.score) for hit in hits] == wanted
    for hit in hits:
        for mode, found in lists.items():
            place = next((n for n, one in enumerate(found, 1) if one.chunk.chunk_id == hit.chunk.chunk_id), None)
            assert (hit.sources[mode].rank if mode in hit.sources else None) == place


def test_a_filter_holds_in_each(kb: Rove) -> None:
    for mode in ("chain", "together"):
        hits = kb.search("travel of the office", mode=mode, where=field("lang") == "hu")
        assert {hit.chunk.document_id for hit in hits} == {"hu"}


def test_ask_goes_by_a_chain(folder: Path) -> None:
    with Rove.open(folder, embedder=FAKE, answer={"mode": "chain", "stored": False}) as base:
        answer = base.ask("Who pays for travel, please?")
        assert [one.quote for one in answer.citations] == ["The office pays."]


@pytest.mark.parametrize(
    ("search", "said"),
    [
        ({"chain": ()}, "must each name"),
        ({"together": {}}, "must each name"),
        ({"chain": ("together",)}, "cannot name together"),
        ({"together": {"chain": 1.0}}, "cannot name chain"),
        ({"together": {"hybrid": 0.0}}, "above 0"),
        ({"chain_scores": {"keyword": 1.0}}, "does not name: keyword"),
        ({"chain": ("hybird",)}, "hybrid"),
        ({"together": {"tre": 1.0}}, "tree"),
    ],
)
def test_wrong_settings_are_said(tmp_path: Path, search: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        Rove.open(tmp_path, embedder=FAKE, search=search)
    assert said in f"{raised.value} {raised.value.cure}"

"""What was deleted leaves no trace in how the rest is ranked: every process scores as if it had never been there."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import Rove, Text

QUESTIONS = ("remote work", "Wer genehmigt Urlaub?", "szabadság három nap", "年假有几天", "休暇の申請")
KEPT = [
    Text("Remote work is approved by the head of the unit.", id="en"),
    Text("Der Urlaub wird in drei Tagen genehmigt.", id="de"),
    Text("A szabadságot három nap alatt hagyják jóvá.", id="hu"),
    Text("年假五天，由主管批准。", id="zh"),
    Text("休暇の申請は三日以内に承認する。", id="ja"),
    Text("The canteen opens at eleven, and work goes on.", id="lunch"),
]
GONE = [
    Text("Remote work, remote work and again remote leave: 年假 休暇 Urlaub szabadság.", id="loud"),
    Text("Remote leave is approved. Urlaub genehmigt wer? 年假有几天 休暇の申請", id="other"),
]
MODES = ("keyword", "semantic", "hybrid", "sparse", "gather")


def rankings(kb: Rove) -> dict[str, list[tuple[str, float]]]:
    return {
        f"{mode} {question}": [
            (hit.chunk.document_id, pytest.approx(hit.score, abs=1e-5))
            for hit in kb.search(question, mode=mode, top_k=5)
        ]
        for mode in MODES
        for question in QUESTIONS
    }


def opened(folder: Path) -> Rove:
    return Rove.open(folder, embedder={"name": "fake"})


@pytest.fixture
def wanted(tmp_path: Path) -> dict[str, list[tuple[str, float]]]:
    with opened(tmp_path / "never") as kb:
        kb.add(KEPT)
        return rankings(kb)


def test_a_process_that_has_searched_before_forgets_what_it_deletes(tmp_path: Path, wanted: object) -> None:
    with opened(tmp_path / "kb") as kb:
        kb.add([*KEPT, *GONE])
        assert rankings(kb) != wanted
        kb.delete("loud", "other")
        assert rankings(kb) == wanted


def test_a_process_that_has_searched_before_forgets_what_another_deletes(tmp_path: Path, wanted: object) -> None:
    with opened(tmp_path / "kb") as reader, opened(tmp_path / "kb") as writer:
        writer.add([*KEPT, *GONE])
        assert rankings(reader) != wanted
        writer.delete("loud", "other")
        assert rankings(reader) == wanted
        writer.add(GONE[0])
        assert rankings(reader) != wanted


def test_a_document_that_says_something_else_now_is_ranked_by_that(tmp_path: Path, wanted: object) -> None:
    with opened(tmp_path / "kb") as kb:
        kb.add([*KEPT[1:], Text(GONE[0].text, id="en")])
        assert rankings(kb) != wanted
        kb.add(KEPT[0])
        assert rankings(kb) == wanted

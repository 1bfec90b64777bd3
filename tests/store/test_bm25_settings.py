"""k1 and b count wherever a base is searched, whichever index compares its vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import Rove, Text

WORDS = "ship " * 9 + "harbour " * 3
TEXTS = [Text(WORDS + "lamp " * n, id=f"d{n}") for n in range(5)]


def scores(folder: Path, **store: object) -> list[float]:
    with Rove.open(folder, embedder={"name": "fake"}, store={"document_share": 0, **store}) as kb:
        kb.add(*TEXTS)
        return [round(hit.score, 4) for hit in kb.search("lamp", mode="keyword")]


@pytest.mark.parametrize("setting", [{"k1": 2.0}, {"b": 0.0}])
def test_k1_and_b_count_with_every_index(tmp_path: Path, setting: dict[str, float]) -> None:
    usual = scores(tmp_path)
    assert scores(tmp_path, **setting) != usual
    lance = {"index": "lancedb", "resident_chunks": 0}
    assert scores(tmp_path, **lance) == usual
    assert scores(tmp_path, **lance, **setting) == scores(tmp_path, **setting)

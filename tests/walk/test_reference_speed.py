"""What hostile texts cost: work grows with their length, not with its square."""

from __future__ import annotations

import time

import pytest

from rove.walk.references import references, title_candidates


@pytest.mark.parametrize(
    "piece", ["AA-", "’A", "A_", "一", "表1", "第1章", "§ 1 ", "Smith, ", "see ", "1.1-", "[", "a/"]
)
@pytest.mark.parametrize("read", [references, title_candidates])
def test_a_text_of_one_piece_costs_as_its_length(piece: str, read: object) -> None:
    def cost(size: int) -> float:
        text = (piece * size)[:size]
        started = time.process_time()
        read(text)  # pyright: ignore
        return time.process_time() - started

    cost(200)
    grows = (cost(8_000) / max(cost(2_000), 0.02) for _ in range(3))  # a busy machine is no fault of the reader's
    assert any(times < 10 for times in grows)

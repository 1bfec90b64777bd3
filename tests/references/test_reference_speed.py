"""What hostile texts cost: work grows with their length, not with its square."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.cpu_time import growth

from rove.references.text_references import references, title_candidates


@pytest.mark.parametrize(
    "piece", ["AA-", "’A", "A_", "一", "表1", "第1章", "§ 1 ", "Smith, ", "see ", "1.1-", "[", "a/"]
)
@pytest.mark.parametrize("read", [references, title_candidates])
def test_a_text_of_one_piece_costs_as_its_length(piece: str, read: Callable[[str], object]) -> None:
    assert growth(lambda size: read((piece * size)[:size]), 2_000, 8_000) < 10

"""What the bench of cutting counts: read within a budget, gold spans whole in it."""

from __future__ import annotations

import pytest
from bench.chunks import BUDGETS, Question, hybrid, reading, score, whole

from rove.records import Chunk

TEXT = "The quick brown fox jumps over the lazy dog today. " * 40


def chunk(start: int, end: int, parent: tuple[int, int] | None = None) -> Chunk:
    return Chunk(f"{start}", "d", TEXT[start:end], (start, end), 0, parent=parent)


def test_reading_stops_where_the_budget_is_full_and_reads_the_last_in_part() -> None:
    pieces = [chunk(0, 510), chunk(510, 1020), chunk(1020, 1530)]
    read = reading(pieces, 150, {})
    assert read[0] == ("d", (0, 510))
    assert read[1][1][0] == 510
    assert 510 < read[1][1][1] < 1020
    assert len(read) == 2


def test_a_parent_is_read_in_place_of_its_pieces_and_once() -> None:
    pieces = [chunk(0, 51, (0, 510)), chunk(51, 102, (0, 510)), chunk(510, 561, (510, 1020))]
    assert [span for _, span in reading(pieces, 10_000, {})] == [(0, 510), (510, 1020)]


def test_a_span_counts_only_where_all_of_it_was_read() -> None:
    pieces = [chunk(0, 510), chunk(511, 1020)]
    questions = [Question("q", "d", ((500, 600), (2000, 2010))), Question("r", "elsewhere", ((0, 10),))]
    found = score(pieces, [[0, 1], [0, 1]], questions)
    assert found.recall == (0.25,) * len(BUDGETS)
    assert found.precision == pytest.approx(100 / 1019 / 2)
    assert whole(pieces, questions[:1]) == 0.0
    assert whole([chunk(490, 610)], questions[:1]) == 0.5


def test_lists_are_fused() -> None:
    assert hybrid([[0, 1]], [[1, 2]]) == [[1, 0, 2]]

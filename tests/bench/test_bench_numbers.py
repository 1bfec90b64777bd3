"""The numbers of the tables, against values that were worked out by hand."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from bench.baselines import best, fuse, rrf
from bench.metrics import all_at, measure, verdict
from bench.peers import LANCEDB, PINS, read_pins, tabulate
from bench.quality import first_of_each
from bench.report import Table, cell, page
from bench.scale import recall
from bench.workload import SIZE_CHARS, chunks, pieces, queries


def test_measure_is_the_mean_over_all_queries_also_those_without_a_ranking():
    gold = {"q": {"a": 1, "b": 1}, "r": {"c": 1}}
    got = measure({"q": ["x", "a", "b"]}, gold)
    ideal = 1 + 1 / log2(3)
    assert got.ndcg == pytest.approx((1 / log2(3) + 1 / 2) / ideal / 2)
    assert got.recall == pytest.approx(0.5)
    assert got.mrr == pytest.approx(0.25)
    assert got.all_found == 0.5


def test_only_the_first_ten_count():
    ranking = [f"x{n}" for n in range(10)] + ["a"]
    got = measure({"q": ranking}, {"q": {"a": 1}})
    assert (got.ndcg, got.recall, got.mrr, got.all_found) == (0, 0, 0, 0)


def test_all_at_wants_every_gold_document():
    assert all_at(10, {"q": ["a"]}, {"q": {"a": 1, "b": 1}}) == 0
    assert all_at(10, {"q": ["b", "a"]}, {"q": {"a": 1, "b": 1}}) == 1


@pytest.mark.parametrize(("ours", "mark"), [(0.900, "="), (0.905, "="), (0.895, "="), (0.9051, "+"), (0.8949, "−")])
def test_verdict_at_its_edges(ours, mark):
    assert verdict(ours, 0.9) == mark


def test_fusion_is_reciprocal_rank_with_60():
    assert fuse([["a", "b"], ["c", "b"]]) == ["b", "a", "c"]
    assert rrf({"q": ["a"]}, {"q": []}) == {"q": ["a"]}


def test_best_breaks_ties_by_position_and_takes_what_there_is():
    assert best(np.array([0.5, 0.9, 0.9], np.float32), 10) == [1, 2, 0]


def test_the_first_chunk_of_a_document_stands_for_it():
    assert first_of_each(["b", "a", "b", *"cdefghijkl"]) == list("bacdefghij")


@pytest.mark.parametrize("text", ["one two three " * 60, "数据库索引" * 200, "Größenordnung " * 50, "", "   "])
def test_pieces_lose_no_character_but_white_space(text):
    cut = list(pieces(text))
    assert "".join("".join(cut).split()) == "".join(text.split())
    assert all(0 < len(piece) <= SIZE_CHARS for piece in cut)


@pytest.mark.data
def test_the_workload_is_distinct_deterministic_and_multilingual(shared_data):
    taken = chunks(200)
    assert len(set(taken)) == 200
    assert chunks(100) == taken[:100]
    assert any("\u4e00" <= c <= "\u9fff" for t in taken for c in t)
    assert len(set(queries(60))) == 60


def test_recall_counts_true_neighbours():
    assert recall([{"a", "b"}, set()], [{"a", "c"}, {"d", "e"}]) == 0.25


def test_every_peer_of_the_requirements_has_a_script_and_only_exact_pins():
    peers = read_pins(PINS.read_text("utf-8"))
    scripts = PINS.parents[1] / "bench" / "contestants"
    competing = {p.name for p in peers} - {"reading"}  # whose readers are three: bench.reading
    assert competing == {s.stem.removeprefix("peer_") for s in scripts.glob("peer_*.py")}
    assert all("==" in pin for p in peers for pin in p.pins)


def test_a_peer_that_could_not_run_is_named_with_its_reason_and_has_no_number():
    got = {"version": "v", "documents": 2, "ingest_seconds": 3.0, "search_ms_p50": 1.0, "search_ms_p95": 2.0}
    one = {**got, "peak_mb": 10.0, "disk_bytes": 20, "hits_per_query": 10}
    table = tabulate({LANCEDB: [one], "own_rove": [{**one, "ingest_seconds": 6.0}]}, {"peer_x": "no wheel"}, 2, 1)
    assert [row[2] for row in table.rows] == [1.0, 2.0, ""]
    assert table.rows[2][:2] == ["peer_x", "could not run"]
    assert table.rows[2][-1] == "no wheel"
    assert {len(row) for row in table.rows} == {len(table.columns)}


def test_the_page_names_command_machine_and_tables_and_no_cell_breaks_a_row():
    text = page("python -m bench all", [Table("T", ["a", "b"], [["x|y", 12345]], "n")])
    assert "`python -m bench all`" in text
    assert "cores" in text
    assert "| x/y | 12,345 |" in text
    assert cell(0.0) == "0"

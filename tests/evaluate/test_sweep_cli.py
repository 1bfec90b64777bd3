from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from rove.cli import rove

GRID = """
title = "Two ways"
metrics = ["rr"]
baseline = "keyword"
[factors.mode.keyword]
mode = "keyword"
[factors.mode.hybrid]
mode = "hybrid"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with documents, questions about them, a base of them, a dataset and a grid."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ROVE_KB", raising=False)
    monkeypatch.setenv("ROVE_EMBEDDER__NAME", "fake")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nLeave is approved by the head of unit.", "utf-8")
    (docs / "urlaub.md").write_text("# Urlaub\n\nUrlaub genehmigt die Leitung der Einheit.", "utf-8")
    (docs / "假期.md").write_text("# 假期\n\n假期由部门负责人批准。", "utf-8")
    rows = [
        "question,source",
        "Who approves leave?,leave.md",
        "Wer genehmigt Urlaub?,urlaub.md",
        "谁批准假期？,假期.md",
    ]
    (tmp_path / "questions.csv").write_text("\n".join(rows), "utf-8")
    data = tmp_path / "data"
    data.mkdir()
    corpus = [
        {"id": f"d{i}", "title": "", "text": text}
        for i, text in enumerate(["Cats purr.", "Dogs bark.", "犬が吠える。"])
    ]
    queries = [{"id": "q0", "text": "What purrs? Cats"}, {"id": "q1", "text": "Which dogs bark?"}]
    (data / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)), "utf-8")
    (data / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), "utf-8")
    (data / "qrels.tsv").write_text("q0\td0\t1\nq1\td1\t1\n", "utf-8")
    (tmp_path / "grid.toml").write_text(GRID, "utf-8")
    assert call("add", "docs").exit_code == 0
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(rove, list(arguments))


def test_eval_of_the_users_own_questions(place: Path) -> None:
    done = call("eval", "questions.csv", "--mode", "keyword", "--json", "--parquet", "rows.parquet")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["metrics"]["rr"] == {"mean": 1.0, "scored": 3}
    assert said["latency_s"]["p95"] >= said["latency_s"]["p50"] > 0
    assert pq.read_table("rows.parquet").num_rows == 3
    assert sorted(path.name for path in place.iterdir()) == [
        "data",
        "docs",
        "grid.toml",
        "kb",
        "questions.csv",
        "rows.parquet",
    ]


def test_answers_are_measured_too(place: Path) -> None:
    table = [
        "question,source,answer",
        "Who approves leave?,leave.md,the head of unit",
        "Wer genehmigt Urlaub?,urlaub.md,die Leitung",
        "谁批准假期？,假期.md,部门负责人",
    ]
    (place / "answers.csv").write_text("\n".join(table), "utf-8")
    done = call(
        "eval", "answers.csv", "--answers", "--json", "--set", "answer.max_distance=2", "--parquet", "a.parquet"
    )
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)["answers"]
    assert said["metrics"]["answer_match"] == {"mean": 1.0, "scored": 3}
    assert said["metrics"]["found_and_answered"]["mean"] == 1.0
    assert said["metrics"]["citation_recall"]["mean"] == 1.0
    assert said["usage"]["requests"] == 0
    assert pq.read_table("a.parquet").column("answer_match").to_pylist() == [1.0, 1.0, 1.0]
    with_model = call("eval", "answers.csv", "--answers", "--set", "chat.model=fake", "--price", "1", "2")
    assert with_model.exit_code == 0, with_model.output
    assert "tokens read" in with_model.stdout
    assert "which costs" in with_model.stdout


def test_eval_of_a_dataset_makes_a_base_of_its_own(place: Path) -> None:
    before = call("inspect", "--json").stdout
    done = call("eval", "data", "-m", "hit@1", "--mode", "keyword")
    assert done.exit_code == 0, done.output
    assert "hit@1\t1.0000\t2/2" in done.stdout
    assert (place / "eval-data" / "base").is_dir()
    assert call("inspect", "--json").stdout == before


def test_a_sweep_over_the_users_own_questions(place: Path) -> None:
    done = call("sweep", "grid.toml", "questions.csv")
    assert done.exit_code == 0, done.output
    assert "keyword (baseline)" in done.stdout
    assert "3/3" in done.stdout
    assert "谁批准假期" in (place / "sweep-grid" / "report.html").read_text("utf-8") or "hybrid" in done.stdout
    assert pq.read_table(place / "sweep-grid" / "results.parquet").num_rows == 6
    again = call("sweep", "grid.toml", "questions.csv", "--json")
    said = json.loads(again.stdout)
    assert said["estimate"]["searches"] == 0
    assert {line["name"] for line in said["configurations"]} == {"keyword", "hybrid"}


def test_the_starter_grid_runs_on_questions_about_a_base(place: Path) -> None:
    done = call("sweep", "starter", "questions.csv", "--limit", "2", "--out", "here", "--json")
    assert done.exit_code == 0, done.output
    assert len(json.loads(done.stdout)["configurations"]) == 12
    assert (place / "here" / "report.html").is_file()


def test_the_grid_of_forms_searches_in_each_of_them(place: Path) -> None:
    done = call("sweep", "forms", "questions.csv", "--limit", "2", "--out", "here", "--json")
    assert done.exit_code == 0, done.output
    forms = {line["name"] for line in json.loads(done.stdout)["configurations"]}
    assert forms == {"hybrid", "walk", "graph", "tree", "questions", "rewrite", "chain", "together"}


def test_a_dry_run_does_nothing(place: Path) -> None:
    done = call("sweep", "grid.toml", "data", "--dry-run", "--json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert (said["configurations"], said["bases"], said["chunks"], said["searches"]) == (2, 1, 3, 4)
    assert not (place / "sweep-grid" / "bases").exists()


def test_fresh_forgets_what_was_found(place: Path) -> None:
    assert call("sweep", "grid.toml", "data").exit_code == 0
    done = call("sweep", "grid.toml", "data", "--fresh", "--json")
    assert json.loads(done.stdout)["estimate"]["searches"] == 4


def test_settings_of_the_call_hold_for_all_configurations(place: Path) -> None:
    first = call("sweep", "grid.toml", "data", "--json")
    second = call("sweep", "grid.toml", "data", "--set", "chunk.size_chars=64", "--json")
    assert json.loads(first.stdout)["estimate"]["bases"] == 1
    assert json.loads(second.stdout)["estimate"]["bases"] == 1


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (("sweep", "no-grid", "data"), "starter"),
        (("sweep", "grid.toml"), "Give a folder"),
        (("sweep", "grid.toml", "nowhere"), "nowhere"),
        (("sweep", "grid.toml", "data", "-m", "ndgc@10"), "ndcg"),
        (("eval", "data", "-m", "rr@0"), "rr@10"),
        (("eval", "data", "-m", "span_recall@x"), "span_recall@5"),
        (("eval", "data", "--where", "=="), "NAME=VALUE"),
        (("eval", "data", "--mode", "psychic"), "hybrid"),
        (("eval", "questions.csv", "--kb", "empty-kb"), "rove add"),
    ],
)
def test_errors_name_the_cure(place: Path, arguments: tuple[str, ...], cure: str) -> None:
    done = call(*arguments)
    assert done.exit_code == 2
    assert cure in done.stderr
    assert "Traceback" not in done.output


def test_similarity_is_measured_by_its_name(place: Path) -> None:
    metrics = ("--metric", "similarity", "--metric", "similarity_best", "--metric", "similarity@1")
    done = call("eval", "questions.csv", *metrics, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)["metrics"]
    assert [told[name]["scored"] for name in ("similarity", "similarity_best", "similarity@1")] == [3, 3, 3]
    assert -1 <= told["similarity"]["mean"] < told["similarity_best"]["mean"] <= 1 + 1e-6
    # each document is one chunk, and comes first: what is found first is what was expected
    assert told["similarity_best"]["mean"] == pytest.approx(1.0, abs=1e-4)
    wrong = call("eval", "questions.csv", "--metric", "similarty")
    assert wrong.exit_code == 2
    assert "similarity" in wrong.output

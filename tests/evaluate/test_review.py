"""Reviews and judgements: what is said is kept at once, whoever says it, and a kill loses nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from rove.errors import InputError
from rove.evaluate.agreement import agreement
from rove.evaluate.dataset import read_dataset
from rove.evaluate.dataset.questions import read_records
from rove.evaluate.labels import Vote
from rove.evaluate.log import append, beside, read_log
from rove.evaluate.made import MadeQuestion, write_rows
from rove.evaluate.review import (
    Review,
    add_review,
    reviewed,
    reviews_of,
    settle,
    verdict_of,
    votes_of,
    waiting,
)
from rove.evaluate.runs import Ranked, add_label, pool, read_labels, read_run, unlabelled


@pytest.fixture(params=["made.jsonl", "made.csv"])
def made(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / request.param
    questions = [
        MadeQuestion(f"Question {n}, 質問?", "", f"d{n}", "a.md", (0, n + 1), "en", "heading") for n in range(3)
    ]
    write_rows(path, (question.row for question in questions))
    return path


def ids(path: Path) -> list[str]:
    return [row.text("id") for row in read_records(path)]


def test_each_annotator_sees_what_is_left_for_them(made: Path) -> None:
    first, second, third = ids(made)
    add_review(made, Review("ann", first, "yes"))
    add_review(made, Review("ann", second, "skip"))
    add_review(made, Review("bob", first, "no"))
    rows = list(read_records(made))
    assert [row.text("id") for row in waiting(rows, reviews_of(made), "ann")] == [third]
    assert [row.text("id") for row in waiting(rows, reviews_of(made), "bob")] == [second, third]


def test_the_last_word_of_each_counts_and_the_file_says_what_became_of_each_question(made: Path) -> None:
    first, second, third = ids(made)
    for review in (
        Review("ann", first, "no"),
        Review("ann", first, "yes", "Put better?"),
        Review("bob", first, "yes"),
        Review("ann", second, "no"),
        Review("bob", second, "skip"),
        Review("ann", third, "yes"),
        Review("bob", third, "no"),
    ):
        add_review(made, review)
    settle(made)
    rows = list(read_records(made))
    assert [row.text("status") for row in rows] == ["yes", "no", "unclear"]
    assert [row.text("question") for row in rows] == ["Put better?", "Question 1, 質問?", "Question 2, 質問?"]
    assert [question.question_id for question in read_dataset(made).questions] == [first, third]
    assert ids(made) == [first, second, third], "the file keeps what was rejected"
    found = agreement(votes_of(reviews_of(made)))
    assert (found.annotators, found.items, found.pairs) == (2, 2, 0.5)


def test_questions_that_nobody_has_seen_stay_new(made: Path) -> None:
    assert [row["status"] for row in reviewed(list(read_records(made)), [])] == ["new"] * 3
    assert verdict_of([]) == ""


def test_a_line_that_broke_off_is_lost_alone(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    append(path, {"n": 1})
    append(path, {"n": 2})
    with path.open("ab") as file:
        file.write('{"n": 3, "text": "何'.encode()[:-1])
    assert [row.values for row in read_log(path)] == [{"n": 1}, {"n": 2}]
    append(path, {"n": 4})
    assert [row.values["n"] for row in read_log(path)] == [1, 2, 4]
    path.write_text('{"n": 1}\nbroken\n{"n": 2}\n', encoding="utf-8")
    with pytest.raises(InputError, match="log.jsonl:2"):
        read_log(path)
    assert read_log(tmp_path / "nowhere") == []


TREC = "q1 Q0 d2 2 0.5 run\nq1 Q0 d1 1 0.9 run\n\nq2 Q0 d3 1 7 run\n"


def test_runs_of_three_kinds_are_read(tmp_path: Path) -> None:
    trec, lines, table = tmp_path / "run.txt", tmp_path / "run.jsonl", tmp_path / "run.parquet"
    trec.write_text(TREC, encoding="utf-8")
    lines.write_text(json.dumps({"question_id": "q1", "question": "?", "documents": ["d1", "d2"]}), encoding="utf-8")
    rows = [{"configuration": "a", "question_id": "q1", "question": "?", "ranking": ["d1", "d2"], "seconds": 0.1}]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), table)
    assert read_run(trec) == [Ranked("q1", "", ("d1", "d2")), Ranked("q2", "", ("d3",))]
    assert read_run(lines) == read_run(table) == [Ranked("q1", "?", ("d1", "d2"))]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("run.txt", "q1 d1 1\n", "run.txt:1"),
        ("run.txt", "q1 Q0 d1 1 high run\n", "six columns"),
        ("run.jsonl", '{"question_id": "q1", "documents": "d1"}\n', "'documents'"),
        ("run.jsonl", '{"documents": ["d1"]}\n', "'question_id'"),
    ],
)
def test_a_malformed_run_is_told(tmp_path: Path, name: str, text: str, says: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        read_run(path)


def test_a_pool_holds_each_document_once_in_an_order_that_tells_no_rank() -> None:
    runs = [Ranked("q", "", tuple(f"d{n}" for n in range(20))), Ranked("q", "?", ("d3", "x", "d19"))]
    found = pool(runs, 10)[0]
    assert sorted(found.documents) == sorted([*(f"d{n}" for n in range(10)), "x", "d19"])
    assert found.question == "?"
    assert [pooled.documents for pooled in pool(reversed(runs), 10)] == [found.documents]
    assert found.documents != sorted(found.documents, key=str)


def test_labels_are_kept_and_only_what_is_left_is_asked(tmp_path: Path) -> None:
    run = tmp_path / "run.txt"
    run.write_text(TREC, encoding="utf-8")
    pools = pool(read_run(run), 10)
    add_label(run, Vote("ann", "q1", "d1", 1))
    add_label(run, Vote("ann", "q2", "d3", None))
    assert read_labels(run) == [Vote("ann", "q1", "d1", 1), Vote("ann", "q2", "d3", None)]
    assert [name for _, name in unlabelled(pools, read_labels(run), "ann")] == ["d2"]
    assert len(unlabelled(pools, read_labels(run), "bob")) == 3
    append(beside(run, "labels"), {"annotator": "ann", "question_id": "q", "document_id": "d", "label": "1"})
    with pytest.raises(InputError, match="label"):
        read_labels(run)

"""Every registered metric and every layout of datasets keeps its contract."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from rove.evaluate.metrics import METRICS
from rove.testing import LayoutContract, MetricContract

CORPUS = [{"id": "d1", "text": "Leave is thirty days."}, {"id": "d2", "text": "休暇は三十日です。"}]
QUERIES = [{"id": "q1", "text": "How long is leave?"}, {"id": "q2", "text": "休暇は何日ですか"}]
VOTES = {
    "run": ["00", "00", "00", "02"],
    "query": ["Q?", "Q?", "Q?", "R?"],
    "reddit_name": ["t1_a", "t1_a", "t1_b", "t3_c"],
    "annotator": ["x", "y", "x", "x"],
    "label": [1, 1, 2, 3],
}


def lines(rows: list[dict[str, str]], key: str = "id") -> str:
    return "".join(json.dumps({**row, key: row["id"]}, ensure_ascii=False) + "\n" for row in rows)


class TestBeir(LayoutContract):
    name = "beir"

    def write(self, folder: Path) -> Path:
        (folder / "qrels").mkdir()
        (folder / "corpus.jsonl").write_text(lines(CORPUS, "_id"), "utf-8")
        (folder / "queries.jsonl").write_text(lines(QUERIES, "_id"), "utf-8")
        (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\nq2\td2\t1\n")
        return folder


class TestFolder(LayoutContract):
    name = "folder"

    def write(self, folder: Path) -> Path:
        (folder / "corpus.jsonl").write_text(lines(CORPUS), "utf-8")
        (folder / "queries.jsonl").write_text(lines(QUERIES), "utf-8")
        (folder / "qrels.tsv").write_text("q1\td1\t1\nq2\td2\t1\n")
        return folder


class TestQuestions(LayoutContract):
    name = "questions"

    def write(self, folder: Path) -> Path:
        file = folder / "questions.csv"
        file.write_text("question,source\nHow long is leave?,leave.md\n休暇は何日ですか,休暇.md\n", "utf-8")
        return file


class TestVotes(LayoutContract):
    name = "votes"

    def write(self, folder: Path) -> Path:
        pq.write_table(pa.table({"reddit_name": ["t1_a"]}), folder / "posts.parquet")
        pq.write_table(pa.table(VOTES), folder / "labels.parquet")
        return folder


def suite(name: str) -> type[MetricContract]:
    return type(f"Test_{name}", (MetricContract,), {"name": name, "__module__": __name__})


globals().update({made.__name__: made for made in map(suite, METRICS.table)})

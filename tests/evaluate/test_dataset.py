"""Datasets: each layout is read, and whatever is malformed is told with file, line and cure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rove.errors import ConfigError, InputError
from rove.evaluate.dataset import Dataset, GoldSpan, Question, check_dataset, crossed, read_dataset
from rove.evaluate.dataset.resolve import resolve
from rove.records import DocumentInfo, Text
from rove.sync import Rove

CORPUS = [
    {"_id": "d1", "title": "Leave", "text": "Leave is thirty days.", "year": 2021, "tags": ["hr"], "parts": [{"a": 1}]},
    {"_id": "d2", "title": "休暇", "text": "休暇は三十日です。"},
    {"_id": "d3", "title": "Only a title", "text": ""},
    {"_id": "d4", "title": "", "text": " "},
]
QUERIES = [{"_id": "q1", "text": "How long is leave?"}, {"_id": "q2", "text": "休暇は何日ですか"}]


def write_lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "qrels").mkdir(parents=True)
    write_lines(folder / "corpus.jsonl", CORPUS)
    write_lines(folder / "queries.jsonl", [*QUERIES, {"_id": "q3", "text": "of another split"}])
    qrels = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td3\t0\nq2\td2\t1\n"
    (folder / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8")
    return folder


def own(folder: Path, qrels: str = "q1\td1\t1\n") -> Path:
    folder.mkdir(exist_ok=True)
    write_lines(folder / "corpus.jsonl", [{**row, "id": row["_id"]} for row in CORPUS])
    write_lines(folder / "queries.jsonl", [{"id": row["_id"], "text": row["text"]} for row in QUERIES])
    (folder / "qrels.tsv").write_text(qrels, encoding="utf-8")
    return folder


def test_beir(beir: Path) -> None:
    found = read_dataset(beir)
    assert found.questions == (
        Question("q1", "How long is leave?", (), "en"),
        Question("q2", "休暇は何日ですか", (), "ja"),
    )
    assert found.gold == {"q1": {"d1": 2, "d3": 0}, "q2": {"d2": 1}}
    texts = list(found.documents)
    assert texts[0] == Text("Leave is thirty days.", "d1", "Leave", {"year": 2021, "tags": ("hr",)})
    assert [text.text for text in texts] == ["Leave is thirty days.", "休暇は三十日です。", "Only a title"]
    assert list(found.documents) == texts, "documents can be gone through again"
    check_dataset(found)


def test_own_layout_with_language_of_the_set_answers_and_spans(tmp_path: Path) -> None:
    folder = own(tmp_path / "set")
    (folder / "META.json").write_text('{"lang": "zh-Hans"}', encoding="utf-8")
    reference = {"content": "thirty days", "start_index": 9, "end_index": 20}
    query = {"id": "q1", "text": "12?", "answers": ["thirty"], "corpus_id": "d1", "references": [reference]}
    write_lines(folder / "queries.jsonl", [query])
    found = read_dataset(folder)
    assert found.questions == (Question("q1", "12?", ("thirty",), "zh"),)
    assert found.spans == {"q1": (GoldSpan("d1", (9, 20)),)}
    check_dataset(found)


def test_questions_of_one_set_are_asked_of_another(tmp_path: Path) -> None:
    asked, answering = own(tmp_path / "de"), own(tmp_path / "en")
    write_lines(answering / "corpus.jsonl", [{"id": "d1", "title": "", "text": "Other words."}])
    found = read_dataset(asked, corpus=answering)
    assert found.name == "de>en"
    assert [text.text for text in found.documents] == ["Other words."]
    assert found.gold == {"q1": {"d1": 1}}
    assert crossed(read_dataset(asked), read_dataset(answering)) == found


@pytest.mark.parametrize("name", ["questions.csv", "questions.tsv", "fragen.csv", "questions.jsonl"])
def test_a_file_of_questions(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    rows = [("How long?", "a.md; b.md", "thirty days"), ("多久？", "d2", ""), ("Rejected?", "d2", "")]
    if name.endswith("jsonl"):
        lines = [{"question": q, "source": s.split("; "), "answer": a, "status": "no" if q == "Rejected?" else "new"}
                 for q, s, a in rows]  # fmt: skip
        write_lines(path, lines)
    else:
        mark = {"questions.csv": ",", "questions.tsv": "\t", "fragen.csv": ";"}[name]
        lines = [("Question", "source", "answer", "status"), *((*row, "no" * (row[0] == "Rejected?")) for row in rows)]
        path.write_text("\ufeff" + "\r\n".join(mark.join(f'"{c}"' for c in line) for line in lines), encoding="utf-8")
    found = read_dataset(path)
    assert found.questions == (Question("q1", "How long?", ("thirty days",), "en"), Question("q2", "多久？", (), "zh"))
    assert found.sources == {"q1": ("a.md", "b.md"), "q2": ("d2",)}
    assert (list(found.documents), found.gold) == ([], {})


def info(document_id: str, source: str, title: str) -> DocumentInfo:
    return DocumentInfo(document_id, source, "text", title, "en", 1, "")


INFOS = [
    info("d1", "/docs/hr/leave.md", "Leave"),
    info("d2", "/docs/it/leave.md", "Account of leavers"),
    info("d3", "https://example.org/a", "休暇"),
]


@pytest.mark.parametrize(
    ("name", "document_id"),
    [("d2", "d2"), ("/docs/hr/leave.md", "d1"), ("hr/leave.md", "d1"), ("休暇", "d3"), ("account of  LEAVERS", "d2"),
     ("https://example.org/a", "d3")],
)  # fmt: skip
def test_a_source_is_named_by_id_path_end_of_path_or_title(name: str, document_id: str) -> None:
    dataset = Dataset("set", (Question("q", "?"),), sources={"q": (name,)}, spans={"q": (GoldSpan(name, (0, 2)),)})
    found = resolve(dataset, INFOS)
    assert found.gold == {"q": {document_id: 1}}
    assert found.spans["q"][0].document_id == document_id


@pytest.mark.parametrize("name", ["leave.md", "eave.md", "nothing"])
def test_a_name_that_fits_none_or_several_is_an_error(name: str) -> None:
    with pytest.raises(InputError, match=name) as caught:
        resolve(Dataset("set", (Question("q", "?"),), sources={"q": (name,)}), INFOS)
    assert "rove inspect" in caught.value.cure


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("queries.jsonl", '{"id": "q1", "text": "?"}\n{broken\n', "queries.jsonl:2"),
        ("queries.jsonl", '["q1"]\n', "not a JSON object"),
        ("queries.jsonl", '{"id": "q1"}\n', "'text'"),
        ("queries.jsonl", '{"id": "q1", "text": "  "}\n', "'text'"),
        ("queries.jsonl", '{"id": "q1", "text": ["?"]}\n', "not text"),
        ("queries.jsonl", '{"id": "q1", "text": "a"}\n{"id": "q1", "text": "b"}\n', "'q1'"),
        ("queries.jsonl", '{"id": "q1", "text": "a", "answers": 3}\n', "'answers'"),
        ("queries.jsonl", '{"id": "q1", "text": "a", "corpus_id": "d1", "references": [{}]}', "start_index"),
        ("queries.jsonl", '{"id": "q2", "text": "a"}\n', "'q1'"),
        ("qrels.tsv", "q1\td1\n", "qrels.tsv:1"),
        ("qrels.tsv", "q1 d1 1\n", "cells"),
        ("qrels.tsv", "q1\td1\thigh\n", "'high'"),
        ("qrels.tsv", "q1\tnowhere\t1\n", "'nowhere'"),
        ("corpus.jsonl", '{"id": "d1", "text": "a"}\n{"id": "d1", "text": "b"}\n', "'d1'"),
        ("corpus.jsonl", '{"text": "a"}\n', "'id'"),
        ("META.json", "{", "META.json"),
    ],
)  # fmt: skip
def test_what_is_malformed_is_told(tmp_path: Path, file: str, text: str, says: str) -> None:
    folder = own(tmp_path / "set")
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says) as caught:
        check_dataset(read_dataset(folder))
    assert caught.value.cure


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "no header"),
        (b"question,source\n", "no question"),
        (b"frage,source\nx,y\n", "'question'"),
        (b"question,source\na,b,c\n", "3 cells"),
        (b'question,source\n"a,b\n', "quotes"),
        (b"question,source,start,end\na,b,9,3\n", "no span"),
        (b"question,source\n\xff\xfe,b\n", "UTF-8"),
        (b"id,question,source\n1,a,b\n1,c,d\n", "'1'"),
    ],
)
def test_what_is_malformed_in_a_table_is_told(tmp_path: Path, text: bytes, says: str) -> None:
    path = tmp_path / "questions.csv"
    path.write_bytes(text)
    with pytest.raises(InputError, match=says) as caught:
        read_dataset(path)
    assert caught.value.cure


def test_what_is_no_dataset_is_told(tmp_path: Path, beir: Path) -> None:
    for path in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(InputError, match="corpus"):
            read_dataset(path)
    with pytest.raises(ConfigError, match="trec"):
        read_dataset(beir, layout="trec")
    (beir / "qrels" / "test.tsv").unlink()
    with pytest.raises(InputError, match=r"qrels/test\.tsv"):
        read_dataset(beir)


def test_a_broken_parquet_corpus_is_told(tmp_path: Path) -> None:
    folder = own(tmp_path / "set")
    (folder / "corpus.jsonl").unlink()
    (folder / "corpus.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(InputError, match="parquet"):
        list(read_dataset(folder).documents)


@pytest.mark.data
def test_every_shared_set_is_read_whole(shared_data: Path) -> None:
    folders = sorted((shared_data / "retrieval").iterdir())
    assert len(folders) >= 17
    for folder in folders:
        found = read_dataset(folder)
        meta = json.loads((folder / "META.json").read_text("utf-8"))
        assert len(found.questions) == meta["queries"]
        gold = meta["qrels"] if "qrels" in meta else round(meta["gold_per_query"] * meta["queries"])
        assert sum(len(grades) for grades in found.gold.values()) == gold
        assert all(question.language == meta["lang"][:2] for question in found.questions)
        check_dataset(found)


@pytest.mark.data
def test_exact_spans_are_those_of_the_text_that_a_base_keeps(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "retrieval" / "chunk_spans"
    found = read_dataset(folder)
    contents = {
        row["id"]: [reference["content"] for reference in row["references"]]
        for row in map(json.loads, (folder / "queries.jsonl").read_text("utf-8").splitlines())
    }
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        assert not kb.add(*found.documents).failed
        texts = {text.id: kb.text(text.id) for text in found.documents}
    for question_id, spans in found.spans.items():
        said = [texts[gold.document_id][slice(*gold.span)] for gold in spans]
        assert said == contents[question_id]

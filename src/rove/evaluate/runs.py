"""Runs to be judged: rankings in a TREC run file, in JSON lines or of a sweep; and the pool of what they found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rove.evaluate.dataset.dataset_lines import DatasetRow, bad, is_texts, read_json_lines, read_parquet
from rove.evaluate.labels import Vote
from rove.evaluate.log import append, beside, read_log
from rove.records import content_hash


@dataclass(frozen=True, slots=True)
class Ranked:
    """One ranking: the question's id and text ("" where the file does not say), and document ids, best first."""

    question_id: str
    question: str
    documents: tuple[str, ...]


@dataclass(slots=True)
class Pooled:
    """A question and the documents that any run found for it, each once, in an order that tells no rank."""

    question_id: str
    question: str
    documents: list[str] = field(default_factory=list[str])


def read_run(path: Path) -> list[Ranked]:
    """Read rankings: parquet as a sweep writes it; .jsonl {question_id, question, documents}; else TREC's six columns.

    Raises:
        InputError: the file is not there, or malformed.
    """
    if path.suffix == ".parquet":
        return [_ranking_from_row(row, "ranking") for row in read_parquet(path)]
    if path.suffix == ".jsonl":
        return [_ranking_from_row(row, "documents") for row in read_json_lines(path)]
    return list(_trec(path))


def pool(rankings: Iterable[Ranked], depth: int) -> list[Pooled]:
    """Put together the first `depth` documents of every ranking of a question, in the order of their hashes.

    >>> [found.documents for found in pool([Ranked("q", "?", ("a", "b", "c")), Ranked("q", "?", ("d",))], 2)]
    [['d', 'b', 'a']]
    """
    pools: dict[str, Pooled] = {}
    for ranking in rankings:
        found = pools.setdefault(ranking.question_id, Pooled(ranking.question_id, ranking.question))
        found.question = found.question or ranking.question
        found.documents = list(dict.fromkeys([*found.documents, *ranking.documents[:depth]]))
    for found in pools.values():
        found.documents.sort(key=lambda name: content_hash(found.question_id, name))
    return list(pools.values())


def read_labels(path: Path) -> list[Vote]:
    """Read the labels that were given to what a run found.

    Raises:
        InputError: the file of labels is malformed.
    """
    return [
        Vote(row.text("annotator"), row.text("question_id"), row.text("document_id"), _vote_label(row))
        for row in read_log(beside(path, "labels"))
    ]


def add_label(path: Path, vote: Vote) -> None:
    """Keep a label, at once.

    Raises:
        InputError: it cannot be written.
    """
    values = {"annotator": vote.annotator, "question_id": vote.question_id, "document_id": vote.document_id}
    append(beside(path, "labels"), {**values, "label": vote.label})


def unlabelled(pools: Sequence[Pooled], votes: Sequence[Vote], annotator: str) -> list[tuple[Pooled, str]]:
    """Return the questions and documents that an annotator has not seen yet."""
    seen = {(vote.question_id, vote.document_id) for vote in votes if vote.annotator == annotator}
    return [(found, name) for found in pools for name in found.documents if (found.question_id, name) not in seen]


def _vote_label(row: DatasetRow) -> int | None:
    label = row.values.get("label")
    if label is None or (isinstance(label, int) and not isinstance(label, bool)):
        return label
    raise bad(row.place, f"the label {label!r} is not a whole number", "Write 1, 2, 3 or null.")


def _ranking_from_row(row: DatasetRow, column: str) -> Ranked:
    documents = row.values.get(column)
    if not is_texts(documents):
        raise bad(row.place, f"{column!r} is not a list of document ids", 'Write ["id", …], best first.')
    return Ranked(row.text("question_id"), row.text("question", empty=True), tuple(documents))


def _trec(path: Path) -> Iterator[Ranked]:
    """Yield the rankings of a TREC run: question id, Q0, document id, rank, score, name of the run."""
    found: dict[str, list[tuple[float, str]]] = {}
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise bad(str(path), f"the run cannot be read ({error})", "Give a TREC run, a .jsonl or a .parquet.") from error
    for number, line in enumerate(lines, 1):
        cells = line.split()
        if not cells:
            continue
        try:
            question_id, _, document_id, _, score, _ = cells
            found.setdefault(question_id, []).append((-float(score), document_id))
        except ValueError as error:
            what = "not the six columns of a TREC run"
            raise bad(f"{path}:{number}", what, "Write: question Q0 document rank score name.") from error
    for question_id, scored in found.items():
        yield Ranked(question_id, "", tuple(name for _, name in sorted(scored, key=lambda pair: pair[0])))

"""Folders of corpus.jsonl (or .parquet), queries.jsonl, qrels.tsv without a header and, if there is one, META.json."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from rove.errors import InputError
from rove.evaluate.dataset import Dataset, GoldSpan
from rove.evaluate.dataset.dataset_lines import DatasetRow, bad, read_qrels
from rove.evaluate.dataset.texts import Texts, corpus_of, read_questions
from rove.foreign import read_json

QUESTIONS, QRELS, META = "queries.jsonl", "qrels.tsv", "META.json"


class FolderLayout:
    """See `Layout`. Questions may name their exact words: `references` {start_index, end_index} in `corpus_id`."""

    def matches(self, path: Path) -> bool:
        """See `Layout.matches`."""
        return corpus_of(path) is not None and (path / QUESTIONS).is_file()

    def read(self, path: Path) -> Dataset:
        """See `Layout.read`."""
        corpus = corpus_of(path)
        missing = [name for name in (QUESTIONS, QRELS) if not (path / name).is_file()]
        if corpus is None or missing:
            message = f"The folder {path} has no {missing[0] if missing else 'corpus.jsonl'}."
            raise InputError(message, cure=f"Lay it out as corpus.jsonl, {QUESTIONS} and {QRELS}.")
        questions = read_questions(path / QUESTIONS, _meta_language(path / META))
        gold = read_qrels(path / QRELS, header=False)
        for question_id in gold:
            if question_id not in questions:
                raise bad(str(path / QRELS), f"it names the question {question_id!r}", f"Add it to {QUESTIONS}.")
        spans = {question_id: found for question_id, (_, row) in questions.items() if (found := _reference_spans(row))}
        texts = Texts(corpus, plain=bool(spans))
        return Dataset(path.name, tuple(question for question, _ in questions.values()), texts, gold, spans)


def _meta_language(meta: Path) -> str:
    """Return the two letters of the set's language; "" where it does not say."""
    if not meta.is_file():
        return ""
    try:
        said = read_json(meta.read_bytes(), nan=True)
    except ValueError as error:
        raise bad(str(meta), f"this is not JSON ({error})", "Correct it, or take it away.") from error
    known = cast("dict[str, object]", said) if isinstance(said, dict) else {}
    return str(known.get("lang") or "").partition("-")[0]


def _reference_spans(row: DatasetRow) -> tuple[GoldSpan, ...]:
    references = row.values.get("references")
    if not isinstance(references, list):
        return ()
    document_id = row.text("corpus_id")
    return tuple(_to_gold_span(row.place, document_id, reference) for reference in cast("list[object]", references))


def _to_gold_span(place: str, document_id: str, reference: object) -> GoldSpan:
    known = cast("dict[str, object]", reference) if isinstance(reference, dict) else {}
    start, end = known.get("start_index"), known.get("end_index")
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end:
        raise bad(
            place, "a reference has no valid start_index and end_index", "Give offsets in characters, end excluded."
        )
    return GoldSpan(document_id, (start, end))

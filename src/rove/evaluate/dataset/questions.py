"""Files of questions with the sources that should answer them (CSV, or JSON lines), about a base that exists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from rove.evaluate.dataset import Dataset, GoldSpan, Question
from rove.evaluate.dataset.dataset_lines import DatasetRow, bad, read_json_lines, read_table
from rove.language.detect import detect

SUFFIXES = (".csv", ".tsv", ".jsonl")
REJECTED = "no"
MOST_DIGITS = 12


class QuestionsLayout:
    """See `Layout`.

    Columns: question and source (an id, path or title; several with ";"). Where known: id, answer (in a table several
    with ";"), language, status; document_id, which then counts instead of source; start and end of the words that
    answer, in characters. What a review has rejected (status "no") is left out.
    """

    def matches(self, path: Path) -> bool:
        """See `Layout.matches`."""
        return path.is_file() and path.suffix.casefold() in SUFFIXES

    def read(self, path: Path) -> Dataset:
        """See `Layout.read`."""
        questions: dict[str, Question] = {}
        sources: dict[str, tuple[str, ...]] = {}
        spans: dict[str, tuple[GoldSpan, ...]] = {}
        for row in without_rejected(read_records(path)):
            question = _question_from_row(row, len(questions) + 1)
            if question.question_id in questions:
                raise bad(row.place, f"a second question has the id {question.question_id!r}", "Give each its own id.")
            questions[question.question_id] = question
            sources[question.question_id] = several(row, "document_id") or several(row, "source", "sources")
            if span := _gold_span_from_row(row):
                spans[question.question_id] = (span,)
        if not questions:
            raise bad(str(path), "it holds no question", "Write one a row, under the columns question and source.")
        return Dataset(path.stem, tuple(questions.values()), spans=spans, sources=sources)


def read_records(path: Path) -> Iterator[DatasetRow]:
    """Read the file's records.

    Raises:
        InputError: the file is malformed.
    """
    suffix = path.suffix.casefold()
    if suffix == ".jsonl":
        return read_json_lines(path)
    return read_table(path, delimiter="\t" if suffix == ".tsv" else ",")


def without_rejected(rows: Iterable[DatasetRow]) -> Iterator[DatasetRow]:
    """Leave out what a review has rejected."""
    return (row for row in rows if row.text("status", empty=True) != REJECTED)


def several(row: DatasetRow, *names: str) -> tuple[str, ...]:
    """Return a field's texts: a list, or one text with ";" between them.

    >>> several(DatasetRow("", {"source": "a.md; b.md"}), "source")
    ('a.md', 'b.md')
    """
    found = row.texts(*names)
    return tuple(part.strip() for part in found[0].split(";") if part.strip()) if len(found) == 1 else found


def _question_from_row(row: DatasetRow, number: int) -> Question:
    text = row.text("question", "text").strip()
    answers = row.texts("answers") or (
        several(row, "answer") if ";" in row.text("answer", empty=True) else row.texts("answer")
    )
    language = row.text("language", empty=True) or detect(text)
    return Question(row.text("id", empty=True) or f"q{number}", text, answers, language)


def _gold_span_from_row(row: DatasetRow) -> GoldSpan | None:
    start, end = row.text("start", empty=True), row.text("end", empty=True)
    if not start and not end:
        return None
    known = start.isdecimal() and end.isdecimal() and max(len(start), len(end)) <= MOST_DIGITS
    if not known or int(start) >= int(end):
        raise bad(
            row.place, f"start {start!r} and end {end!r} are no span", "Give offsets in characters, end excluded."
        )
    return GoldSpan(row.text("document_id", "source"), (int(start), int(end)))

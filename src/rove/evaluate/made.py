"""Questions made from a base's own documents: what each is, and the file that a review and `read_dataset` read."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rove.errors import InputError
from rove.records.document import Span

NEW = "new"
COLUMNS = (
    "id", "question", "answer", "source", "document_id", "start", "end", "language", "made_by", "status",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question, and the words of a document that answer it: `span` of its canonical text.

    `made_by`: "heading", "title", "caption", "row", or the chat model's name. `answer`: "" where the span says it all.
    """

    question: str
    answer: str
    document_id: str
    source: str
    span: Span
    language: str
    made_by: str

    @property
    def question_id(self) -> str:
        """An id from the question and what it is about: the same one is made again from the same base."""
        start, end = self.span
        told = f"{self.document_id}\0{start}:{end}\0{self.question}"
        return hashlib.sha1(told.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:12]

    @property
    def row(self) -> dict[str, str]:
        """The question as a line of the file: column → text."""
        values = (
            self.question_id, self.question, self.answer, self.source, self.document_id,
            str(self.span[0]), str(self.span[1]), self.language, self.made_by, NEW,
        )  # fmt: skip
        return dict(zip(COLUMNS, values, strict=True))


def write_rows(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Write a file of questions: a table where the name ends in .csv or .tsv, else lines of JSON. Whole, or not at all.

    Raises:
        InputError: the name has another ending, or its folder is not there.
    """
    suffix = path.suffix.casefold()
    if suffix not in {".csv", ".tsv", ".jsonl"}:
        message = f"{path} is not a name for a file of questions."
        raise InputError(message, cure="Let it end in .jsonl, .csv or .tsv.")
    rows = list(rows)
    if suffix == ".jsonl":
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    else:
        buffer = io.StringIO()
        columns = list(dict.fromkeys([*COLUMNS, *(name for row in rows for name in row)]))
        writer = csv.DictWriter(buffer, columns, delimiter="\t" if suffix == ".tsv" else ",", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        text = buffer.getvalue()
    unfinished = path.with_name(f"{path.name}.part")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}."
        raise InputError(message, cure="Give a folder that is there, and that you may write to.") from error

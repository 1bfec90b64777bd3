"""The documents of a corpus file, read anew each time they are gone through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rove.evaluate.dataset import Question
from rove.evaluate.dataset.dataset_lines import DatasetRow, bad, read_json_lines, read_parquet
from rove.language.detect import detect
from rove.records import Text

HEADING = re.compile(r"^#{1,3} ", re.M)
OWN = ("_id", "id", "title", "text", "metadata")
CORPUS = ("corpus.jsonl", "corpus.parquet")


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts of a corpus file: {id or _id, title, text}; all else that can be is metadata.

    A document without text has its title as text; one without either is left out. Texts with headings are markdown,
    unless they are to be `plain`, so that spans count from their first character whatever they hold.
    """

    path: Path
    plain: bool = False

    def __iter__(self) -> Iterator[Text]:
        for row in read_parquet(self.path) if self.path.suffix == ".parquet" else read_json_lines(self.path):
            title = row.text("title", empty=True)
            text = row.text("text", empty=True) or title
            if text:
                kind = "markdown" if HEADING.search(text) and not self.plain else "text"
                yield Text(text, id=row.text("_id", "id"), title=title, metadata=row.metadata(*OWN), kind=kind)


def corpus_of(folder: Path) -> Path | None:
    """Return the folder's corpus file, if it has one."""
    return next((folder / name for name in CORPUS if (folder / name).is_file()), None)


def read_questions(path: Path, language: str = "") -> dict[str, tuple[Question, DatasetRow]]:
    """Read lines {id or _id, text, answers?, language?}: id → question, and the line for what else it holds.

    Raises:
        InputError: a line is malformed, or two have one id.
    """
    found: dict[str, tuple[Question, DatasetRow]] = {}
    for row in read_json_lines(path):
        question_id, text = row.text("_id", "id"), row.text("text")
        if question_id in found:
            raise bad(row.place, f"a second question has the id {question_id!r}", "Give each question its own id.")
        own = row.text("language", empty=True) or language or detect(text)
        found[question_id] = (Question(question_id, text, row.texts("answers"), own), row)
    return found

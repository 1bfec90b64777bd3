"""A layout of datasets: a file of questions, each with its answer behind a tab, as *.faq."""

from __future__ import annotations

from pathlib import Path

from rove.errors import InputError
from rove.evaluate.dataset import Dataset, Question
from rove.records import Text


class FaqLayout:
    """See `rove.evaluate.dataset.Layout`."""

    def matches(self, path: Path) -> bool:
        """See `Layout.matches`."""
        return path.suffix == ".faq" and path.is_file()

    def read(self, path: Path) -> Dataset:
        """See `Layout.read`."""
        rows = [line.partition("\t") for line in path.read_text("utf-8", "replace").splitlines()]
        if not rows or not all(question.strip() and answer.strip() for question, _, answer in rows):
            message = f"{path} has a line that is no question, tab, answer."
            raise InputError(message, cure="Write one question a line, a tab, and its answer.")
        questions = tuple(Question(f"q{n}", question) for n, (question, _, _) in enumerate(rows))
        documents = [Text(answer, id=f"a{n}") for n, (_, _, answer) in enumerate(rows)]
        return Dataset(path.stem, questions, documents, {f"q{n}": {f"a{n}": 1} for n in range(len(rows))})

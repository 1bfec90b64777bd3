"""BEIR folders: corpus.jsonl and queries.jsonl with `_id`, qrels/<split>.tsv with a header (Thakur et al., 2021)."""

from __future__ import annotations

from pathlib import Path

from rove.errors import InputError
from rove.evaluate.dataset import Dataset
from rove.evaluate.dataset.dataset_lines import bad, read_qrels
from rove.evaluate.dataset.texts import Texts, corpus_of, read_questions

SPLITS = ("test", "dev", "train")


class BeirLayout:
    """See `Layout`. Of the splits the first of test, dev and train counts, and only questions that it names."""

    def matches(self, path: Path) -> bool:
        """See `Layout.matches`."""
        return corpus_of(path) is not None and (path / "qrels").is_dir()

    def read(self, path: Path) -> Dataset:
        """See `Layout.read`."""
        corpus = corpus_of(path)
        qrels = next((file for split in SPLITS if (file := path / "qrels" / f"{split}.tsv").is_file()), None)
        if corpus is None or qrels is None:
            missing = "corpus.jsonl" if corpus is None else f"qrels/{SPLITS[0]}.tsv"
            message = f"The BEIR folder {path} has no {missing}."
            raise InputError(message, cure="Lay it out as corpus.jsonl, queries.jsonl and qrels/test.tsv.")
        gold = read_qrels(qrels, header=True)
        questions = read_questions(path / "queries.jsonl")
        for question_id in gold:
            if question_id not in questions:
                raise bad(
                    str(qrels), f"it names the question {question_id!r}", "Add it to queries.jsonl, or leave it out."
                )
        asked = tuple(question for question_id, (question, _) in questions.items() if question_id in gold)
        return Dataset(path.name, asked, Texts(corpus), gold)

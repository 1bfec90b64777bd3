"""Datasets: documents, questions, and which documents (and words) answer which question. One file per layout.

A new layout is one file with a `Layout` and one line in `DATASETS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, cast

from rove.errors import InputError
from rove.records import Text
from rove.records.document import Span
from rove.registry import Registry

UNKNOWN_LANGUAGE = "und"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and any of the answers that would do (none: not known). `language` is ISO 639-1 or "und"."""

    question_id: str
    text: str
    answers: tuple[str, ...] = ()
    language: str = UNKNOWN_LANGUAGE


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """Exact words that answer: a span of the document's canonical text."""

    document_id: str
    span: Span


@dataclass(frozen=True, slots=True)
class Dataset:
    """What a configuration is measured on.

    `documents` can be gone through again and again, and are read each time: texts, or paths to add; none where the
    questions are about a base that exists. `gold`: question id → document id → grade. `spans`: question id → the exact
    words, where they are known. `sources`: question id → names of expected documents (ids, paths, titles), which
    `resolve` turns into `gold` once it is known what is in the base.
    """

    name: str
    questions: tuple[Question, ...]
    documents: Iterable[Text | Path] = ()
    gold: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])
    spans: Mapping[str, tuple[GoldSpan, ...]] = field(default_factory=dict[str, tuple[GoldSpan, ...]])
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


class Layout(Protocol):
    """Reads one way of laying out a dataset. Built as `Layout()`."""

    def matches(self, path: Path) -> bool:
        """Say, from names alone, whether what is there has this layout."""
        ...

    def read(self, path: Path) -> Dataset:
        """Read it.

        Raises:
            InputError: something in it is malformed; the message names file, line and cure.
        """
        ...


DATASETS = Registry(
    "dataset layout",
    "rove.datasets",
    {
        "beir": "rove.evaluate.dataset.beir:BeirLayout",
        "folder": "rove.evaluate.dataset.folder:FolderLayout",
        "questions": "rove.evaluate.dataset.questions:QuestionsLayout",
        "votes": "rove.evaluate.dataset.votes:VotesLayout",
    },
)


def read_dataset(path: str | Path, *, corpus: str | Path | None = None, layout: str = "") -> Dataset:
    """Read a dataset; its layout is told by what is there, unless it is named.

    Args:
        path: a folder (corpus, queries and qrels, as BEIR or `shared/data/retrieval` has them) or a file of questions
            with their expected sources (CSV, or JSON lines).
        corpus: another dataset, whose documents are searched instead, e.g. the same ones in another language.
        layout: a name in `DATASETS`.

    Raises:
        InputError: nothing is there, no layout fits, or something is malformed.
        ConfigError: no layout has that name.
    """
    found = _read_with_layout(Path(path), layout)
    return found if corpus is None else crossed(found, _read_with_layout(Path(corpus), layout))


def crossed(asked: Dataset, answering: Dataset) -> Dataset:
    """Return the questions of one dataset with the documents of another one that has the same ids.

    Spans are left out, since the documents have other words.
    """
    name = f"{asked.name}>{answering.name}"
    return replace(asked, name=name, documents=answering.documents, spans={})


def check_dataset(dataset: Dataset) -> None:
    """Read the documents once, and check the gold against them.

    Raises:
        InputError: two documents have one id, the gold names one that is not there, or a span stands outside it.
    """
    lengths = _corpus_text_lengths(dataset)
    if not lengths:
        return
    for question_id, grades in dataset.gold.items():
        for document_id in grades:
            if document_id not in lengths:
                message = f"{dataset.name}: question {question_id!r} expects {document_id!r}, which is no document."
                raise InputError(message, cure="Correct the id in the qrels, or add the document to the corpus.")
    for question_id, spans in dataset.spans.items():
        for gold in spans:
            if not 0 <= gold.span[0] < gold.span[1] <= lengths.get(gold.document_id, 0):
                message = f"{dataset.name}: a span of question {question_id!r} is not in {gold.document_id!r}."
                raise InputError(message, cure="Give start and end as offsets into the document's text, in characters.")


def _corpus_text_lengths(dataset: Dataset) -> dict[str, int]:
    """Return the size of each document that is given as a text, in characters."""
    lengths: dict[str, int] = {}
    for text in dataset.documents:
        if isinstance(text, Path):
            continue
        if text.id in lengths:
            message = f"{dataset.name}: two documents have the id {text.id!r}."
            raise InputError(message, cure="Give every document its own id.")
        lengths[text.id] = len(text.text)
    return lengths


def _read_with_layout(path: Path, layout: str) -> Dataset:
    if not path.exists():
        message = f"There is no dataset {path}."
        raise InputError(message, cure="Give a folder with corpus, queries and qrels, or a CSV of questions.")
    for name in (layout,) if layout else DATASETS.names():
        reader = cast("Layout", DATASETS.get(name)())
        if layout or reader.matches(path):
            return reader.read(path)
    message = f"{path} has none of the layouts {', '.join(DATASETS.names())}."
    raise InputError(
        message,
        cure="A folder needs corpus.jsonl, queries.jsonl and qrels; a file of questions ends in .csv or .jsonl.",
    )

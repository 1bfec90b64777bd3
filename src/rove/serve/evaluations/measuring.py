"""What an evaluation does: its questions are read or made, asked, and reported on. Loaded lazily: it needs the lab."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from time import monotonic

from rove.engine import AsyncRove
from rove.errors import InputError
from rove.evaluate.configuration import Configuration
from rove.evaluate.dataset import Dataset, read_dataset
from rove.evaluate.dataset.resolve import resolve
from rove.evaluate.grid import Grid
from rove.evaluate.made import write_rows
from rove.evaluate.results import Results
from rove.evaluate.trial import expected_of, grid_of_trial, questions_about, run_trial
from rove.load.text import is_storable
from rove.serve.evaluations.folders import QUESTIONS, RESULTS
from rove.serve.evaluations.reports import FinishedEvaluation, finish_report
from rove.serve.evaluations.runner import RunningEvaluation
from rove.serve.evaluations.schema import EvaluationOut, WayIn
from rove.serve.problems import TooLargeError
from rove.serve.redaction import public_source
from rove.settings import ServeSettings

MADE = "Questions made from the documents"


def check_evaluation(kb: AsyncRove, settings: ServeSettings, folder: Path, record: EvaluationOut) -> None:
    """See that an evaluation can be run, from its record and, in its folder, its file of questions.

    Raises:
        TooLargeError: there are too many questions, or one is too long.
        InputError: the file of questions is malformed.
        ConfigError: a configuration's settings are wrong.
    """
    if record.table:
        _read_question_table(folder / record.table, record.name, settings)
    expected_of(kb, _evaluation_grid(record), 0)


async def measure(
    kb: AsyncRove, settings: ServeSettings, folder: Path, evaluation: RunningEvaluation
) -> FinishedEvaluation:
    """Ask every question in every way, and make the report; `evaluation` is told how far it is.

    Raises as `check_evaluation` and `run_trial` do.
    """
    record = evaluation.record
    path = folder / (record.table or f"{QUESTIONS}.jsonl")
    if not path.exists():
        await _make(kb, path, record)
    dataset = await asyncio.to_thread(_read_question_table, path, record.name, settings)
    grid = _evaluation_grid(record)
    evaluation.began = monotonic()
    count = len(dataset.questions)
    evaluation.searches = expected_of(kb, grid, count)
    expected = expected_of(kb, grid, count, answers=record.answers)
    evaluation.now(state="asking", questions=count, asked=0, expected=expected)
    infos = await kb.documents()
    dataset = await asyncio.to_thread(resolve, dataset, infos)
    results = Results(folder / RESULTS)
    try:
        study = await run_trial(kb, grid, dataset, results, evaluation.asking, answers=record.answers)
    finally:
        results.close()
    study = replace(study, documents=len(infos))
    titles = {info.document_id: info.title or public_source(info.source) for info in infos}
    return await asyncio.to_thread(finish_report, evaluation.record, study, dataset, titles)


async def _make(kb: AsyncRove, path: Path, record: EvaluationOut) -> None:
    made = await questions_about(kb, record.make, model=record.model)
    if not made:
        message = "The base has no text to make questions from."
        raise InputError(message, cure="Add documents with headings, or hand in a file of questions.")
    await asyncio.to_thread(write_rows, path, (question.row for question in made))


def _read_question_table(path: Path, name: str, settings: ServeSettings) -> Dataset:
    """Read a file of questions; what is said against it names it as its owner does."""
    try:
        dataset = replace(read_dataset(path, layout="questions"), name=name or MADE)
    except InputError as error:
        raise InputError(error.reason.replace(str(path), path.name), cure=error.cure) from None
    _check_questions(dataset, settings)
    return dataset


def _check_questions(dataset: Dataset, settings: ServeSettings) -> None:
    most, longest = settings.max_eval_questions, settings.max_question_chars
    if len(dataset.questions) > most:
        message = f"There are {len(dataset.questions)} questions; {most} are asked at most."
        raise TooLargeError(message, cure="Hand in fewer, or raise serve.max_eval_questions.")
    for question in dataset.questions:
        if len(question.text) > longest:
            message = f"The question {question.question_id!r} has {len(question.text)} characters."
            raise TooLargeError(message, cure=f"Shorten it to {longest}, or raise serve.max_question_chars.")
        sources = dataset.sources.get(question.question_id, ())
        if not is_storable("".join((question.question_id, question.text, *question.answers, *sources))):
            message = f"The question {question.question_id!a} is not Unicode."
            raise InputError(message, cure="Save the file as UTF-8, without halves of surrogate pairs.")


def _evaluation_grid(record: EvaluationOut) -> Grid:
    configurations = [_configuration(way) for way in record.configurations]
    return grid_of_trial(record.name or MADE, configurations, record.metrics)


def _configuration(way: WayIn) -> Configuration:
    overrides = {"search": way.search} if way.search else {}
    return Configuration(way.name, {}, overrides, way.mode, way.rerank, way.where, way.top_k)

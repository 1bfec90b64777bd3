"""A trial: some configurations side by side over a base that is open and stays in use, over questions about it.

A sweep makes bases; a trial asks the one that is there. What it has found is kept as it comes, so that it can be taken
up again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from rove.engine import AsyncRove, varied
from rove.evaluate.answering import answer_all, answer_lines
from rove.evaluate.ask_all import ask_all, question_key
from rove.evaluate.configuration import Configuration
from rove.evaluate.dataset import Dataset
from rove.evaluate.grid import Factor, FactorChoice, Grid
from rove.evaluate.lab import Lab
from rove.evaluate.made import MadeQuestion
from rove.evaluate.make_questions import make_questions
from rove.evaluate.plan import Base, Opening, Plan, Way, asked_by
from rove.evaluate.results import AnswerOutcome, Outcome, Results
from rove.evaluate.scoring import need_nearness
from rove.evaluate.study import Study, study
from rove.records import Chunk, Document, content_hash

FACTOR = "configuration"
MOST_DOCUMENTS = 2_000
"""How many documents questions are made from at most; they are all in memory at once."""
Watch = Callable[[int], None]


def grid_of_trial(title: str, configurations: Sequence[Configuration], metrics: Sequence[str]) -> Grid:
    """Make the grid whose one factor is the configuration itself; the first of them is the baseline."""
    named = tuple(replace(one, choices={FACTOR: one.name}) for one in configurations)
    choices = tuple(FactorChoice(one.name, one.name, {**_arguments(one), **one.overrides}) for one in named)
    return Grid(
        name=title, title=title, about="", dataset=title, metrics=tuple(metrics), factors=(Factor(FACTOR, choices),),
        configurations=named, baseline=named[0].name,
    )  # fmt: skip


async def questions_about(kb: AsyncRove, count: int, *, model: bool) -> tuple[MadeQuestion, ...]:
    """Make up to `count` questions from the first `MOST_DOCUMENTS` documents of a base. See `make_questions`.

    Args:
        kb: the base.
        count: how many, at most.
        model: let the chat model of the settings make them; else headings, titles, captions and tables do.
    """
    infos = (await kb.documents())[:MOST_DOCUMENTS]
    documents: list[tuple[Document, list[Chunk]]] = [await kb.document(info.document_id) for info in infos]
    chat = kb.chat_model() if model else None
    if chat is None:  # no call to wait for: what is left takes the processor's time, and not the server's
        made = await asyncio.to_thread(lambda: asyncio.run(make_questions(documents, count)))
    else:
        made = await make_questions(documents, count, chat)
    return made.questions


async def run_trial(
    kb: AsyncRove, grid: Grid, dataset: Dataset, results: Results, watch: Watch, *, answers: bool = False
) -> Study:
    """Ask an open base every question in every way, and work out what that says. `kb` itself is left as it is.

    Args:
        kb: the base; it may be in use meanwhile.
        grid: of `grid_of_trial`.
        dataset: questions, and the base's documents that should answer them.
        results: where outcomes are kept; what is there already is not asked again.
        watch: told how many outcomes more there are.
        answers: let the questions be answered too, once they were all asked, as the base answers with the
            configuration's settings and filter: by `answer.mode`, whatever the configuration's own mode is.

    Raises:
        ConfigError, ServiceError: a configuration cannot be asked, or a model has failed; what was found is kept.
    """
    lab = _lab(kb)
    planned = _plan(lab, grid)
    ways = planned.bases[0].ways
    answering = _answer_keys(lab, grid) if answers else {}
    asked = {question_key(question) for question in dataset.questions}
    near = need_nearness(grid.metrics)
    if near:
        lab.compare()
    found = {pair for pair in results.known((way.key for way in ways), near=near) if pair[1] in asked}
    known = {pair for pair in results.known_answers(answering.values()) if pair[1] in asked}
    watch(len(found) + len(known))

    def keep(outcomes: Sequence[Outcome]) -> None:
        results.keep(outcomes)
        watch(len(outcomes))

    def keep_answers(outcomes: Sequence[AnswerOutcome]) -> None:
        results.keep_answers(outcomes)
        watch(len(outcomes))

    await ask_all(lab, ways, dataset.questions, dataset.gold, found, keep)
    firsts = {key: one for one in reversed(grid.configurations) if (key := answering.get(one.name))}
    await answer_all(lab, [Way(key, one) for key, one in firsts.items()], dataset, known, keep_answers)
    done = await asyncio.to_thread(study, grid, planned, dataset, results)
    given = {key: results.answers(key) for key in firsts}
    return replace(done, answers=await asyncio.to_thread(answer_lines, answering, given, dataset)) if answers else done


def expected_of(kb: AsyncRove, grid: Grid, questions: int, *, answers: bool = False) -> int:
    """How many outcomes a trial will have: equal configurations are asked once, and answer once.

    Raises:
        ConfigError: a configuration's settings are wrong.
    """
    lab = _lab(kb)
    answering = _answer_keys(lab, grid) if answers else {}
    return (_plan(lab, grid).distinct + len(set(answering.values()))) * questions


def _lab(kb: AsyncRove) -> Lab:
    """A lab over an open base, in which no question is kept as one that a user has asked."""
    question = kb.settings.question.model_copy(update={"log": False})
    return Lab(varied(kb, kb.settings), under=kb.settings.model_copy(update={"question": question}))


def _plan(lab: Lab, grid: Grid) -> Plan:
    """The plan of asking the one base that is there."""
    settings = lab.base.settings
    name = content_hash(str(settings.path))
    keys = {one.name: content_hash(name, asked_by(lab.settings_of(one), one)) for one in grid.configurations}
    ways: dict[str, Way] = {}
    for one in grid.configurations:
        ways.setdefault(keys[one.name], Way(keys[one.name], one))
    base = Base(name, settings, (Opening(settings, tuple(ways.values())),), tuple(keys))
    return Plan((base,), keys, dict.fromkeys(keys, name))


def _answer_keys(lab: Lab, grid: Grid) -> dict[str, str]:
    """The keys of what the configurations answer: an answer depends on settings and filter alone."""
    name = content_hash("answers", str(lab.base.settings.path))
    alike = Configuration("")
    return {
        one.name: content_hash(name, asked_by(lab.settings_of(one), replace(alike, where=one.where)))
        for one in grid.configurations
    }


def _arguments(one: Configuration) -> dict[str, object]:
    return {"mode": one.mode, "rerank": one.rerank, "top_k": one.top_k, "where": list(one.where)}

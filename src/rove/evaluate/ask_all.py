"""Ask every question of a dataset in every way that a base is to be asked, one question after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from time import monotonic

from rove.errors import InputError, ServiceError
from rove.evaluate.dataset import Question
from rove.evaluate.lab import Lab
from rove.evaluate.plan import Way
from rove.evaluate.results import Outcome
from rove.records import Hit, content_hash
from rove.retrieve.same import apart

DIGITS = 6  # of a cosine
KEEP_EVERY_S = 0.5
"""Seconds between two writes of what was found: what a crash can cost."""
WARM_UP = "warm up"
"""Asked before the first question, so that no question waits for a model or an index to be loaded."""
Keep = Callable[[Sequence[Outcome]], None]
Grades = Mapping[str, int]


async def ask_all(
    lab: Lab,
    ways: Sequence[Way],
    questions: Sequence[Question],
    gold: Mapping[str, Grades],
    known: Collection[tuple[str, str]],
    keep: Keep,
) -> None:
    """Ask what is not known yet. `keep` gets the outcomes some at a time, the last of them at the end.

    All ways are asked one question before the next comes: so they share what they have in common, and no more is held
    than belongs to one question.

    Raises:
        ConfigError, ServiceError: a way cannot be asked at all, or a model has failed; what was found before is kept.
    """
    found: list[Outcome] = []
    warm = False
    began = monotonic()
    try:
        for question in questions:
            name = question_key(question)
            todo = [way for way in ways if (way.key, name) not in known]
            if todo and not warm:
                await _warm_up(lab, todo)
                warm = True
            for way in todo:
                found.append(await ask(lab, way, question, gold.get(question.question_id, {})))
            lab.forget()
            if found and monotonic() - began > KEEP_EVERY_S:
                keep(found)
                found, began = [], monotonic()
    finally:
        if found:
            keep(found)


async def ask(lab: Lab, way: Way, question: Question, grades: Grades) -> Outcome:
    """Ask one question in one way. A question that cannot be asked has an error for its outcome."""
    try:
        asked = await lab.search(question.text, way.configuration)
    except InputError as error:
        return Outcome(way.key, question_key(question), (), (), 0.0, str(error))
    except ServiceError as error:
        raise failed_at(way, question, error) from error
    hits = apart(asked.hits)  # the gold may name any document of them
    near = None
    if lab.expected is not None:
        found = await lab.expected.cosines(hits, grades)
        near = tuple(tuple(round(float(value), DIGITS) for value in row) for row in found)
    places = tuple((hit.chunk.document_id, *hit.chunk.span) for hit in hits)
    ranking = tuple(gold_name(hit, grades) for hit in hits)
    return Outcome(way.key, question_key(question), ranking, places, asked.seconds, near=near)


def failed_at(way: Way, question: Question, error: ServiceError) -> ServiceError:
    """Say in which way which question was asked when a service failed."""
    message = f"{way.configuration.name!r}, question {question.text!r}: {error.reason}"
    return ServiceError(message, cure=error.cure, retryable=error.retryable)


def question_key(question: Question) -> str:
    """Name a question by what it asks."""
    return content_hash(question.question_id, question.text)


def gold_name(hit: Hit, grades: Grades) -> str:
    """Return the name that the gold has for a hit's document: its id, its record's id, its source or its title.

    Its id, where the gold has none of them.
    """
    record = hit.chunk.metadata.get("record_id")
    source = hit.uri.rpartition("/")[2]
    names = [hit.chunk.document_id, *([record] if isinstance(record, str) else ()), hit.uri, source, hit.title]
    return next((name for name in names if name in grades), hit.chunk.document_id)


async def _warm_up(lab: Lab, ways: Sequence[Way]) -> None:
    """Ask once with each filter, since their masks too are made when first used."""
    seen: set[tuple[object, ...]] = set()
    for way in ways:
        what = (way.configuration.mode, way.configuration.where)
        if what not in seen:
            seen.add(what)
            await lab.search(WARM_UP, way.configuration)
    lab.forget()

"""Answers, measured by themselves and together with what was found."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from rove.errors import InputError, ServiceError
from rove.evaluate.answers import answer_match, refusal_accuracy, token_f1
from rove.evaluate.ask_all import Grades, failed_at, gold_name, question_key
from rove.evaluate.compare import PairedComparison, compare, holm
from rove.evaluate.cost import Summary, summarize
from rove.evaluate.dataset import Dataset, Question
from rove.evaluate.grounding import score_grounding
from rove.evaluate.lab import Lab
from rove.evaluate.metrics import Scores
from rove.evaluate.plan import Way
from rove.evaluate.relevancy import relevancy
from rove.evaluate.results import AnswerOutcome
from rove.models import chat_model
from rove.models.usage import Usage, metered
from rove.records import Answer
from rove.retrieve.same import apart

KeepAnswers = Callable[[Sequence[AnswerOutcome]], None]


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """What the answers of one configuration are worth.

    `scores` has a value for each question that could be scored, by metric: "answer_match" (a known answer stands in
    it), "answer_f1" (words in common with one), "citation_recall", "citation_precision", "faithful", "relevancy"
    (0 … 1, a fifth of the grade), "kept" (not refused, of those that can be answered), "refused" (of those that
    cannot), and together with what was found: "found_and_answered" (a relevant document among the references, and a
    known answer, or where none is known a faithful one). `graded_by`: who gave the relevancy. `usage`: of the chat
    model for the answers; the judge's is `judging`. `errors` questions could not be asked.
    """

    scores: Scores
    latency: Summary | None
    usage: Usage
    judging: Usage
    graded_by: str
    texts: Mapping[str, str]
    errors: int = 0


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """What some configurations answer alike; the first line has the baseline, and is compared with nothing.

    `beside` and `p_values` (Holm's, over all lines) go by metric.
    """

    names: tuple[str, ...]
    answered: AnswerScores
    beside: Mapping[str, PairedComparison]
    p_values: Mapping[str, float]


async def answer_all(
    lab: Lab, ways: Sequence[Way], dataset: Dataset, known: Collection[tuple[str, str]], keep: KeepAnswers
) -> None:
    """Let every question be answered in every way that has not answered it yet; `keep` gets each as it comes.

    Raises:
        ConfigError, ServiceError: a way cannot be asked at all, or a model has failed after its retries.
    """
    for question in dataset.questions:
        grades = dataset.gold.get(question.question_id, {})
        for way in ways:
            if (way.key, question_key(question)) not in known:
                lab.forget()
                keep([await answer_question(lab, way, question, grades)])


async def answer_question(lab: Lab, way: Way, question: Question, grades: Grades) -> AnswerOutcome:
    """Let one question be answered in one way, and score the answer. One that cannot be asked has an error."""
    outcome = AnswerOutcome(way.key, question_key(question), {}, 0.0)
    judge = chat_model(lab.settings_of(way.configuration).chat)
    try:
        with metered() as meter:
            given, seconds = await lab.answer(question.text, way.configuration)
        with metered() as judging:
            grade = await relevancy(given, lab.embedder, judge)
    except InputError as error:
        return replace(outcome, error=str(error))
    except ServiceError as error:
        raise failed_at(way, question, error) from error
    values = await asyncio.to_thread(_answer_metrics, question, given, grades)
    return replace(
        outcome,
        values={**values, "relevancy": grade.score / 5 if grade else None},
        seconds=seconds,
        usage=meter.usage,
        judging=judging.usage,
        graded_by=grade.by if grade else "",
        text=given.text,
    )


def answered(outcomes: Mapping[str, AnswerOutcome], dataset: Dataset) -> AnswerScores:
    """Sum up what one way of answering gave, by the name of the question."""
    values: dict[str, dict[str, float | None]] = {}
    texts: dict[str, str] = {}
    given = {q.question_id: outcomes[question_key(q)] for q in dataset.questions if question_key(q) in outcomes}
    whole = {name: outcome for name, outcome in given.items() if not outcome.error}
    for name, outcome in whole.items():
        texts[name] = outcome.text
        for metric, value in outcome.values.items():
            values.setdefault(metric, {})[name] = value
    graders = dict.fromkeys(outcome.graded_by for outcome in whole.values() if outcome.graded_by)
    return AnswerScores(
        Scores(values),
        summarize([outcome.seconds for outcome in whole.values()]),
        sum((outcome.usage for outcome in whole.values()), Usage()),
        sum((outcome.judging for outcome in whole.values()), Usage()),
        ", ".join(graders),
        texts,
        len(given) - len(whole),
    )


def answer_lines(
    keys: Mapping[str, str], outcomes: Mapping[str, Mapping[str, AnswerOutcome]], dataset: Dataset
) -> tuple[AnswerLine, ...]:
    """Put what was answered side by side.

    Args:
        keys: the way of answering of each configuration, the baseline first.
        outcomes: what each way of answering gave.
        dataset: whose questions were asked.
    """
    given = {key: answered(outcomes[key], dataset) for key in dict.fromkeys(keys.values())}
    names = {key: tuple(name for name, own in keys.items() if own == key) for key in given}
    first, *others = given
    values = given[first].scores.values
    beside = {
        key: {
            metric: found
            for metric, own in given[key].scores.values.items()
            if metric in values and (found := compare(own, values[metric]))
        }
        for key in others
    }
    p_values = {m: holm({key: own[m].p_value for key, own in beside.items() if m in own}) for m in values}
    return tuple(
        AnswerLine(
            names[key],
            one,
            beside.get(key, {}),
            {metric: own[key] for metric, own in p_values.items() if key in own},
        )
        for key, one in given.items()
    )


def _answer_metrics(question: Question, answer: Answer, grades: Grades) -> dict[str, float | None]:
    grounding = score_grounding(answer)
    match = answer_match(answer.text, question.answers)
    answerable = any(grade > 0 for grade in grades.values()) if grades else None
    refusal = refusal_accuracy({"q": answer.refused}, {} if answerable is None else {"q": answerable})
    relevant = {name for name, grade in grades.items() if grade > 0}
    found = any(gold_name(hit, grades) in relevant for hit in apart(answer.hits))
    good = match if match is not None else grounding.faithful
    return {
        "answer_match": match,
        "answer_f1": token_f1(answer.text, question.answers, question.language),
        "citation_recall": grounding.recall,
        "citation_precision": grounding.precision,
        "faithful": grounding.faithful,
        "kept": refusal.kept,
        "refused": refusal.refused,
        "found_and_answered": float(found and not answer.refused and (good or 0.0) >= 1.0) if relevant else None,
    }


def together(retrieval: Scores, answers: Scores, dataset: Dataset) -> Scores:
    """Put the scores of what was found and of what was answered into one; a question without a value has None."""
    names = [question.question_id for question in dataset.questions]
    answered = {metric: {name: own.get(name) for name in names} for metric, own in answers.values.items()}
    return Scores({**retrieval.values, **answered})

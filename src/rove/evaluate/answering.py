"""Answers, measured by themselves and together with what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rove.errors import InputError
from rove.evaluate.answers import answer_match, refusal_accuracy, token_f1
from rove.evaluate.configuration import Configuration
from rove.evaluate.cost import Summary, summarize
from rove.evaluate.dataset import Dataset, Question
from rove.evaluate.grounding import score_grounding
from rove.evaluate.lab import Lab
from rove.evaluate.metrics import Scores
from rove.evaluate.relevancy import relevancy
from rove.evaluate.run import gold_name
from rove.models import chat_model
from rove.models.usage import Usage, metered
from rove.records import Answer


@dataclass(frozen=True, slots=True)
class Answered:
    """What the answers of one configuration are worth.

    `scores` has a value for each question that could be scored, by metric: "answer_match" (a known answer stands in
    it), "answer_f1" (words in common with one), "citation_recall", "citation_precision", "faithful", "relevancy"
    (0 … 1, a fifth of the grade), "kept" (not refused, of those that can be answered), "refused" (of those that
    cannot), and together with what was found: "found_and_answered" (a relevant document among the references, and a
    known answer, or where none is known a faithful one). `graded_by`: who gave the relevancy. `usage`: of the chat
    model for the answers; the judge's is `judging`.
    """

    scores: Scores
    latency: Summary | None
    usage: Usage
    judging: Usage
    graded_by: str
    texts: Mapping[str, str]


async def answer_all(lab: Lab, dataset: Dataset, configuration: Configuration) -> Answered:
    """Let every question be answered, and score the answers.

    Raises:
        ServiceError: a model failed after its retries.
    """
    values: dict[str, dict[str, float | None]] = {}
    seconds: list[float] = []
    usage, judging = Usage(), Usage()
    graders: dict[str, None] = {}
    texts: dict[str, str] = {}
    judge = chat_model(lab.settings_of(configuration).chat)
    for question in dataset.questions:
        lab.forget()
        with metered() as meter:
            try:
                answer, taken = await lab.answer(question.text, configuration)
            except InputError:
                continue
        usage += meter.usage
        seconds.append(taken)
        texts[question.question_id] = answer.text
        with metered() as meter:
            grade = await relevancy(answer, lab.embedder, judge)
        judging += meter.usage
        if grade is not None:
            graders[grade.by] = None
        found = _values(question, answer, dataset.gold.get(question.question_id))
        found["relevancy"] = grade.score / 5 if grade else None
        for metric, value in found.items():
            values.setdefault(metric, {})[question.question_id] = value
    return Answered(Scores(values), summarize(seconds), usage, judging, ", ".join(graders), texts)


def _values(question: Question, answer: Answer, grades: Mapping[str, int] | None) -> dict[str, float | None]:
    grounding = score_grounding(answer)
    match = answer_match(answer.text, question.answers)
    answerable = any(grade > 0 for grade in grades.values()) if grades else None
    refusal = refusal_accuracy({"q": answer.refused}, {} if answerable is None else {"q": answerable})
    relevant = {name for name, grade in (grades or {}).items() if grade > 0}
    found = any(gold_name(hit, grades or {}) in relevant for hit in answer.hits)
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

"""Reviews of made questions: what each annotator says of each, and what becomes of the question by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rove.evaluate.dataset.dataset_lines import DatasetRow
from rove.evaluate.dataset.questions import read_records
from rove.evaluate.labels import Vote
from rove.evaluate.log import append, beside, read_log
from rove.evaluate.made import write_rows

YES, NO, SKIP, UNCLEAR = "yes", "no", "skip", "unclear"
VERDICTS = {YES: 1, NO: 0}


@dataclass(frozen=True, slots=True)
class Review:
    """`verdict`: "yes", "no" or "skip" (seen, and left to others). `question`: its new wording; "" where it stays."""

    annotator: str
    question_id: str
    verdict: str
    question: str = ""


def reviews_of(path: Path) -> list[Review]:
    """Read what was said of the questions in a file.

    Raises:
        InputError: the file of reviews is malformed.
    """
    return [
        Review(row.text("annotator"), row.text("question_id"), row.text("verdict"), row.text("question", empty=True))
        for row in read_log(beside(path, "reviews"))
    ]


def add_review(path: Path, review: Review) -> None:
    """Keep a review of a question in a file, at once.

    Raises:
        InputError: it cannot be written.
    """
    values = {"annotator": review.annotator, "question_id": review.question_id, "verdict": review.verdict}
    append(beside(path, "reviews"), {**values, **({"question": review.question} if review.question else {})})


def waiting(rows: Sequence[DatasetRow], reviews: Sequence[Review], annotator: str) -> list[DatasetRow]:
    """Return the questions that an annotator has not seen yet.

    >>> rows = [DatasetRow("", {"id": "a"}), DatasetRow("", {"id": "b"})]
    >>> [row.text("id") for row in waiting(rows, [Review("me", "a", "skip"), Review("you", "b", "yes")], "me")]
    ['b']
    """
    seen = {review.question_id for review in reviews if review.annotator == annotator}
    return [row for row in rows if row.text("id") not in seen]


def verdict_of(verdicts: Sequence[str]) -> str:
    """Return what most say, "unclear" where as many say yes as no, and "" where nobody says either.

    >>> verdict_of(["yes", "yes", "no"]), verdict_of(["yes", "no", "skip"]), verdict_of(["skip"])
    ('yes', 'unclear', '')
    """
    counts = Counter(verdict for verdict in verdicts if verdict in VERDICTS)
    if not counts:
        return ""
    return UNCLEAR if counts[YES] == counts[NO] else max(counts, key=lambda verdict: counts[verdict])


def reviewed(rows: Sequence[DatasetRow], reviews: Sequence[Review]) -> list[dict[str, object]]:
    """Return the questions with the status and the wording that the reviews give them.

    Each annotator's last word on a question counts; of new wordings the last one that came with a yes.
    """
    last: dict[str, dict[str, Review]] = {}
    for review in reviews:
        last.setdefault(review.question_id, {})[review.annotator] = review
    found: list[dict[str, object]] = []
    for row in rows:
        own: Mapping[str, Review] = last.get(row.text("id"), {})
        values = dict(row.values)
        if status := verdict_of([review.verdict for review in own.values()]):
            values["status"] = status
        if wordings := [review.question for review in own.values() if review.question and review.verdict == YES]:
            values["question"] = wordings[-1]
        found.append(values)
    return found


def settle(path: Path) -> None:
    """Write into a file of questions what the reviews have made of them.

    Raises:
        InputError: either file is malformed, or cannot be written.
    """
    write_rows(path, reviewed(list(read_records(path)), reviews_of(path)))


def votes_of(reviews: Sequence[Review]) -> list[Vote]:
    """Return reviews as votes, for `agreement`: yes 1, no 0."""
    return [Vote(review.annotator, review.question_id, "", VERDICTS.get(review.verdict)) for review in reviews]

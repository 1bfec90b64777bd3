"""Grades without a model on real questions: the passage that answers is kept, and most of the others are not."""

from __future__ import annotations

from rove.conversation.grading import Grades, Nearness, grade_by_distance, uncovered
from rove.models.fake import FakeEmbedder
from rove.records import Chunk, Hit
from rove.retrieve import SearchContext


class Model(FakeEmbedder):
    """Limits as the packaged model has them."""

    max_distance = 0.2
    min_lead = 0.045


def hits(*texts: str, language: str = "en") -> list[Hit]:
    return [Hit(Chunk(f"c{i}", "d", text, (0, len(text)), i, language=language), 1.0) for i, text in enumerate(texts)]


def grades(distances: list[float], leads: list[float | None], question: str = "Who approves remote work?") -> list[int]:
    found = hits(*["Nothing of it."] * len(distances))
    near = Nearness(tuple(distances), tuple(leads))
    search_context = SearchContext(None, Model(), None, None)  # type: ignore[arg-type]
    return [graded.grade for graded in grade_by_distance(question, "en", found, near, search_context)]


def test_distance_and_lead_make_the_grade() -> None:
    near, around, far = 0.15, 0.22, 0.3
    assert grades([near, near], [None, 0.0]) == [2, 2]
    assert grades([around, around, around, around], [0.05, 0.03, 0.01, None]) == [2, 1, 0, 0]
    assert grades([far, far, 0.19], [0.2, None, None]) == [0, 0, 1]


def test_half_of_the_words_put_a_far_chunk_on_the_topic() -> None:
    found = hits("Remote work.", "Nothing.")
    search_context = SearchContext(None, Model(), None, None)  # type: ignore[arg-type]
    near = Nearness((0.5, 0.5), (None, None))
    assert [g.grade for g in grade_by_distance("Who approves remote work?", "en", found, near, search_context)] == [
        1,
        0,
    ]


def test_a_grade_that_cannot_be_read_costs_itself_alone() -> None:
    wrote = [
        {"number": 1, "grade": 2}, {"number": 2, "grade": "relevant"}, {"number": 0, "grade": 1}, "2", None,
        {"grade": 1}, {"number": 3, "grade": 1},
    ]  # fmt: skip
    read = Grades.model_validate({"grades": wrote})
    assert [(one.number, one.grade) for one in read.grades] == [(1, 2), (3, 1)]


def test_uncovered_terms_are_those_that_no_chunk_holds() -> None:
    assert uncovered("Who approves remote desks?", "en", hits("Remote work.", "Approved.")) == {"desk"}
    assert uncovered("远程办公在哪里", "zh", hits("远程办公", language="zh")) == set()
    assert uncovered("", "en", []) == set()

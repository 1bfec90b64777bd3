"""What a question names must be what a passage is about: a word that it lacks and is not near to tells it apart."""

from __future__ import annotations

import numpy as np
import pytest

from rove.answer.unnamed import ALL_NAMED, question_words, unnamed
from rove.models.e5 import packaged

LEASE = "Lease of Hall 7. The lease begins on 1 April 2025. Ilona Kovács signs for Antwerp."


def places(question: str) -> np.ndarray:
    return packaged.tokenizer().spans(question, is_query=False)


def logit(question: str, language: str, *, far: str = "", text: str = LEASE) -> float:
    """With every token near (.85) but those of `far` (.4)."""
    tokens = places(question)
    at = question.find(far) if far else -1
    closest = np.array([0.4 if at >= 0 and at <= start < at + len(far) else 0.85 for start, _ in tokens], np.float32)
    return unnamed(question, language, tokens, closest, text).logit


def test_what_has_every_word_names_all() -> None:
    assert logit("When does the lease of Hall 7 begin?", "en") == ALL_NAMED


@pytest.mark.parametrize(
    ("language", "question", "far", "text"),
    [
        ("en", "When does the lease of Hall 9 begin?", "9", LEASE),
        ("en", "Who signs for Rotterdam?", "Rotterdam", LEASE),
        ("hu", "Mennyi Barta Gábor alapbére?", "Gábor", "Barta Nóra alapbére 645 000 forint."),
        ("zh", "五号复卷机什么时候更换？", "五", "三号复卷机在3月15日前更换。"),
        ("ja", "エビフライの発売日はいつですか。", "エビフライ", "コロッケの発売日は4月22日です。"),
    ],
)
def test_a_word_that_is_lacking_and_far_is_not_named(language: str, question: str, far: str, text: str) -> None:
    lacking = logit(question, language, far=far, text=text)
    assert lacking > 0
    assert lacking > logit(question, language, text=text)


@pytest.mark.parametrize(
    ("language", "question", "far", "text"),
    [
        ("hu", "Mennyi Nórának a bére?", "Nórának", "Barta Nóra bére 645 000 forint."),
        ("en", "Who signs for the Landlord?", "Who", LEASE + " The Landlord."),
        ("zh", "甲方的联系人是谁？", "是谁", "甲方联系人为邵文娟。"),
    ],
)
def test_inflected_words_and_those_that_ask_are_no_names(language: str, question: str, far: str, text: str) -> None:
    assert logit(question, language, far=far, text=text) == ALL_NAMED


def test_the_word_that_is_lacking_is_told() -> None:
    question = "Who signs for Rotterdam?"
    closest = np.array([0.4 if start >= 14 else 0.85 for start, _ in places(question)], np.float32)
    span = unnamed(question, "en", places(question), closest, LEASE).span
    assert span
    assert question[slice(*span)] == "Rotterdam"


def test_words_are_of_pieces_without_a_space_between() -> None:
    question = "Who signs for Rotterdam?"
    assert [question[slice(*span)] for span, _ in question_words(question, places(question))] == question.rstrip(
        "?"
    ).split()
    assert all(end - start <= 2 for (start, end), _ in question_words("五号复卷机", places("五号复卷机")))
    assert list(question_words("?!", places("?!"))) == []

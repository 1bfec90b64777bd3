"""Questions to suggest, from those that were asked before: what begins alike, then what means nearly the same."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rove.language.cue_words import negates
from rove.language.words import query_terms
from rove.models import Embedder
from rove.question.wording import telling_words
from rove.store.question_log import Frequent, QuestionLog, key_of

LOOKED_AT = 500
NEAR = 0.5  # of the embedder's max_distance: two ways to ask one thing
OFTEN = 3  # a question that was asked so often is one of the thesaurus


async def suggest(begun: str, log: QuestionLog, embedder: Embedder, *, most: int = 5, language: str = "") -> list[str]:
    """Return up to `most` questions for what a user has begun to write.

    First those that begin so, the most frequent first; then those with a word that begins like the last one; then those
    near in meaning. Nothing written yet: the most frequent of all.
    """
    held = await asyncio.to_thread(lambda: log.frequent(most=LOOKED_AT, language=language))
    key = key_of(begun)
    if not key:
        return [question.text for question in held[:most]]
    found = [question.text for question in held if key_of(question.text).startswith(key)]
    found += [question.text for question in held if f" {key}" in key_of(question.text)]
    found = list(dict.fromkeys(text for text in found if key_of(text) != key))
    if len(found) < most and held:
        rest = [question for question in held if question.text not in found and key_of(question.text) != key]
        found += [question.text for question, _ in await _similar_frequent_questions(begun, rest, embedder)]
    return found[:most]


async def usual_wording(question: str, log: QuestionLog, embedder: Embedder, *, language: str = "") -> str:
    """Return a frequent question that asks the same in other words, to be searched for in place of this one.

    The thesaurus of frequent searches: questions that were asked `OFTEN` or more. Nearness alone would take "When does
    it close?" for "When does it open?": the telling words must be the same, and both or neither must say "not".
    """
    held = await asyncio.to_thread(lambda: log.frequent(most=LOOKED_AT, language=language))
    often = [other for other in held if other.count >= OFTEN]
    if any(key_of(other.text) == key_of(question) for other in held):
        return question
    asks = _terms_and_negation(question, language)
    near = await _similar_frequent_questions(
        question, [other for other in often if _terms_and_negation(other.text, language) == asks], embedder
    )
    return near[0][0].text if near else question


def _terms_and_negation(question: str, language: str) -> tuple[frozenset[str], bool]:
    """Return the terms that a question is about, and whether it says "not"."""
    telling = {term for word in telling_words(question, language) for term in query_terms(word, language)}
    return frozenset(telling), negates(question, language)


async def _similar_frequent_questions(
    question: str, others: Sequence[Frequent], embedder: Embedder
) -> list[tuple[Frequent, float]]:
    """Return those near in meaning, the nearest first."""
    if not others:
        return []
    vectors = await embedder.queries([question, *(other.text for other in others)])
    distances = 1.0 - vectors[1:] @ vectors[0]
    near = [(other, float(distance)) for other, distance in zip(others, distances, strict=True)]
    return sorted((pair for pair in near if pair[1] <= NEAR * embedder.max_distance), key=lambda pair: pair[1])

"""A question that can be understood alone: what it leans on is put in, typos are mended, other names are made one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import regex
from pydantic import BaseModel, Field

from rove.language.scripts import is_unspaced
from rove.language.words import query_terms
from rove.models import ChatModel
from rove.question import (
    AskedQuestion,
    QuestionContext,
    StepResult,
    ask_model,
    by_model_or_rules,
    history_text,
    question_part,
)
from rove.question.vocabulary import LEAST_LETTERS, vocabulary_of
from rove.question.word_tables import table
from rove.question.wording import telling_words
from rove.records import Correction, Filter, Turn
from rove.store.store import Store

MOST_CONTEXT = 8
MOST_NAMES = 3
FEW = 1  # telling words of a question that leans on the conversation for want of its own
_WORD = regex.compile(r"[^\W\d_]+")
_NAME = regex.compile(r"(?<=[^.!?\s]\s)\p{Lu}[\w-]+(?:\s\p{Lu}[\w-]+)*")


class Standalone(BaseModel):
    """What the model writes."""

    standalone: str = Field(min_length=1, max_length=1_000)


@dataclass(frozen=True, slots=True)
class Reformed:
    """The question to search for, the words that were taken for typos, and the turn that rules have put it behind."""

    standalone: str
    corrections: tuple[Correction, ...] = ()
    follows: Turn | None = None


async def reform(asked: AskedQuestion, context: QuestionContext) -> StepResult[Reformed]:
    """Write a question out so that it stands alone (mission A.4).

    By rules: the telling words of the question before are put behind one that leans on it, and a word that the base
    does not know is mended where one that it knows is a slip away.
    """

    async def by_model(chat: ChatModel) -> Reformed:
        wrote = await ask_model(chat, Standalone, "reform", history_text(asked.history), question_part(asked.text))
        return Reformed(" ".join(wrote.standalone.split()))

    async def by_rules() -> Reformed:
        mended = Reformed(asked.text)
        if context.settings.spelling and not is_unspaced(asked.text):
            mended = await mend(asked.text, asked.language, context.search_context.store, context.where)
        standalone = with_context(AskedQuestion(mended.standalone, asked.language, asked.history))
        follows = asked.history.turns[-1] if standalone != mended.standalone else None
        return Reformed(standalone, mended.corrections, follows)

    return await by_model_or_rules(context.chat, by_model, by_rules)


def leans(question: str, language: str) -> bool:
    """Say whether a question leans on what was said before it: by a pronoun, by how it opens, or by saying little.

    >>> leans("And since when?", "en"), leans("Who approves remote work?", "en"), leans("它什么时候开会？", "zh")
    (True, False, True)
    """
    words = [word.casefold() for word in _WORD.findall(question)]
    folded = " ".join(question.casefold().split())
    few = _count(question, language)

    def has(kind: str) -> bool:
        known = table("leaning")[kind].get(language, "").split()
        return any(word in folded if is_unspaced(word) else word in words for word in known)

    openers = table("leaning")["openers"].get(language, "").split("|")
    opens = any(opener and regex.match(_opening(opener), folded) for opener in openers)
    return opens or has("strong") or few <= FEW or (has("weak") and few <= FEW + 1)


def _count(question: str, language: str) -> int:
    """Count the telling words. A piece of Chinese can be several: where it asks who, of two characters each."""
    words = telling_words(question, language)
    if any(word in question for word in table("leaning")["who"].get(language, "").split()):
        return sum(max(1, len(word) // 2) for word in words)
    return len(words)


def asks_amount(question: str, language: str) -> bool:
    """Say whether a question asks for a date, a time, a duration or another amount.

    >>> asks_amount("And since when?", "en"), asks_amount("谁批准？", "zh"), asks_amount("いつからですか", "ja")
    (True, False, True)
    """
    words = [word.casefold() for word in _WORD.findall(question)]
    known = table("leaning")["amounts"].get(language, "").split()
    return any(word in question if is_unspaced(word) else word in words for word in known)


def with_context(asked: AskedQuestion) -> str:
    """Return a leaning question with the telling words of the one before it, and the names of its answer, behind it.

    What a user says when asked back is put behind the question that it makes clear.

    >>> from rove.records import History, Turn
    >>> before = History((Turn("Who approves remote work?", "The RTO committee approves it."),))
    >>> with_context(AskedQuestion("When does it meet?", "en", before))
    'When does it meet? (approves remote work RTO)'
    """
    turn = asked.history.turns[-1] if asked.history.turns else None
    if turn and turn.asked_back:
        return f"{turn.asked} {asked.text}"
    if not turn or not leans(asked.text, asked.language):
        return asked.text
    held = asked.text.casefold()
    context = [word for word in telling_words(turn.asked, asked.language) if word.casefold() not in held]
    names = [name for name in _NAME.findall(turn.answer) if name.casefold() not in held and name not in context]
    words = context[:MOST_CONTEXT] + (names[:MOST_NAMES] if asked.language != "de" else [])
    return f"{asked.text} ({' '.join(words)})" if words else asked.text


async def mend(question: str, language: str, store: Store, where: Filter | None = None) -> Reformed:
    """Put the word that was meant in place of one that the base, as far as a filter lets it be seen, does not know.

    Left alone are words that the index knows in any form, short ones, acronyms, and such as hold a digit. Of several
    words at the same distance that one is taken that some chunk has together with most of the question's others; where
    no chunk has, the word stays: it may be right, and the base may not know it.
    """
    vocabulary = await vocabulary_of(store, where)
    corrections: list[Correction] = []
    for found in _WORD.finditer(question):
        word = found.group()
        if len(word) < LEAST_LETTERS or word.isupper() or word in vocabulary:
            continue
        if await _is_known(word, language, store, where):
            continue
        others = [other for other in telling_words(question, language) if other != word]
        for nearest in vocabulary.nearest(word):
            if await _stands_with(nearest, others, language, store, where):
                corrections.append(Correction(word, _as_written(word, nearest)))
                break
    for correction in corrections:
        question = regex.sub(rf"\b{regex.escape(correction.written)}\b", correction.meant, question)
    return Reformed(question, tuple(corrections))


def by_thesaurus(question: str, thesaurus: Mapping[str, Sequence[str]]) -> str:
    """Put the thesaurus' own words in place of the other words for them, the longest first.

    >>> by_thesaurus("鸭大什么水平", {"中山大学": ["鸭大"]}), by_thesaurus("WFH rules?", {"remote work": ["wfh"]})
    ('中山大学什么水平', 'remote work rules?')
    """
    meant = {other.casefold(): word for word, others in thesaurus.items() for other in others if other.strip()}
    if not meant:
        return question
    parts = [_bounded(other) for other in sorted(meant, key=len, reverse=True)]
    return regex.sub("|".join(parts), lambda found: meant[found.group().casefold()], question, flags=regex.IGNORECASE)


async def _is_known(word: str, language: str, store: Store, where: Filter | None) -> bool:
    terms = query_terms(word, language)
    lists = await store.search(terms=terms, vector=None, top_k=1, where=where)
    return bool(lists.ranked["keyword"])


async def _stands_with(word: str, others: Sequence[str], language: str, store: Store, where: Filter | None) -> bool:
    """Say whether a chunk has the word and at least half of what is said of the others' terms."""
    own = set(query_terms(word, language))
    rest = {term for other in others for term in query_terms(other, language)} - own
    lists = await store.search(terms=[*own, *rest], vector=None, top_k=20, where=where)
    found = await asyncio.to_thread(store.documents.terms_of, [chunk_id for chunk_id, _ in lists.ranked["keyword"]])
    return any(own <= held and 2 * len(rest & held) >= len(rest) for held in map(set, found.values()))


def _as_written(word: str, meant: str) -> str:
    return meant.capitalize() if word[:1].isupper() else meant


def _bounded(other: str) -> str:
    return regex.escape(other) if is_unspaced(other) else rf"\b{regex.escape(other)}\b"


def _opening(opener: str) -> str:
    return regex.escape(opener) if is_unspaced(opener) else rf"{regex.escape(opener)}\b"

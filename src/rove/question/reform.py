"""A question that can be understood alone: what it leans on is put in, typos are mended, other names are made one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import regex
from pydantic import BaseModel, Field

from rove.language.scripts import is_unspaced
from rove.language.words import query_terms, terms
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
from rove.records import Correction, Filter, History, Turn
from rove.retrieve import Query
from rove.retrieve.hybrid import HybridRetriever
from rove.store.store import Store

MOST_CONTEXT = 8
MOST_NAMES = 3
LOOKED_AT = 5
ANSWERS = 0.5
"""The chance of the judge from which on what was spoken of answers a question as well."""
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
        question = AskedQuestion(mended.standalone, asked.language, asked.history)
        if not asked.history.turns:
            return mended
        turn = asked.history.turns[-1]
        if turn.asked_back or leans(question.text, question.language):
            standalone = with_context(question)
            return Reformed(standalone, mended.corrections, None if standalone == question.text else turn)
        return replace(mended, standalone=_behind(question.text, await _relevant_context_words(question, context)))

    return await by_model_or_rules(context.chat, by_model, by_rules)


async def _relevant_context_words(asked: AskedQuestion, context: QuestionContext) -> list[str]:
    """Return which words of the turn before a question means that does not lean by its words; often none.

    With these behind it, it finds the same document first, and more surely; or another one, and the judge says that it
    answers the question as it was asked, which names nothing of what it finds else. Meant is what that document says.
    """
    if not (words := _context_words(asked)):
        return []
    search, where, behind = context.search_context, context.where, _behind(asked.text, words)
    plain, followed = await asyncio.gather(
        *(HybridRetriever(search).retrieve(Query(text, LOOKED_AT, where, rerank=True)) for text in (asked.text, behind))
    )
    if not plain or not followed:
        return []
    first, spoken_of = plain[0].chunk, followed[0].chunk.document_id
    found = [hit.chunk for hit in followed if hit.chunk.document_id == spoken_of]
    said = {term for chunk in found for term in terms(chunk.indexed_text, chunk.language)}
    if first.document_id == spoken_of:
        meant = followed[0].score > plain[0].score
    else:
        judge = search.judge()
        named = set(query_terms(asked.text, asked.language)).intersection(terms(first.prefix, first.language)) - said
        chances = [await judge.answers(asked.text, chunk.text) for chunk in found] if judge and not named else []
        meant = max(chances, default=0.0) >= ANSWERS
    return [word for word in words if meant and said.intersection(terms(word, asked.language))]


def leans(question: str, language: str) -> bool:
    """Say whether a question's words lean on what was said before it: a pronoun, the opening, or for want of others.

    >>> leans("And since when?", "en"), leans("Who approves remote work?", "en"), leans("它什么时候开会？", "zh")
    (True, False, True)
    """
    words = [word.casefold() for word in _WORD.findall(question)]
    folded = " ".join(question.casefold().split())

    def has(kind: str) -> bool:
        known = table("leaning")[kind].get(language, "").split()
        return any(word in folded if is_unspaced(word) else word in words for word in known)

    openers = table("leaning")["openers"].get(language, "").split("|")
    opens = any(opener and regex.match(_opening(opener), folded) for opener in openers)
    alone = len(words) == 1 and not is_unspaced(question)
    return opens or has("strong") or alone or not telling_words(question, language)


def asks_amount(question: str, language: str) -> bool:
    """Say whether a question asks for a date, a time, a duration or another amount.

    >>> asks_amount("And since when?", "en"), asks_amount("谁批准？", "zh"), asks_amount("いつからですか", "ja")
    (True, False, True)
    """
    words = [word.casefold() for word in _WORD.findall(question)]
    known = table("leaning")["amounts"].get(language, "").split()
    return any(word in question if is_unspaced(word) else word in words for word in known)


def with_context(asked: AskedQuestion) -> str:
    """Return a question with the telling words of the one before it, and the names of its answer, behind it.

    The one before is written out in this way where it leans and nobody has done so. What a user says when asked back is
    put behind the question that it makes clear.

    >>> from rove.records import History, Turn
    >>> before = History((Turn("Who approves remote work?", "The RTO committee approves it."),))
    >>> with_context(AskedQuestion("When does it meet?", "en", before))
    'When does it meet? (approves remote work RTO)'
    """
    turn = asked.history.turns[-1] if asked.history.turns else None
    if turn and turn.asked_back:
        return f"{turn.asked} {asked.text}"
    return _behind(asked.text, _context_words(asked))


def _context_words(asked: AskedQuestion) -> list[str]:
    """Return the words of the turn before that a question can mean, and lacks."""
    if not asked.history.turns:
        return []
    *earlier, turn = asked.history.turns
    before = turn.asked
    if not turn.standalone and leans(before, asked.language):
        before = with_context(AskedQuestion(before, asked.language, History(tuple(earlier))))
    held = asked.text.casefold()
    words = [word for word in telling_words(before, asked.language) if word.casefold() not in held]
    names = [name for name in _NAME.findall(turn.answer) if name.casefold() not in held and name not in words]
    return words[:MOST_CONTEXT] + (names[:MOST_NAMES] if asked.language != "de" else [])


def _behind(question: str, words: Sequence[str]) -> str:
    return f"{question} ({' '.join(words)})" if words else question


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
    parts = [_whole_word_regex(other) for other in sorted(meant, key=len, reverse=True)]
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


def _whole_word_regex(other: str) -> str:
    return regex.escape(other) if is_unspaced(other) else rf"\b{regex.escape(other)}\b"


def _opening(opener: str) -> str:
    return regex.escape(opener) if is_unspaced(opener) else rf"{regex.escape(opener)}\b"

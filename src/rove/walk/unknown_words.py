"""Words of the question that occur in no chunk that the walk may see: no round can find them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Sequence

from rove.language.cue_words import asking_spans
from rove.language.scripts import is_unspaced
from rove.language.words import query_terms
from rove.question.wording import telling_words
from rove.records import Answer, Note
from rove.store.store import Store
from rove.walk.json_format import filter_of
from rove.walk.judge import uncovered
from rove.walk.state import State

MOST = 8  # words that are named
SEARCHES = 60  # of one question; what else it asks is taken to be held
STEM = 2 / 3  # of a word, and 4 letters at least: what begins so is taken for another form of it


async def unknown_terms(state: State, store: Store) -> frozenset[str]:
    """Return the telling terms of the question that no fact holds, nor any chunk within the walk's filter."""
    wanted = uncovered(state.question, state.facts, state.language)
    languages = await store.languages(filter_of(state.where))
    forms = [{term} if is_unspaced(term) else {term, *_word_terms(word, languages)} for term, word in wanted.items()]
    held = await _occurrence_flags(forms, state, store)
    return frozenset(term for term, there in zip(wanted, held, strict=True) if not there)


async def unmentioned(state: State, answer: Answer, store: Store) -> list[Note]:
    """Say which telling words of the question no chunk within the walk's filter holds; nothing where there is none.

    Nor where the base, or what is cited, is in other languages than the question: there its words say nothing. A word
    is not named if one in the references begins as it does (`STEM`).
    """
    languages = await store.languages(filter_of(state.where))
    cited = {citation.chunk_id for citation in answer.citations}
    read = {hit.chunk.language for hit in answer.hits if hit.chunk.chunk_id in cited} if cited else languages
    if state.language not in read:
        return []
    words = telling_words(without_asking(state.question, state.language), state.language)
    held = await _occurrence_flags([_word_terms(word, {state.language, *languages}) for word in words], state, store)
    text = " ".join(hit.chunk.text for hit in answer.hits).casefold()
    absent = [word for word, there in zip(words, held, strict=True) if not there]
    named = [word for word in absent if not re.search(rf"(?<!\w){re.escape(_stem(word))}", text)][:MOST]
    return [Note("unmentioned", {"words": ", ".join(f"“{word}”" for word in named)})] if named else []


def without_asking(question: str, language: str) -> str:
    """Return a question without the words that ask: nobody looks for "how much" in a text.

    >>> without_asking("How much is the fee?", "en").strip()
    'is the fee?'
    """
    for start, end in reversed(asking_spans(question, language)):
        question = f"{question[:start]} {question[end:]}"
    return question


def _stem(word: str) -> str:
    return word.casefold()[: max(round(STEM * len(word)), 4)]


def _word_terms(word: str, languages: Collection[str]) -> set[str]:
    """Return the terms by which a word is found in texts of these languages; of unspaced scripts no single characters.

    >>> sorted(_word_terms("rivers", ["en", "de"])), sorted(_word_terms("富士山", ["ja"]))
    (['riv', 'river'], ['士山', '富士'])
    """
    found = {term for language in languages for term in query_terms(word, language)}
    return {term for term in found if len(term) > 1 or not is_unspaced(term)} or found


async def _occurrence_flags(forms: Sequence[Collection[str]], state: State, store: Store) -> list[bool]:
    """Say of each set of terms whether a chunk within the walk's filter holds any of them; an empty set is held."""
    where = filter_of(state.where)

    async def held(terms: Collection[str]) -> bool:
        found = await store.search(terms=sorted(terms), vector=None, top_k=1, where=where) if terms else None
        return found is None or bool(found.ranked["keyword"])

    searched = await asyncio.gather(*map(held, forms[:SEARCHES]))
    return [*searched, *(True for _ in forms[SEARCHES:])]

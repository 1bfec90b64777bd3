"""Questions from the user's own documents: by a chat model, each checked by code; or from headings, tables and titles.

Which passages are asked about is decided by their hash: the same base gives the same questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from rove.errors import ServiceError
from rove.evaluate.answers import answer_match, answer_tokens
from rove.evaluate.made import MadeQuestion
from rove.evaluate.questions_from_headings import phrases, questions_from
from rove.language.detect import detect
from rove.language.sentences import sentence_spans
from rove.language.stopwords import stop_words
from rove.language.words import query_terms, terms
from rove.models import ChatModel
from rove.models.prompts import fence_material, prompt
from rove.models.typed import reply_as
from rove.records import Chunk, Document
from rove.records.document import Span
from rove.records.identity import content_hash

COPIED_WORDS = 8
COPIED_CHARACTERS = 16  # in scripts without spaces
LEAST_TERMS = 2
LEAST_LETTERS = 80
TRIES = 3  # passages that are asked for each question that is wanted
GIVE_UP_AFTER = 3  # passages in a row at which the model failed
ASKED_KINDS = frozenset({"text", "table"})

NOTHING, TWICE = "asks nothing", "was asked before"
NOT_THERE, COPIED = "its answer is not in the passage", "copies the passage"
LEANS, GIVEN_AWAY = "does not stand by itself", "says its own answer"


class Asked(BaseModel):
    """What the model writes."""

    question: str = Field(max_length=400)
    answer: str = Field(max_length=400)


@dataclass(frozen=True, slots=True)
class Making:
    """What was made. `rejected`: why questions were thrown away → how many. `failure`: why the model was given up."""

    questions: tuple[MadeQuestion, ...]
    rejected: Counter[str] = field(default_factory=Counter[str])
    failure: str = ""


async def make_questions(
    documents: Iterable[tuple[Document, Sequence[Chunk]]], count: int, chat: ChatModel | None = None
) -> Making:
    """Make up to `count` questions about documents and their chunks.

    With a model: one question for each passage in turn, `TRIES` · `count` passages at most, each question held to
    `fault`. A model that fails again and again is given up, and what it made so far is kept. Without one: see
    `questions_from_headings.questions_from`.
    """
    if chat is None:
        return Making(tuple(questions_from(documents)[:count]))
    made: dict[str, MadeQuestion] = {}
    rejected: Counter[str] = Counter()
    failures = 0
    for document, chunk in _askable_passages(documents)[: TRIES * count]:
        if len(made) == count:
            break
        try:
            asked = await _request_question(chat, document, chunk)
            failures = 0
        except ServiceError as error:
            failures += 1
            if failures == GIVE_UP_AFTER or error.retryable:
                return Making(tuple(made.values()), rejected, str(error))
            continue
        language = chunk.language if chunk.language != "und" else detect(chunk.text)
        key = " ".join(answer_tokens(asked.question))
        wrong = TWICE if key in made else fault(asked.question, asked.answer, chunk.text, language)
        if wrong:
            rejected[wrong] += 1
            continue
        span = _answer_sentence_span(chunk, asked.answer, language)
        made[key] = MadeQuestion(
            asked.question.strip(),
            asked.answer.strip(),
            document.document_id,
            document.source,
            span,
            language,
            chat.name,
        )
    return Making(tuple(made.values()), rejected)


def fault(question: str, answer: str, passage: str, language: str) -> str:
    """Say what is wrong with a question; "" where it passes.

    It must ask something (`LEAST_TERMS` telling words), name what it is about, copy no `COPIED_WORDS` words in a row
    (`COPIED_CHARACTERS` characters in unspaced scripts) from the passage, and not hold its own answer, whose every word
    must stand in the passage.

    >>> passage = "Remote work is approved by the head of unit within five working days of the application."
    >>> fault("Who has to agree when I work from home?", "the head of unit", passage, "en")
    ''
    >>> fault("Who has to agree when I work from home?", "the director", passage, "en")
    'its answer is not in the passage'
    """
    telling = set(answer_tokens(question)) - stop_words(language)
    if len(telling) < LEAST_TERMS or not answer_tokens(answer):
        return NOTHING
    if not _is_answer_in_passage(answer, passage, language):
        return NOT_THERE
    if answer_match(question, [answer]):
        return GIVEN_AWAY
    if _leans(question, language):
        return LEANS
    return COPIED if _copies(question, passage) else ""


def _askable_passages(documents: Iterable[tuple[Document, Sequence[Chunk]]]) -> list[tuple[Document, Chunk]]:
    """Return the passages that are long enough to be asked about, in the order of their hashes."""
    found = [
        (document, chunk)
        for document, chunks in documents
        for chunk in chunks
        if chunk.kind in ASKED_KINDS and _count_weighted_letters(chunk.text) >= LEAST_LETTERS
    ]
    return sorted(found, key=lambda pair: content_hash(pair[1].chunk_id))


async def _request_question(chat: ChatModel, document: Document, chunk: Chunk) -> Asked:
    place = " > ".join(dict.fromkeys(part for part in (document.title, *chunk.headings) if part))
    material = f"{fence_material(place, 'place')}\n{fence_material(chunk.text, 'passage')}"
    return await reply_as(chat, Asked, prompt("rove.evaluate", "question"), material)


def _is_answer_in_passage(answer: str, passage: str, language: str) -> bool:
    return bool(answer_match(passage, [answer])) or set(query_terms(answer, language)) <= set(terms(passage, language))


def _leans(question: str, language: str) -> bool:
    marks = phrases("leaning")
    said = " ".join(question.casefold().split())
    spaced = f" {' '.join(answer_tokens(question))} "
    for mark in marks.get(language, marks["en"]).split("|"):
        if mark in said if language in {"zh", "ja"} else f" {' '.join(answer_tokens(mark))} " in spaced:
            return True
    return False


def _copies(question: str, passage: str) -> bool:
    asked = answer_tokens(question)
    told = f" {' '.join(answer_tokens(passage))} "
    return any(
        f" {' '.join(run)} " in told
        for size in (COPIED_WORDS, COPIED_CHARACTERS)
        for run in _term_windows(asked, size)
        if size == COPIED_CHARACTERS or not all(len(token) == 1 for token in run)
    )


def _term_windows(asked: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (asked[first : first + size] for first in range(len(asked) - size + 1))


def _answer_sentence_span(chunk: Chunk, answer: str, language: str) -> Span:
    """Return the sentences that the answer stands in; all of the chunk where it is not there to the letter."""
    start = chunk.span[0]
    at = chunk.text.find(answer.strip())
    if at < 0:
        return chunk.span
    end = at + len(answer.strip())
    inside = [span for span in sentence_spans(chunk.text, language) if span[0] < end and at < span[1]]
    return (start + inside[0][0], start + inside[-1][1]) if inside else chunk.span


def _count_weighted_letters(text: str) -> int:
    """Count letters; a character of a script without spaces counts for several, since it is a word or half of one."""
    found = answer_tokens(text)
    return sum(len(token) if len(token) > 1 else 3 for token in found)

"""Questions to go on with after an answer: what the documents ask and say beside the words that were cited.

Only such that the base answers: what is found for each passes the gate of an answer. What others have asked is no
source: a question can say what its asker knows.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field

from rove.answer.gate import Gate
from rove.errors import ServiceError
from rove.language.bare_topic import bare_topic
from rove.language.detect import detect
from rove.models import ChatModel
from rove.models.prompts import fence_material, fill, prompt
from rove.models.typed import reply_as
from rove.question import question_part
from rove.records import Document, Filter, Hit
from rove.records.document import Section
from rove.records.understood import By
from rove.retrieve import Query, SearchContext, retrieve_passages
from rove.retrieve.question_pairs import is_same
from rove.retrieve.stored_answers import stored_answers
from rove.settings import AnswerSettings

MOST = 4
_TRIED = 10
"""Questions that are looked at, at most, until there are `MOST`."""
_AROUND = 10
"""Hits of the question in and around which the documents' own questions are looked for."""
_SHOWN, _SHOWN_CHARS = 5, 800
_LEAST_BODY_CHARS, _MOST_TOPIC_CHARS = 40, 80
_ASKING = ("?", "？")


class Suggested(BaseModel):
    """What the model writes."""

    questions: list[Annotated[str, Field(min_length=3, max_length=300)]] = Field(max_length=8)


@dataclass(frozen=True, slots=True)
class FollowUps:
    """Questions to go on with, the best first, and what made them."""

    questions: tuple[str, ...] = ()
    by: By = "text"


@dataclass(frozen=True, slots=True)
class FollowUpContext:
    """What follow-ups are made with.

    `phrases`: language code → how a topic is asked about, with a slot {topic}. `where`: what may be seen.
    """

    search_context: SearchContext
    chat: ChatModel | None
    settings: AnswerSettings
    phrases: Mapping[str, str]
    where: Filter | None = None


async def follow_ups(question: str, chunk_ids: Sequence[str], context: FollowUpContext) -> FollowUps:
    """Return up to `MOST` questions that go on from an answer which rests on these chunks.

    The chat model writes them; where there is none, or it fails, they are the documents' own questions there, then
    what stands under the headings beside. Chunks that may not be seen are as if they were not there.

    Raises:
        ServiceError: the embedder failed.
    """
    hits = await _cited(chunk_ids, context)
    if not hits:
        return FollowUps()
    if context.chat is not None:
        try:
            wrote = await _written(question, hits, context.chat)
        except ServiceError:
            wrote = []
        if found := await _answered(question, wrote, context):
            return FollowUps(found, "model")
    async with aclosing(_by_rules(question, hits, context)) as candidates:
        return FollowUps(await _answered(question, [one async for one in candidates], context))


async def _cited(chunk_ids: Sequence[str], context: FollowUpContext) -> list[Hit]:
    """Fetch the chunks that may be seen, as hits in the order that they were cited in."""
    documents = context.search_context.store.documents
    found = await asyncio.to_thread(documents.find, list(dict.fromkeys(chunk_ids)))
    if context.where is not None and found:
        owners = list({one.chunk.document_id for one in found.values()})
        seen = await asyncio.to_thread(documents.passing, owners, context.where)
        found = {chunk_id: one for chunk_id, one in found.items() if chunk_id in seen}
    return [Hit(one.chunk, 1.0, {}, one.uri, one.title) for one in found.values()]


async def _written(question: str, hits: Sequence[Hit], chat: ChatModel) -> list[str]:
    passages = (fence_material(hit.chunk.text[:_SHOWN_CHARS], str(n)) for n, hit in enumerate(hits[:_SHOWN], 1))
    material = "\n\n".join((question_part(question), "The passages:", *passages))
    wrote = await reply_as(chat, Suggested, prompt("rove.conversation", "follow_ups"), material)
    return [" ".join(one.split()) for one in wrote.questions]


async def _answered(question: str, candidates: Sequence[str], context: FollowUpContext) -> tuple[str, ...]:
    """Keep those that the base answers, each once, and not the one that was asked."""
    gate = Gate(context.search_context, context.settings)
    kept: list[str] = []
    for one in candidates[:_TRIED]:
        if len(kept) == MOST:
            break
        if any(is_same(one, other) for other in (question, *kept)):
            continue
        hits = await retrieve_passages("hybrid", context.search_context, Query(one, gate.looks_at, context.where))
        if (await gate.judge(one, detect(one), hits)).passes:
            kept.append(one)
    return tuple(kept)


async def _by_rules(question: str, hits: Sequence[Hit], context: FollowUpContext) -> AsyncGenerator[str]:
    """Yield the questions that documents ask around what was cited, then their headings beside it, as questions."""
    search_context = context.search_context
    documents = search_context.store.documents
    near = await retrieve_passages("hybrid", search_context, Query(question, _AROUND, context.where))
    both = [*hits, *(hit for hit in near if hit.chunk.chunk_id not in {one.chunk.chunk_id for one in hits})]
    wholes = await asyncio.to_thread(documents.wholes, list({hit.chunk.document_id for hit in both}))
    texts = {document_id: document.text for document_id, document in wholes.items()}
    for one in await stored_answers(search_context, question, both, texts, context.where, strict=True):
        yield one.question
    language = detect(question)
    told = {(hit.chunk.document_id, one.span) for hit in hits for one in _holding(hit, wholes)}
    beside = [one for hit in hits for one in _beside(hit, wholes) if (hit.chunk.document_id, one.span) not in told]
    for topic in dict.fromkeys(bare_topic(one.title) for one in beside):
        asks = topic.endswith(_ASKING)
        yield topic if asks else fill(context.phrases.get(language, "{topic}"), {"topic": topic})


def _holding(hit: Hit, documents: Mapping[str, Document]) -> list[Section]:
    """The sections that a hit begins in, outermost first."""
    document, start = documents.get(hit.chunk.document_id), hit.chunk.span[0]
    sections = document.sections if document else ()
    return sorted((one for one in sections if one.span[0] <= start < one.span[1]), key=lambda one: one.level)


def _beside(hit: Hit, documents: Mapping[str, Document]) -> list[Section]:
    """The sections within the one around a hit's own that say something: those that follow it, the nearest first."""
    document, start = documents.get(hit.chunk.document_id), hit.chunk.span[0]
    if document is None:
        return []
    around = _holding(hit, documents)[-2:-1]
    first, last = around[0].span if around else (0, len(document.text))
    found = [one for one in document.sections if first <= one.span[0] < last and _tells(one)]
    return sorted(found, key=lambda one: (one.span[0] < start, abs(one.span[0] - start)))


def _tells(section: Section) -> bool:
    """Say whether a section has a topic that can be asked about, and more than its heading."""
    topic = bare_topic(section.title)
    filled = section.span[1] - section.span[0] - len(section.title) >= _LEAST_BODY_CHARS
    return filled and len(topic) <= _MOST_TOPIC_CHARS and any(map(str.isalpha, topic))

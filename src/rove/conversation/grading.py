"""The relevance extractor and the judge of a gathering: a grade for each chunk, and whether all together is enough."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, cast

from pydantic import BaseModel, Field, ValidationError, field_validator

from rove.answer.refusal import PERHAPS, SURE
from rove.errors import ServiceError
from rove.language.scripts import is_unspaced
from rove.language.words import query_terms, terms
from rove.models import ChatModel, Embedder
from rove.models.prompts import fence_material, prompt
from rove.models.typed import reply_as
from rove.question.wording import telling_words
from rove.records import Filter, Graded, Hit, Note, Sufficiency
from rove.records.understood import Grade
from rove.retrieve import SearchContext
from rove.retrieve.judging import judge_now, searched
from rove.settings import GatherSettings

PASSAGE_CHARS = 2_000
DEPTH = 100
RUN_FROM = 10  # ranks from here to `DEPTH` are the common run of a list: see `records.hit.Place.lead`
LEAST_RUN = 20
HALF = 0.5  # share of the question's terms that puts a chunk on its topic


class Enough(BaseModel):
    """What the judge writes."""

    enough: bool
    missing: str = Field(max_length=500)


class NumberedGrade(BaseModel):
    """The grade of one passage."""

    number: int = Field(ge=1)
    grade: Literal[0, 1, 2]


class Grades(BaseModel):
    """What the extractor writes. A grade that cannot be read is left out: the others count."""

    grades: list[Annotated[NumberedGrade, Field()]] = Field(max_length=100)

    @field_validator("grades", mode="before")
    @classmethod
    def _readable(cls, grades: object) -> object:
        return [one for one in cast("list[object]", grades) if _is_grade(one)] if isinstance(grades, list) else grades


def _is_grade(value: object) -> bool:
    try:
        NumberedGrade.model_validate(value)
    except ValidationError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near each chunk is to the question: its cosine distance, and its lead over the run of the whole list.

    `lead` is None where the base is too small to have a run.
    """

    distances: tuple[float, ...]
    leads: tuple[float | None, ...]


async def judge_sufficiency(question: str, hits: Sequence[Hit], chat: ChatModel) -> Sufficiency:
    """Ask the model whether what was found holds everything that is needed (mission A.5: one yes or no).

    Raises:
        ServiceError: the model failed.
    """
    parts = [f"The question:\n{fence_material(question, 'question')}", f"Passages:\n{_fence_hit_passages(hits)}"]
    wrote = await reply_as(chat, Enough, prompt("rove.conversation", "enough"), "\n\n".join(parts))
    reason = wrote.missing.strip() or ("Nothing is missing." if wrote.enough else "Not all that is needed was found.")
    return Sufficiency(wrote.enough, "model", reason)


def asked_terms(question: str, language: str) -> set[str]:
    """Return the terms of the telling words of a question; all its terms where no word tells anything."""
    words = telling_words(question, language)
    return {term for word in words for term in query_terms(word, language)} or set(query_terms(question, language))


def uncovered(question: str, language: str, hits: Sequence[Hit]) -> set[str]:
    """Return the terms of the question that no chunk holds.

    Of scripts without spaces, a pair of characters is held where both are: the pair may reach over a word's end.
    """
    held = {term for hit in hits for term in terms(f"{hit.title} {hit.chunk.indexed_text}", hit.chunk.language)}
    left = asked_terms(question, language) - held
    return {term for term in left if not (is_unspaced(term) and all(character in held for character in term))}


async def grade(
    question: str,
    language: str,
    hits: Sequence[Hit],
    search_context: SearchContext,
    chat: ChatModel | None,
    settings: GatherSettings,
    access_filter: Filter | None = None,
) -> tuple[list[Graded], Note | None]:
    """Grade every chunk, in the order of the hits (mission A.6); what went wrong with the model is said beside it.

    Chunks are given to the model `settings.batch` at a time, `settings.parallel` calls at once; one that it did not
    grade, or whose call failed, is graded by distance. `access_filter`: the documents that the caller may see.
    """
    by_distance = grade_by_distance(
        question, language, hits, await nearness(question, hits, search_context, access_filter), search_context
    )
    if chat is None or not hits:
        return by_distance, None
    turns = asyncio.Semaphore(settings.parallel)
    batches = [hits[at : at + settings.batch] for at in range(0, len(hits), settings.batch)]

    async def one(batch: Sequence[Hit]) -> dict[str, Graded] | ServiceError:
        async with turns:
            try:
                return await _grade_batch(question, batch, chat)
            except ServiceError as error:
                return error

    done = await asyncio.gather(*map(one, batches))
    found = {chunk_id: graded for part in done if isinstance(part, dict) for chunk_id, graded in part.items()}
    failures = [part for part in done if isinstance(part, ServiceError)]
    left = sum(hit.chunk.chunk_id not in found for hit in hits)
    note = Note("graded-by-distance", {"count": left, "reason": failures[0].reason}) if failures else None
    return [found.get(graded.chunk_id, graded) for graded in by_distance], note


def grade_by_distance(
    question: str, language: str, hits: Sequence[Hit], near: Nearness, search_context: SearchContext
) -> list[Graded]:
    """Grade by the cosine distance, by how far a chunk stands above the rest, and by the words that it shares.

    2: well within the embedder's distance (`SURE` of it), or within it and with all of the question's terms, or around
    it (up to `PERHAPS` of it) and far above the run of the list. 1: around it and above the run by half as much (within
    it, where there is no run), or with half of the question's terms. Else 0.
    """
    asked = asked_terms(question, language)
    graded: list[Graded] = []
    for hit, distance, lead in zip(hits, near.distances, near.leads, strict=True):
        share = 1 - len(uncovered(question, language, [hit])) / len(asked) if asked else 0.0
        graded.append(Graded(hit.chunk.chunk_id, _grade_of(distance, lead, search_context.embedder, share), "text"))
    return graded


def _grade_of(distance: float, lead: float | None, embedder: Embedder, share: float) -> Grade:
    limit, least = embedder.max_distance, embedder.min_lead
    if distance <= SURE * limit or (distance <= limit and share == 1):
        return 2
    shares = share >= HALF
    if not least or lead is None:
        return 1 if distance <= limit or shares else 0
    around = distance <= PERHAPS * limit
    if around and lead >= least:
        return 2
    return 1 if (around and lead >= least / 2) or shares else 0


async def nearness(
    question: str, hits: Sequence[Hit], search_context: SearchContext, access_filter: Filter | None = None
) -> Nearness:
    """Measure how near each chunk is, whichever list it came from."""
    if not hits:
        return Nearness((), ())
    vector = (await search_context.embedder.queries([question]))[0]
    ids = [hit.chunk.chunk_id for hit in hits]
    await judge_now(search_context, ids)
    cosines = (await search_context.store.chunk_vectors(ids)) @ vector
    lists = await searched(search_context, question, vector=vector, top_k=DEPTH, where=access_filter)
    run = [score for _, score in lists.ranked["semantic"][RUN_FROM:]]
    mean = sum(run) / len(run) if len(run) >= LEAST_RUN else None
    leads = tuple(None if mean is None else float(cosine) - mean for cosine in cosines)
    return Nearness(tuple(1.0 - float(cosine) for cosine in cosines), leads)


async def _grade_batch(question: str, batch: Sequence[Hit], chat: ChatModel) -> dict[str, Graded]:
    parts = [f"The question:\n{fence_material(question, 'question')}", f"Passages:\n{_fence_hit_passages(batch)}"]
    wrote = await reply_as(chat, Grades, prompt("rove.conversation", "grade"), "\n\n".join(parts))
    ids = [hit.chunk.chunk_id for hit in batch]
    if len(batch) == 1 and len(wrote.grades) == 1:
        return {ids[0]: Graded(ids[0], wrote.grades[0].grade, "model")}
    return {
        ids[g.number - 1]: Graded(ids[g.number - 1], g.grade, "model") for g in wrote.grades if g.number <= len(ids)
    }


def _fence_hit_passages(hits: Sequence[Hit]) -> str:
    texts = [f"{hit.title}\n{hit.chunk.text[:PASSAGE_CHARS]}" for hit in hits]
    return "\n".join(fence_material(text, str(number)) for number, text in enumerate(texts, 1))

"""A question back to the user, where what was asked is too vague to be answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from rove.language.stopwords import stop_words
from rove.language.words import query_terms, terms
from rove.models import ChatModel
from rove.models.prompts import fence_material
from rove.question import (
    AskedQuestion,
    QuestionContext,
    StepResult,
    ask_model,
    by_model_or_rules,
    history_text,
    question_part,
)
from rove.question.word_tables import localized_text
from rove.question.wording import telling_words
from rove.records import Clarification, Hit
from rove.retrieve import Query, retrieve
from rove.retrieve.same import apart

MOST_OPTIONS = 5
LOOKED_AT = 10
TITLED = 50  # hits whose titles are offered where nothing was asked
FEW_WORDS = 3  # telling words of a question that several documents can answer by chance
PASSAGE_CHARS = 300


class AskedBack(BaseModel):
    """What the model writes."""

    vague: bool
    question: str = Field(max_length=300)
    options: list[Annotated[str, Field(max_length=120)]] = Field(max_length=MOST_OPTIONS)


async def clarify(
    asked: AskedQuestion, context: QuestionContext, missing: Sequence[str] = ()
) -> StepResult[Clarification | None]:
    """Return what to ask back; None where the question can be answered as it is.

    Too short (only function words), a required slot without a value, or, by the model or by `alike`, several documents
    that answer it differently.

    Raises:
        ServiceError: the embedder failed.
    """
    if missing:
        names = ", ".join(context.settings.slots[name].description or name for name in missing)
        return StepResult(
            Clarification(localized_text("phrases", "missing", asked.language).format(names=names), (), "missing"),
            "text",
        )
    if is_empty(asked):
        options = await _clarification_options(asked, context)
        return StepResult(Clarification(localized_text("phrases", "short", asked.language), options, "short"), "text")
    hits = await retrieve("hybrid", context.search_context, Query(asked.text, LOOKED_AT, context.where))

    async def by_model(chat: ChatModel) -> Clarification | None:
        passages = [f"{hit.title}\n{hit.chunk.text[:PASSAGE_CHARS]}" for hit in hits[:MOST_OPTIONS]]
        blocks = "\n".join(fence_material(text, str(number)) for number, text in enumerate(passages, 1))
        wrote = await ask_model(
            chat, AskedBack, "clarify", f"Passages:\n{blocks}", history_text(asked.history), question_part(asked.text)
        )
        if not wrote.vague or not wrote.question.strip():
            return None
        return Clarification(wrote.question.strip(), tuple(filter(None, map(str.strip, wrote.options))), "ambiguous")

    async def by_rules() -> Clarification | None:
        options = alike(asked, hits)
        return (
            Clarification(localized_text("phrases", "ambiguous", asked.language), options, "ambiguous")
            if options
            else None
        )

    return await by_model_or_rules(context.chat, by_model, by_rules)


def is_empty(asked: AskedQuestion) -> bool:
    """Say whether a question holds nothing but function words, and no conversation fills it.

    >>> asked = ("What about it?", "en"), ("食堂？", "zh"), ("WHO?", "en")
    >>> [is_empty(AskedQuestion(text, language)) for text, language in asked]
    [True, False, False]
    """
    if asked.history.turns:
        return False
    stops = stop_words(asked.language)
    return not [
        word for word in telling_words(asked.text, asked.language) if word.casefold() not in stops or word.isupper()
    ]


def alike(asked: AskedQuestion, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return the titles of documents that each hold all that a short question says; () where not at least two do.

    A title that says something which the question says, and others do not, settles it.
    """
    wanted = set(query_terms(asked.text, asked.language))
    if not wanted or len(telling_words(asked.text, asked.language)) > FEW_WORDS:
        return ()
    full: dict[str, tuple[str, str]] = {}
    for hit in apart(hits):
        held = set(terms(f"{hit.title} {hit.chunk.indexed_text}", hit.chunk.language))
        if wanted <= held:
            full.setdefault(hit.chunk.document_id, (hit.title or hit.uri, hit.chunk.text))
    titles = [title for title, _ in full.values()]
    named = [len(wanted & set(terms(title, asked.language))) for title in titles]
    best = [title for title, count in zip(titles, named, strict=True) if count == max(named)]
    texts = {text for title, text in full.values() if title in best}
    return tuple(dict.fromkeys(best))[:MOST_OPTIONS] if len(set(best)) > 1 and len(texts) > 1 else ()


async def _clarification_options(asked: AskedQuestion, context: QuestionContext) -> tuple[str, ...]:
    """Return what can be asked about: the user's topics, else the titles of the documents nearest to what was said."""
    if context.settings.topics:
        return tuple(context.settings.topics)[:MOST_OPTIONS]
    hits = await retrieve("semantic", context.search_context, Query(asked.text, TITLED, context.where))
    return tuple(dict.fromkeys(hit.title for hit in hits if hit.title))[:MOST_OPTIONS]

"""Related questions over HTTP: fetched after an answer, which is not slower for them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rove.conversation.related import RelatedContext, related_questions
from rove.records import RelatedQuestion
from rove.records.document import Span
from rove.serve.caller_view import CallerView
from rove.serve.questions.results import RelatedOut
from rove.serve.questions.schema import QuestionIn
from rove.serve.schema import Reply, Wire


class CitedIn(Wire):
    """Words that an answer cites: the chunk, and their span in its document."""

    chunk_id: Annotated[str, Field(min_length=1, max_length=2_000)]
    span: tuple[Annotated[int, Field(ge=0, le=10**10)], Annotated[int, Field(ge=0, le=10**10)]]


class RelatedIn(QuestionIn):
    """A question that was answered, and the words that the answer cites."""

    cited: list[CitedIn] = Field(max_length=200)


class RelatedListOut(Reply):
    """What else the documents say beside the answer, each a question that the base answers, the nearest first."""

    related: list[RelatedOut]


async def related_of(wanted: RelatedIn, view: CallerView) -> tuple[RelatedQuestion, ...]:
    """Look for related questions in what a caller may see."""
    view.require("read")
    cited: dict[str, list[Span]] = {}
    for one in wanted.cited:
        cited.setdefault(one.chunk_id, []).append(one.span)
    context = RelatedContext(view.kb.search_context, view.kb.settings.answer, view.where(wanted.condition))
    return await related_questions(wanted.question, cited, context)

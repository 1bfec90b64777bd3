"""Follow-up questions over HTTP: fetched after an answer, which is not slower for them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rove.conversation.follow_ups import FollowUpContext, FollowUps, follow_ups
from rove.records.understood import By
from rove.registry import load
from rove.serve.caller_view import CallerView
from rove.serve.questions.schema import QuestionIn
from rove.serve.schema import Reply

ChunkId = Annotated[str, Field(min_length=1, max_length=2_000)]


class FollowUpsIn(QuestionIn):
    """A question that was answered, and the ids of the chunks that the answer cites."""

    chunks: list[ChunkId] = Field(max_length=50)


class FollowUpsOut(Reply):
    """Questions to go on with, which the base answers, the best first; `by`: "model" or "text" (by rules)."""

    questions: list[str]
    by: By

    @classmethod
    def of(cls, found: FollowUps) -> FollowUpsOut:
        """Make it of a record."""
        return cls(questions=list(found.questions), by=found.by)


async def followed(wanted: FollowUpsIn, view: CallerView) -> FollowUps:
    """Suggest questions to a caller, of what the caller may see."""
    view.require("read")
    kb = view.kb
    where = view.where(wanted.condition)
    phrases = load("rove.evaluate.questions_from_headings:phrases")  # the lab is loaded when it is needed
    context = FollowUpContext(kb.search_context, kb.chat_model(), kb.settings.answer, phrases("topic"), where)
    return await follow_ups(wanted.question, wanted.chunks, context)

"""Operators that answer."""

from __future__ import annotations

from collections.abc import Sequence

from rove.conversation.respond import Found
from rove.flow.operator import FlowContext, operator
from rove.flow.operators.question import Question, taken_as
from rove.records import Answer, Gathered, Hit


async def stored_answer(context: FlowContext, *, question: Question, hits: Sequence[Hit]) -> Answer | None:
    """Give the answer that stands in a document beside this very question, if one does."""
    return await context.stages.stored(taken_as(question), hits, context.where)


async def answer(context: FlowContext, *, question: Question, found: Found) -> Answer:
    """Answer from what was found, every sentence cited; where it does not answer, by the fallbacks of the settings."""
    return await context.stages.answered(taken_as(question), found, context.where, context.listener)


async def answer_gathered(context: FlowContext, *, gathered: Gathered) -> Answer:
    """Answer from what "gather" has gathered."""
    return await context.stages.answered_from(gathered, context.where, context.listener)


@operator(needs=("chat",))
async def unsourced(context: FlowContext, *, question: Question) -> Answer:
    """Let the chat model answer without a source; the answer says so."""
    return await context.stages.unsourced(taken_as(question), context.listener)


@operator(effects="repeatable")
async def walk(context: FlowContext, *, question: str) -> Answer:
    """Find out in rounds, within the budget of the settings, from lead to lead; the walk is kept in the base."""
    walking = context.kb.walk(question, where=context.where)
    try:
        return await walking.answered()
    finally:
        await walking.aclose()

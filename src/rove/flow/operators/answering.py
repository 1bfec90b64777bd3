"""Operators that answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rove.answer.answerer import Answerer
from rove.answer.gate import GateVerdict
from rove.conversation.respond import Found
from rove.flow.operator import FlowContext, operator
from rove.flow.operators.question import Question, taken_as
from rove.language.detect import detect
from rove.records import Answer, Gathered, Hit
from rove.records.tool import ToolRun
from rove.tools.result_text import as_hits


async def stored_answer(context: FlowContext, *, question: Question, hits: Sequence[Hit]) -> Answer | None:
    """Give the answer that stands in a document beside this very question, if one does."""
    return await context.stages.stored(taken_as(question), hits, context.where)


async def answer(context: FlowContext, *, question: Question, found: Found) -> Answer:
    """Answer from what was found, every sentence cited; where it does not answer, by the fallbacks of the settings."""
    return await context.stages.answered(taken_as(question), found, context.where, context.listener)


async def answer_gathered(context: FlowContext, *, gathered: Gathered) -> Answer:
    """Answer from what "gather" has gathered."""
    return await context.stages.answered_from(gathered, context.where, context.listener)


async def answer_from(
    context: FlowContext, *, question: str, hits: Sequence[Hit] = (), called: Sequence[ToolRun] = ()
) -> Answer | None:
    """Answer from these results of tools and these passages alone, every sentence cited; nothing where there are none.

    They are not judged first: who puts them together says that they answer. What they do not say is deleted.
    """
    kb = context.kb
    results = {run.document.document_id: run.document for run in called if run.document and run.document.text.strip()}
    references = [*(hit for one in results.values() for hit in as_hits(one)), *hits]
    if not references:
        return None

    async def text_of(document_id: str) -> str:
        known = results.get(document_id)
        return known.text if known else await asyncio.to_thread(kb.store.documents.text, document_id)

    settings = kb.settings.answer.model_copy(update={"references": len(references), "strict": True})
    answerer = Answerer(kb.search_context.embedder, kb.chat_model(), settings, kb.judge())
    return await answerer.answer(
        question,
        references,
        GateVerdict(True),
        language=detect(question),
        text_of=text_of,
        listener=context.listener,
    )


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

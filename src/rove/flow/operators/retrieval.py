"""Operators that find passages, order them, and judge them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rove.conversation.respond import Found
from rove.errors import InputError
from rove.flow.operator import FlowContext
from rove.flow.operators.question import Question, taken_as
from rove.records import Gathered, Hit, Place
from rove.retrieve.fuse import reciprocal_rank_fusion
from rove.retrieve.rerank import reranked


async def search(
    context: FlowContext,
    *,
    question: str,
    mode: str = "hybrid",
    top_k: int | None = None,
    rerank: bool | None = None,
    where: Sequence[str] = (),
) -> tuple[Hit, ...]:
    """Find passages in one mode; `where`: conditions that must hold, like "kind=table"."""
    found = await context.kb.search(
        question, mode=mode, top_k=top_k, rerank=rerank, where=context.within(where), listener=context.listener
    )
    return tuple(found)


async def retrieve(context: FlowContext, *, question: Question, mode: str = "") -> Found:
    """Find what `ask` would answer from, and whether it would; `mode` "" is that of the settings."""
    return await context.stages.found(taken_as(question), mode, context.where)


async def fuse(context: FlowContext, *, lists: Sequence[Sequence[Hit]], k: int = 60) -> tuple[Hit, ...]:
    """Make one list of several, by reciprocal rank; each hit keeps its places in all of them."""
    del context
    if k < 0:
        message = f"k is {k}."
        raise InputError(message, cure="Write 0 or more; 60 is usual.")
    hits: dict[str, Hit] = {}
    places: dict[str, dict[str, Place]] = {}
    for one in lists:
        for hit in one:
            hits.setdefault(hit.chunk.chunk_id, hit)
            places.setdefault(hit.chunk.chunk_id, {}).update(hit.sources)
    ranked = reciprocal_rank_fusion([[hit.chunk.chunk_id for hit in one] for one in lists], k=k)
    return tuple(replace(hits[name], score=score, sources=places[name]) for name, score in ranked)


async def rerank(
    context: FlowContext, *, question: str, hits: Sequence[Hit], top_k: int | None = None
) -> tuple[Hit, ...]:
    """Let the reranker look at the best hits again; `top_k`: how many are kept."""
    return tuple(await reranked(context.kb.search_context, question, hits))[:top_k]


async def judge(context: FlowContext, *, question: Question, hits: Sequence[Hit]) -> Found:
    """Judge whether hits answer a question, as `ask` does; needed where they were not found by "retrieve"."""
    return await context.stages.judged(taken_as(question), hits)


async def gather(context: FlowContext, *, question: Question) -> Gathered:
    """Gather what an exact answer needs, in at most two rounds, every passage graded."""
    return await context.stages.gathered(taken_as(question), context.history, context.where)

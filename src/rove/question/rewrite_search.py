"""Mode "rewrite": search, put the question otherwise by what was found, and search for all of it (mission B.6)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from rove.language.detect import detect
from rove.question import AskedQuestion, QuestionContext
from rove.question.rewrite import rewrite
from rove.records import Hit
from rove.retrieve import Query, SearchContext
from rove.retrieve.chain import fused_by_rank
from rove.retrieve.hybrid import HybridRetriever
from rove.retrieve.rerank import reranked

LOOKED_AT = 10
"""Hits of the first search by which the question is put otherwise."""
QUESTION = "question"
REWRITE = 0.5
"""What the place in a rewrite's list counts beside the one in the question's own."""


class RewriteRetriever:
    """See `Retriever`. Where there is nothing to put otherwise, it is hybrid search."""

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`. Hits have places in the lists "question" (typos mended), "rewrite 1" and so on."""
        settings, questions = self.search_context.settings, self.search_context.questions
        hybrid = HybridRetriever(self.search_context)
        pool = max(query.top_k, settings.rerank_pool if query.rerank else 0)
        plain = replace(query, top_k=max(pool, LOOKED_AT), rerank=False)
        first = await hybrid.retrieve(plain)
        chat = self.search_context.chat() if questions.model else None
        language = detect(query.text, await self.search_context.store.languages(query.where))
        context = QuestionContext(self.search_context, chat, questions, query.where)
        rewrites = (await rewrite(AskedQuestion(query.text, language), first[:LOOKED_AT], context)).found
        if not rewrites.others:
            return await hybrid.retrieve(query)
        texts = (rewrites.question, *rewrites.others)
        found = await asyncio.gather(*(hybrid.retrieve(replace(plain, text=text)) for text in texts))
        lists = {QUESTION: found[0]} | {f"rewrite {n}": hits for n, hits in enumerate(found[1:], start=1)}
        weights = dict.fromkeys(lists, REWRITE) | {QUESTION: 1.0}
        hits = fused_by_rank(lists, weights, settings.rrf_k)[:pool]
        return (await reranked(self.search_context, rewrites.question, hits) if query.rerank else hits)[: query.top_k]

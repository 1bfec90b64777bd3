"""Mode "questions": a question that the documents ask and answer themselves finds that answer, and nothing else."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from rove.records import Hit
from rove.retrieve import Query, SearchContext
from rove.retrieve.hybrid import HybridRetriever
from rove.retrieve.stored_answers import alike, same, stored_answers

LOOKED_AT = 20
"""Hits of hybrid search in and around which questions are looked for."""


class QuestionRetriever:
    """See `Retriever`. A hit's chunk is the answer alone, and its `question` the one that is answered there.

    First the very question, then, if there is none, one that means the same. Where there is neither, nothing is found.
    """

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`. A hit's place in the list "questions" has the nearness of the two, 1 if equal."""
        hybrid = HybridRetriever(self.search_context)
        found = await hybrid.retrieve(replace(query, top_k=LOOKED_AT))
        documents = self.search_context.store.documents
        texts = await asyncio.to_thread(documents.texts, list({hit.chunk.document_id for hit in found}))
        answers = await stored_answers(self.search_context, query.text, found, texts, query.where, strict=False)
        hits = same(query.text, answers) or await alike(
            query.text, answers, self.search_context.embedder, self.search_context.judge()
        )
        return hits[: query.top_k]

"""The enricher "summaries": what every document and each of its sections says, in few sentences."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import numpy as np

from rove.answer.summarize import REPLY_TOKENS, Candidate, SummaryModel, is_long, summary_sentences, summed_up
from rove.answer.summary_tree import Branch, tree_of
from rove.enrich import EnrichContext, Estimate, FoundSummaries
from rove.models import Embedder, Vectors
from rove.records import Chunk, Document
from rove.records.document import Span
from rove.records.summary import Summary, SummarySentence
from rove.retrieve.judging import judge_chunks
from rove.store.summaries import Summaries as KeptSummaries
from rove.store.summaries import SummedDocument, written_out

BATCH = 8
"""Documents that are kept at once; a run that is cut off loses at most so many."""
READER = "sentences 1"
"""What has made a summary without a chat model."""
FAILED = "The chat model failed at {count} sections, whose summary is sentences of their own. {reason}"
NOT_HELD = "{count} sentences that the chat model wrote were left out: the text does not hold them."
Read = tuple[int, Document, Sequence[Chunk], Branch]


class Summaries:
    """See `Enricher`. Only documents that were not summed up yet are read, so that a run is taken up.

    Without a chat model, or without `enrich.ask_model`, a summary is sentences of the text. A sentence of the model is
    kept only where the text holds it, see `rove.answer.cite.support`.
    """

    def __init__(self, context: EnrichContext) -> None:
        self.store = context.store
        self.embedder = context.embedder
        self.kept = KeptSummaries(context.store.catalog.database)
        chat = context.chat() if context.settings.ask_model else None
        self.model = SummaryModel(chat) if chat else None
        self.by = f"{READER}, {chat.name}" if chat else READER
        self.notes: list[str] = []

    async def estimate(self) -> Estimate:
        """See `Enricher.estimate`: a call for each section, and each part of a long one."""
        unread = await asyncio.to_thread(self.kept.unread, self.by)
        if not self.model:
            return Estimate(len(unread))
        calls = tokens = 0
        for start in range(0, len(unread), BATCH):
            for _, document, _, root in await asyncio.to_thread(self._read, unread[start : start + BATCH]):
                for branch in filter(is_long, root.downwards()):
                    calls += 1
                    tokens += self.model.tokens(" ".join(document.text[slice(*span)] for span in branch.own))
                    tokens += REPLY_TOKENS * len(branch.below)
        return Estimate(len(unread), calls, tokens, calls * REPLY_TOKENS)

    async def found(self) -> AsyncIterator[FoundSummaries]:
        """See `Enricher.found`."""
        unread = await asyncio.to_thread(self.kept.unread, self.by)
        for start in range(0, len(unread), BATCH):
            read = await asyncio.to_thread(self._read, unread[start : start + BATCH])
            yield FoundSummaries([await self._summed(*one) for one in read], self.by)
        if self.model and self.model.failed:
            self.notes.append(FAILED.format(count=self.model.failed, reason=self.model.reason))
        if self.model and self.model.not_held:
            self.notes.append(NOT_HELD.format(count=self.model.not_held))

    def _read(self, rows: Sequence[tuple[int, str]]) -> list[Read]:
        """Fetch documents that are still there: row number, document, chunks, tree."""
        found = ((row, self.store.catalog.document(document_id)) for row, document_id in rows)
        return [(row, *held, tree_of(held[0], held[0].language)) for row, held in found if held]

    async def _summed(self, row: int, document: Document, chunks: Sequence[Chunk], root: Branch) -> SummedDocument:
        branches = list(root.downwards())
        own = {id(branch): summary_sentences(branch, document.text) for branch in branches}
        vectors = await self._embedded([line.text for branch in branches for line in own[id(branch)]])
        rest = iter(vectors)
        lines = {key: [Candidate(line, next(rest)) for line in said] for key, said in own.items()}
        ids = [chunk.chunk_id for chunk in chunks]
        await judge_chunks(self.store, self.embedder, ids)
        found = await self.store.chunk_vectors(ids) if chunks else vectors[:0]
        whole = {id(branch): _mean_direction(chunks, found, branch.span, self.store.dimension) for branch in branches}
        summed = await summed_up(root, lines, whole, self.model, document.language)
        told = [one for one in branches if is_long(one) and summed[id(one)]]
        kept = [root, *(one for one in told if one is not root)]
        summaries = [_summary(document, branch, summed[id(branch)], self.by) for branch in kept]
        return SummedDocument(row, await embedded(summaries, document, self.embedder))

    async def _embedded(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.store.dimension), np.float32)
        return await self.embedder.passages(texts)


async def embedded(
    summaries: Sequence[Summary], document: Document, embedder: Embedder
) -> list[tuple[Summary, Vectors]]:
    """Give each summary of a document its vector, by its headings and its sentences."""
    vectors = await embedder.passages([written_out(document.title, one) for one in summaries])
    return list(zip(summaries, vectors, strict=True))


def _summary(document: Document, branch: Branch, sentences: Sequence[SummarySentence], by: str) -> Summary:
    return Summary(document.document_id, branch.span, branch.headings, tuple(sentences), by)


def _mean_direction(chunks: Sequence[Chunk], vectors: Vectors, span: Span, dimension: int) -> Vectors:
    """The mean direction of the chunks that stand in a span: (dimension,) float32, zeros where there is none."""
    inside = [n for n, chunk in enumerate(chunks) if chunk.span[0] < span[1] and span[0] < chunk.span[1]]
    if not inside:
        return np.zeros(dimension, np.float32)
    mean = vectors[inside].mean(axis=0)
    return mean / max(float(np.linalg.norm(mean)), 1e-9)

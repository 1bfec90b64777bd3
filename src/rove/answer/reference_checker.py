"""Sentences held against numbered references: which of them hold one, and the exact words that do."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from rove.answer.cite import check, cite, support, support_block, translatable
from rove.answer.entailment import Entailment
from rove.answer.passages import TextOf, table_head
from rove.answer.reply import ReplyPart
from rove.answer.verdict import has_columns_of, is_quoted, is_same_block
from rove.language.detect import detect
from rove.language.rendering import render
from rove.models import Embedder
from rove.off_loop import chars_of, off_loop
from rove.records import Citation, Hit, Verdict
from rove.records.document import Span

UNKNOWN_LANGUAGE = "und"
TRANSLATED_SHARE = 0.8  # of max_distance: XQuAD de|en and zh|en, a sentence and its translation against its neighbours


@dataclass
class ReferenceChecker:
    """Where sentences are held against references, which are numbered from 1; canonical texts are fetched once."""

    hits: Sequence[Hit]
    language: str
    text_of: TextOf
    embedder: Embedder
    entailment: Entailment | None = None
    texts: dict[str, str] = field(default_factory=dict[str, str])
    translated: int = 0
    _confirmed: set[str] = field(default_factory=set[str])

    async def citations(self, piece: ReplyPart) -> tuple[Citation, ...]:
        """Return what a sentence rests on: its own references that hold it, else the first other one that does."""
        named = [number for number in piece.numbers if 1 <= number <= len(self.hits)]
        held = await asyncio.to_thread(self._held, piece, iter(named), len(named))
        found = [citation for number, span in held if (citation := await self._citation(number, span))]
        if found:
            return tuple(found)
        others = iter([number for number in range(1, len(self.hits) + 1) if number not in named])
        while held := await asyncio.to_thread(self._held, piece, others, 1):
            if citation := await self._citation(*held[0]):
                return (citation,)
        for number in named:
            if citation := await self._citation(number, await self._translated_span(piece, number)):
                self.translated += 1
                return (citation,)
        return await self._confirmed_citations(piece, named)

    async def _confirmed_citations(self, piece: ReplyPart, named: Sequence[int]) -> tuple[Citation, ...]:
        """Return what the chat model confirms that a sentence rests on, where its words do not show it.

        Of each reference it names that is the sentence nearest in meaning which has its values.
        """
        for number in named if self.entailment and not piece.block else ():
            nearest = await self._nearest(piece, self.hits[number - 1].chunk.text, self._language_of(number))
            citation = await self._citation(number, nearest and nearest[0])
            if citation and self.entailment and await self.entailment.holds(piece.text, [await _line(citation)]):
                self._confirmed.add(piece.text)
                return (citation,)
        return ()

    async def verdict(self, piece: ReplyPart, citations: Sequence[Citation]) -> Verdict:
        """Say what is known of a sentence that these citations hold.

        Common words do not tell whether they are said of each other (docs/decisions/036-verdicts.md). Without
        `entailment` all but the source's own words, and its tables cell by cell, is therefore doubtful.
        """
        chars = len(piece.text) + chars_of(citation.quote for citation in citations)
        known = await off_loop(chars, self._verdict, piece, citations)
        if known or self.entailment is None:
            return known or "doubtful"
        quotes = await off_loop(chars, lambda: [render(citation.quote).line for citation in citations])
        return "supported" if await self.entailment.holds(piece.text, quotes) else "doubtful"

    def _verdict(self, piece: ReplyPart, citations: Sequence[Citation]) -> Verdict | None:
        """What the words alone show of a sentence; None where they show nothing."""
        if piece.block:
            if any(is_same_block(piece.text, citation.quote) for citation in citations):
                return "quoted"
            chunks = [self.hits[citation.number - 1].chunk for citation in citations]
            named = any(has_columns_of(piece.text, chunk.text, table_head(chunk)) for chunk in chunks)
            return "supported" if named else "doubtful"
        if piece.text in self._confirmed:
            return "supported"
        if any(is_quoted(piece.text, c.quote, self._language_of(c.number)) for c in citations):
            return "quoted"
        return None

    async def is_of(self, persona: str, piece: ReplyPart) -> bool:
        """Say whether a sentence says who the assistant is, as the persona has it, in whatever language."""
        if not persona or piece.block:
            return False
        spoken = detect(persona)
        if support(piece.text, persona, self.language if spoken == UNKNOWN_LANGUAGE else spoken):
            return True
        return await self._translated(piece, persona, spoken) is not None

    def _held(self, piece: ReplyPart, numbers: Iterator[int], most: int) -> list[tuple[int, Span]]:
        """Return the first references of these, `most` at most, that hold a sentence, with their spans."""
        held = ((number, span) for number in numbers if (span := self._span(piece, number)))
        return list(islice(held, most))

    def _language_of(self, number: int) -> str:
        language = self.hits[number - 1].chunk.language
        return self.language if language == UNKNOWN_LANGUAGE else language

    def _span(self, piece: ReplyPart, number: int) -> Span | None:
        hit = self.hits[number - 1]
        head = table_head(hit.chunk)
        if piece.block:
            return support_block(piece.text, hit.chunk.text, head, self._language_of(number))
        context = " ".join((hit.title, *hit.chunk.headings, head))
        return support(piece.text, hit.chunk.text, self._language_of(number), context=context)

    async def _translated_span(self, piece: ReplyPart, number: int) -> Span | None:
        return await self._translated(piece, self.hits[number - 1].chunk.text, self._language_of(number))

    async def _translated(self, piece: ReplyPart, text: str, language: str) -> Span | None:
        if piece.block or language == self.language:
            return None
        nearest = await self._nearest(piece, text, language)
        return nearest[0] if nearest and nearest[1] <= TRANSLATED_SHARE * self.embedder.max_distance else None

    async def _nearest(self, piece: ReplyPart, text: str, language: str) -> tuple[Span, float] | None:
        """Return the sentence of a text nearest in meaning among those that have a sentence's values; its distance."""
        spans = await asyncio.to_thread(translatable, piece.text, self.language, text, language)
        if not spans:
            return None
        vectors = await self.embedder.passages([piece.text, *(text[start:end] for start, end in spans)])
        distances = 1.0 - vectors[1:] @ vectors[0]
        nearest = int(distances.argmin())
        return spans[nearest], float(distances[nearest])

    async def _citation(self, number: int, span: Span | None) -> Citation | None:
        if span is None:
            return None
        citation = cite(self.hits[number - 1], number, span)
        if citation.document_id not in self.texts:
            self.texts[citation.document_id] = await self.text_of(citation.document_id)
        return citation if check(citation, self.texts[citation.document_id]) else None


async def _line(citation: Citation) -> str:
    return (await off_loop(len(citation.quote), render, citation.quote)).line

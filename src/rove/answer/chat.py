"""Answers by a chat model: its reply, sentence by sentence, held against the references that it was given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from rove.answer.cite import check, cite, support, support_block, translatable
from rove.answer.claim import read_claim
from rove.answer.pack import instructions, pack
from rove.answer.reading import table_head
from rove.answer.refusal import is_refusal
from rove.answer.reply import ReplyPart, put_together, take_apart
from rove.errors import ServiceError
from rove.events import Listener, TextDelta
from rove.language.detect import detect
from rove.models import ChatModel, Embedder
from rove.records import Citation, Hit, Sentence
from rove.records.document import Span
from rove.settings import AnswerSettings
from rove.tracing import stage

UNKNOWN_LANGUAGE = "und"
TRANSLATED_SHARE = 0.8  # of max_distance: XQuAD de|en and zh|en, a sentence and its translation against its neighbours


@dataclass(frozen=True, slots=True)
class Verified:
    """What is left of a reply. `refused`: it says that the references do not hold the answer.

    `dropped`: sentences that no reference holds. `moved`: sentences whose citations had to be mended. `translated`:
    sentences that rest on a source in another language.
    """

    text: str = ""
    sentences: tuple[Sentence, ...] = ()
    refused: bool = False
    dropped: int = 0
    moved: int = 0
    translated: int = 0

    @property
    def holds(self) -> bool:
        """True when at least one sentence is tied to a source, or to the persona."""
        return any(sentence.supported for sentence in self.sentences)


async def write(
    question: str, hits: Sequence[Hit], language: str, chat: ChatModel, settings: AnswerSettings, listener: Listener
) -> str:
    """Ask the chat model, with the settings' persona and demonstrations; the listener gets its pieces as they come.

    Raises:
        ServiceError: the model failed, or wrote nothing.
    """
    pieces: list[str] = []
    with stage("prompt", references=len(hits)):
        told = instructions(settings.persona, language, settings.demonstrations)
        material = told, pack(question, hits, language)
    stream = chat.stream(*material)
    with stage("write"):
        try:
            async for piece in stream:
                pieces.append(piece)
                listener(TextDelta(piece))
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()
    reply = "".join(pieces).strip()
    if not reply:
        message = f"{chat.name} gave an empty reply."
        raise ServiceError(message, cure="Ask again, or choose another chat.model.")
    return reply


async def verify(
    reply: str,
    hits: Sequence[Hit],
    language: str,
    text_of: Callable[[str], Awaitable[str]],
    embedder: Embedder,
    *,
    persona: str = "",
) -> Verified:
    """Hold each sentence of a reply against the references.

    A sentence keeps those of its citations that `support` confirms. One that keeps none gets the first reference that
    supports it, and if there is none it is marked unsupported and left out of the text. A cited reference in another
    language holds a sentence by nearness of meaning and by `translatable`. Headings and lead-ins stay as
    long as something under them does. Every quote is checked against the document's canonical text once more.
    What the `persona` holds may be said without a citation; "" is no persona.
    """
    checker = ReferenceChecker(hits, language, text_of, embedder)
    pieces = await asyncio.to_thread(take_apart, reply, language)
    refused = any(is_refusal(piece.text) for piece in pieces)
    sentences: list[Sentence] = []
    kept: list[tuple[ReplyPart, tuple[int, ...]]] = []
    dropped = moved = 0
    with stage("check", sentences=len(pieces)) as checking:
        for piece in pieces:
            if is_refusal(piece.text):
                continue
            if _claims_nothing(piece, language):
                kept.append((piece, ()))
                continue
            citations = await checker.citations(piece)
            held = bool(citations) or await checker.is_of(persona, piece)
            sentences.append(Sentence(piece.text, citations, supported=held))
            if held:
                numbers = tuple(citation.number for citation in citations)
                moved += numbers != piece.numbers
                kept.append((piece, numbers))
            else:
                dropped += 1
        checking.tell(dropped=dropped, moved=moved)
    text = put_together(_without_empty_headings(kept, language))
    return Verified(text, tuple(sentences), refused, dropped, moved, checker.translated)


@dataclass
class ReferenceChecker:
    """Where sentences are held against references, which are numbered from 1; canonical texts are fetched once."""

    hits: Sequence[Hit]
    language: str
    text_of: Callable[[str], Awaitable[str]]
    embedder: Embedder
    texts: dict[str, str] = field(default_factory=dict[str, str])
    translated: int = 0

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
        return ()

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
            return support_block(piece.text, hit.chunk.text, head)
        context = " ".join((hit.title, *hit.chunk.headings, head))
        return support(piece.text, hit.chunk.text, self._language_of(number), context=context)

    async def _translated_span(self, piece: ReplyPart, number: int) -> Span | None:
        return await self._translated(piece, self.hits[number - 1].chunk.text, self._language_of(number))

    async def _translated(self, piece: ReplyPart, text: str, language: str) -> Span | None:
        if piece.block or language == self.language:
            return None
        spans = await asyncio.to_thread(translatable, piece.text, self.language, text, language)
        if not spans:
            return None
        vectors = await self.embedder.passages([piece.text, *(text[start:end] for start, end in spans)])
        distances = 1.0 - vectors[1:] @ vectors[0]
        nearest = int(distances.argmin())
        return spans[nearest] if distances[nearest] <= TRANSLATED_SHARE * self.embedder.max_distance else None

    async def _citation(self, number: int, span: Span | None) -> Citation | None:
        if span is None:
            return None
        citation = cite(self.hits[number - 1], number, span)
        if citation.document_id not in self.texts:
            self.texts[citation.document_id] = await self.text_of(citation.document_id)
        return citation if check(citation, self.texts[citation.document_id]) else None


def _claims_nothing(piece: ReplyPart, language: str) -> bool:
    """Say whether a piece needs no source: a heading or empty phrase without number, link or quotation."""
    claim = read_claim(piece.text, language)
    bare = not (claim.numbers or claim.links or claim.quotations or piece.block)
    return bare and (piece.introduces or claim.empty)


def _without_empty_headings(
    kept: Sequence[tuple[ReplyPart, tuple[int, ...]]], language: str
) -> list[tuple[ReplyPart, tuple[int, ...]]]:
    """Leave out what introduces nothing that was kept."""
    left: list[tuple[ReplyPart, tuple[int, ...]]] = []
    for piece, numbers in reversed(kept):
        if left or not _claims_nothing(piece, language):
            left.append((piece, numbers))
    return left[::-1]

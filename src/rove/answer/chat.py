"""Answers by a chat model: its reply, sentence by sentence, held against the references that it was given.

A sentence is checked as soon as it is whole, and shown once it has passed: what was shown stays, and is the answer.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from rove.answer.claim import read_claim
from rove.answer.entailment import Entailment
from rove.answer.pack import instructions, pack
from rove.answer.passages import TextOf
from rove.answer.reference_checker import ReferenceChecker
from rove.answer.refusal import is_refusal
from rove.answer.reply import ReplyParser, ReplyPart, ReplyText
from rove.errors import ServiceError
from rove.events import Listener, TextDelta, ignore
from rove.models import ChatModel, Embedder
from rove.records import Hit, Sentence
from rove.settings import AnswerSettings
from rove.tracing import stage


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """What an answer is made with. `chat` is None where there is none; `text_of` gives a document's canonical text."""

    embedder: Embedder
    chat: ChatModel | None
    settings: AnswerSettings
    text_of: TextOf
    listener: Listener = ignore


@dataclass(frozen=True, slots=True)
class Verified:
    """What is left of a reply. `refused`: it says that the references do not hold the answer.

    `moved`: sentences whose citations had to be mended. `translated`:
    sentences that rest on a source in another language. `failure`: why the reply is not whole; None where it is.
    """

    text: str = ""
    sentences: tuple[Sentence, ...] = ()
    refused: bool = False
    moved: int = 0
    translated: int = 0
    failure: ServiceError | None = None

    @property
    def holds(self) -> bool:
        """True when at least one sentence is tied to a source, or to the persona."""
        return any(sentence.kept for sentence in self.sentences)

    @property
    def dropped(self) -> int:
        """Sentences that no reference holds."""
        return sum(not sentence.kept for sentence in self.sentences)

    @property
    def doubtful(self) -> int:
        """Sentences whose words a reference holds, but perhaps not said of each other."""
        return sum(sentence.verdict == "doubtful" for sentence in self.sentences)


async def write(
    question: str, shown: Sequence[Hit], hits: Sequence[Hit], language: str, chat: ChatModel, context: AnswerContext
) -> Verified:
    """Ask the chat model, and hold each sentence of its reply against the references.

    A sentence keeps those of its citations that `support` confirms. One that keeps none gets the first reference that
    supports it, and if there is none it is unsupported and left out of the text. What is known of each is its
    verdict; a doubtful one has a question mark in its citations. A cited reference in another
    language holds a sentence by nearness of meaning and by `translatable`. Headings and lead-ins stay as long as
    something under them does. Every quote is checked against the document's canonical text once more. What the
    settings' persona holds of the assistant may be said without a citation.

    What was written before the model failed or was cut off is kept, without an unfinished last sentence; `failure` says
    why.

    Args:
        question: as it was asked.
        shown: the references as the model sees them, numbered from 1.
        hits: the references as sentences are held against them, in the same order.
        language: the question's.
        chat: the model.
        context: its settings have persona and demonstrations; its listener gets the text as it passes.

    Raises:
        ServiceError: the embedder failed.
    """
    entailment = Entailment(chat) if context.settings.verify else None
    checking = _Checking(ReferenceChecker(hits, language, context.text_of, context.embedder, entailment), context)
    with stage("prompt", references=len(shown)):
        settings = context.settings
        told = instructions(settings.persona, language, settings.demonstrations, settings.style)
        material = pack(question, shown, language)
    reply = Reply(chat, told, material, language)
    with stage("write") as writing:
        async with aclosing(reply.parts()) as parts:
            async for part in parts:
                with stage("check"):
                    await checking.take(part)
        verified = checking.verified(reply.failure)
        writing.tell(
            sentences=len(verified.sentences),
            dropped=verified.dropped,
            doubtful=verified.doubtful,
            moved=verified.moved,
            failed=verified.failure is not None,
        )
    return verified


@dataclass
class Reply:
    """What a chat model writes. `failure`: why it is not whole, once it has ended; None where it is."""

    chat: ChatModel
    instructions: str
    prompt: str
    language: str
    failure: ServiceError | None = None

    async def parts(self) -> AsyncGenerator[ReplyPart]:
        """Ask, and yield sentences, tables and code blocks, each as soon as it is whole."""
        empty = True
        parser = ReplyParser(self.language)
        stream = self.chat.stream(self.instructions, self.prompt)
        try:
            async for piece in stream:
                for part in parser.feed(piece):
                    empty = False
                    yield part
        except ServiceError as error:
            self.failure = error
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()
        rest = parser.cut() if self.failure else parser.close()
        if empty and not rest and not self.failure:
            message = f"{self.chat.name} gave an empty reply."
            self.failure = ServiceError(message, cure="Ask again, or choose another chat.model.")
        for part in rest:
            yield part


@dataclass
class _Checking:
    """Parts of a reply, checked one after the other, and the text of those that have passed."""

    checker: ReferenceChecker
    context: AnswerContext
    sentences: list[Sentence] = field(default_factory=list[Sentence])
    text: str = ""
    refused: bool = False
    moved: int = 0
    _waiting: list[ReplyPart] = field(default_factory=list[ReplyPart])
    _layout: ReplyText = field(default_factory=ReplyText)

    async def take(self, part: ReplyPart) -> None:
        """Check the next part, and show it if it passes, with the headings and lead-ins that have waited for it."""
        if is_refusal(part.text):
            self.refused = True
            return
        if _claims_nothing(part, self.checker.language):
            self._waiting.append(part)
            return
        citations = await self.checker.citations(part)
        if citations:
            verdict = await self.checker.verdict(part, citations)
        else:
            portrayed = await self.checker.is_of(self.context.settings.self_portrait, part)
            verdict = "supported" if portrayed else "unsupported"
        sentence = Sentence(part.text, citations, verdict)
        self.sentences.append(sentence)
        if not sentence.kept:
            return
        numbers = tuple(citation.number for citation in citations)
        self.moved += numbers != part.numbers
        passed = "".join(self._layout.add(one, ()) for one in self._waiting) + self._layout.add(
            part, numbers, doubtful=verdict == "doubtful"
        )
        self._waiting.clear()
        self.text += passed
        self.context.listener(TextDelta(passed))

    def verified(self, failure: ServiceError | None) -> Verified:
        """Return what has come of the reply."""
        return Verified(
            self.text,
            tuple(self.sentences),
            self.refused,
            self.moved,
            self.checker.translated,
            failure,
        )


def _claims_nothing(part: ReplyPart, language: str) -> bool:
    """Say whether a part needs no source: a heading or empty phrase without number, link or quotation."""
    claim = read_claim(part.text, language)
    bare = not (claim.numbers or claim.links or claim.quotations or part.block)
    return bare and (part.introduces or claim.empty)

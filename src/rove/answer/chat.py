"""Answers by a chat model: its reply as it is written, each sentence with the words that hold it, or a mark.

A sentence is checked as soon as it is whole, and then shown: what was shown stays, and is the answer.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from rove.answer.cite import marks
from rove.answer.claim import read_claim
from rove.answer.pack import instructions, language_name, pack
from rove.answer.passages import TextOf
from rove.answer.reference_checker import ReferenceChecker
from rove.answer.refusal import is_refusal
from rove.answer.repeats import Repeats
from rove.answer.reply import ReplyParser, ReplyPart, ReplyText
from rove.answer.sentence_judge import SentenceJudge
from rove.errors import ServiceError
from rove.events import Listener, TextDelta, ignore
from rove.language.detect import detect, other_language
from rove.models import ChatModel, Embedder
from rove.models.judge import Judge
from rove.models.prompts import fill, prompt
from rove.models.thinking import with_thoughts
from rove.records import Hit, Sentence, Verdict
from rove.records.answer import GAP
from rove.settings import AnswerSettings
from rove.tracing import stage

LOOK_CHARS = 120
"""After so many characters of a reply its language is looked at no more: what follows is shown as it comes."""

MOST_THOUGHT_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """What an answer is made with. `chat` is None where there is none; `text_of` gives a document's canonical text.

    `judge` says whether sources say what a sentence says; without one, rules about words do. `doubtful`: see
    `GateVerdict`.
    """

    embedder: Embedder
    chat: ChatModel | None
    settings: AnswerSettings
    text_of: TextOf
    listener: Listener = ignore
    judge: Judge | None = None
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Verified:
    """What is known of a reply. `refused`: it says that the references do not hold the answer.

    `hits`: the references in the order in which they are cited, by which citations are numbered. `moved`: sentences
    whose citations had to be mended. `judged`: a judge has read with it. `failure`: why the reply is not whole; None
    where it is. `repeats`, `written_in`, `thoughts`: see `Reply`.
    """

    text: str = ""
    sentences: tuple[Sentence, ...] = ()
    hits: tuple[Hit, ...] = ()
    refused: bool = False
    moved: int = 0
    judged: bool = False
    failure: ServiceError | None = None
    repeats: int = 0
    written_in: str = ""
    thoughts: str = ""

    @property
    def holds(self) -> bool:
        """True when the reply is shown: a source, or the persona, says something of what stands in it, or otherwise."""
        return any(sentence.kept and sentence.verdict != "unsourced" for sentence in self.sentences)

    @property
    def deleted(self) -> int:
        """Sentences that do not stand in the text."""
        return sum(sentence.deleted for sentence in self.sentences)

    def count(self, verdict: Verdict) -> int:
        """Count the sentences that stand in the text with a verdict."""
        return sum(sentence.verdict == verdict and sentence.kept for sentence in self.sentences)


async def write_answer(
    question: str, shown: Sequence[Hit], hits: Sequence[Hit], language: str, chat: ChatModel, context: AnswerContext
) -> Verified:
    """Ask the chat model, and say of each sentence of its reply whether the references say it.

    The reply stands as it is written, but for its citations: a sentence keeps those of them that hold it, in the order
    of reading, else gets others that do (`ReferenceChecker`). One that its source contradicts, and one that no source
    says, is marked; with `answer.strict` it is deleted, and a sign of it stands in its place. One with an address that
    stands in no reference is always deleted: whoever opens it tells what was read. Every quote is checked against the
    document's canonical text once more. What the settings' persona holds of the assistant may be said without a
    citation.

    What was written before the model failed or was cut off is kept, without an unfinished last sentence; `failure` says
    why. Nothing is shown before a source says something of the reply, or otherwise: a refusal, or what has nothing to
    do with the references, is no answer.

    Args:
        question: as it was asked.
        shown: the references as the model sees them, numbered from 1.
        hits: the references as sentences are held against them, in the same order.
        language: the question's.
        chat: the model.
        context: its settings have persona and demonstrations; its listener gets the text as it is checked.

    Raises:
        ServiceError: the embedder failed.
    """
    settings = context.settings
    judge = replace(SentenceJudge.of(context.judge, chat, verify=settings.verify), doubtful=context.doubtful)
    checker = ReferenceChecker(hits, language, context.text_of, context.embedder, judge, question)
    checking = _Checking(checker, context)
    with stage("prompt", references=len(shown)):
        told = instructions(settings.persona, language, settings.demonstrations, settings.style)
        material = pack(question, shown, language)
    reply = Reply(chat, told, material, language)
    with stage("write") as writing:
        async with aclosing(reply.parts()) as parts:
            async for part in parts:
                with stage("check"):
                    await checking.take(part)
        verified = replace(
            checking.verified(reply.failure),
            repeats=reply.repeats,
            written_in=reply.written_in,
            thoughts=reply.thoughts if settings.thoughts else "",
        )
        writing.tell(
            sentences=len(verified.sentences),
            deleted=verified.deleted,
            differs=verified.count("differs"),
            unsourced=verified.count("unsourced"),
            moved=verified.moved,
            repeats=verified.repeats,
            failed=verified.failure is not None,
        )
    return verified


@dataclass
class Reply:
    """What a chat model writes. `failure`: why it is not whole, once it has ended; None where it is.

    A reply that is surely not in `language` is broken off, and asked for once more; `written_in`: the language of one
    that is in another one still. `repeats`: how many sentences it only said again, which are left out. `thoughts`: what
    the model thought before it wrote, its first `MOST_THOUGHT_CHARS`.
    """

    chat: ChatModel
    instructions: str
    prompt: str
    language: str
    failure: ServiceError | None = None
    repeats: int = 0
    written_in: str = ""
    thoughts: str = ""

    async def parts(self) -> AsyncGenerator[ReplyPart]:
        """Ask, and yield sentences, tables and code blocks, each as soon as it is whole."""
        async with aclosing(self._unless_in_another_language()) as parts:
            async for part in parts:
                yield part
        if self.written_in:
            written, language = language_name(self.written_in), language_name(self.language)
            slots = {"prompt": self.prompt, "written": written, "language": language}
            self.failure, self.written_in = None, ""
            said: list[str] = []
            async with aclosing(self._asked(fill(prompt("rove.answer", "other_language"), slots))) as parts:
                async for part in parts:
                    said.append("" if part.block or is_refusal(part.text) else part.text)
                    yield part
            self.written_in = other_language(" ".join(said), self.language)

    async def _unless_in_another_language(self) -> AsyncGenerator[ReplyPart]:
        """Ask, and yield the reply once its beginning may be in the question's language."""
        held: list[ReplyPart] = []
        said, shows = "", False
        async with aclosing(self._asked(self.prompt)) as parts:
            async for part in parts:
                if shows:
                    yield part
                    continue
                held.append(part)
                said += "" if part.block or is_refusal(part.text) else f" {part.text}"
                self.written_in = other_language(said, self.language)
                if self.written_in:
                    return
                shows = len(said) >= LOOK_CHARS or detect(said) == self.language
                for one in held if shows else ():
                    yield one
        for one in () if shows else held:
            yield one

    async def _asked(self, asked: str) -> AsyncGenerator[ReplyPart]:
        """Ask, and yield the reply, each of its sentences once."""
        empty = True
        parser, repeats = ReplyParser(self.language), Repeats()
        stream, thoughts = self.chat.stream(self.instructions, asked), list[str]()
        try:
            async for piece in with_thoughts(stream, thoughts):
                for part in parser.feed(piece):
                    empty = False
                    for new in repeats.take(part):
                        yield new
                if repeats.endless:
                    break
        except ServiceError as error:
            self.failure = error
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()
        self.thoughts = "".join(thoughts).strip()[:MOST_THOUGHT_CHARS]
        rest = parser.cut() if self.failure else parser.close()
        if empty and not rest and not self.failure:
            message = f"{self.chat.name} gave an empty reply."
            self.failure = ServiceError(message, cure="Ask again, or choose another chat.model.")
        for part in repeats.rest(rest):
            yield part
        self.repeats = repeats.count


@dataclass
class _Checking:
    """Parts of a reply, checked one after the other, and the text that they make."""

    checker: ReferenceChecker
    context: AnswerContext
    sentences: list[Sentence] = field(default_factory=list[Sentence])
    text: str = ""
    refused: bool = False
    moved: int = 0
    _before: str = ""
    _holds: bool = False
    _unsaid: str = ""
    _numbers: dict[int, int] = field(default_factory=dict[int, int])
    _layout: ReplyText = field(default_factory=ReplyText)

    async def take(self, part: ReplyPart) -> None:
        """Check the next part, and show it."""
        if is_refusal(part.text):
            self.refused = True
            return
        if _claims_nothing(part, self.checker.language):
            self._tell(self._layout.add(part))
            return
        sentence = await self._checked(part)
        self.sentences.append(sentence)
        self._before = part.text if sentence.held and not part.block else ""
        self._holds = self._holds or (sentence.kept and sentence.verdict != "unsourced")
        numbers = [citation.number for citation in sentence.citations]
        self._tell(self._layout.add(part, marks(numbers, sentence.verdict), text="" if sentence.kept else GAP))

    async def _checked(self, part: ReplyPart) -> Sentence:
        sentence = await self.checker.check(part, self._before)
        if not sentence.held and await self.checker.is_of(self.context.settings.self_portrait, part):
            return Sentence(part.text, (), "supported")
        if sentence.deleted or (self.context.settings.strict and not sentence.held):
            return replace(sentence, citations=(), deleted=True)
        self.moved += sentence.held and part.numbers != tuple(citation.number for citation in sentence.citations)
        numbered = tuple(replace(one, number=self._numbered(one.number)) for one in sentence.citations)
        return replace(sentence, citations=numbered)

    def _numbered(self, number: int) -> int:
        """Return the number that a reference has in the answer: the first that is cited has 1."""
        return self._numbers.setdefault(number, len(self._numbers) + 1)

    def _tell(self, text: str) -> None:
        """Show a text, once a source has said something of the reply, with what waited for that."""
        self._unsaid += text
        if self._holds and self._unsaid:
            self.text += self._unsaid
            self.context.listener(TextDelta(self._unsaid))
            self._unsaid = ""

    def verified(self, failure: ServiceError | None) -> Verified:
        """Return what has come of the reply."""
        return Verified(
            self.text,
            sentences=tuple(self.sentences),
            hits=tuple(self.checker.hits[number - 1] for number in self._order()),
            refused=self.refused,
            moved=self.moved,
            judged=self.checker.judge.reads,
            failure=failure,
        )

    def _order(self) -> list[int]:
        """Return the numbers of the references as the model saw them, in the order of their new ones."""
        rest = (number for number in range(1, len(self.checker.hits) + 1) if number not in self._numbers)
        return [*self._numbers, *rest]


def _claims_nothing(part: ReplyPart, language: str) -> bool:
    """Say whether a part needs no source: a heading or empty phrase without number, link or quotation."""
    claim = read_claim(part.text, language)
    bare = not (claim.numbers or claim.links or claim.quotations or part.block)
    return bare and (part.introduces or claim.empty)

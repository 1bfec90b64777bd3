"""The stage: refuse, quote, or let the chat model write and hold every sentence of it against the sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from rove.answer.chat import AnswerContext, Verified, write_answer
from rove.answer.cite import check_citation, marks
from rove.answer.extract import Candidate, FollowUp, best_quotes, table_of
from rove.answer.gate import GateVerdict
from rove.answer.judged_spans import JudgedSpans, judged_spans
from rove.answer.passages import TextOf, read_parents
from rove.answer.refusal import refusal
from rove.answer.short_answer import short_answer
from rove.answer.spans import ReadSpans
from rove.errors import ServiceError
from rove.events import Listener
from rove.language.pipe_rows import as_table
from rove.language.rendering import render
from rove.models import ChatModel, Embedder
from rove.models.judge import Judge
from rove.records import Answer, Hit, Note, Sentence
from rove.settings import AnswerSettings
from rove.tracing import stage

NO_MODEL = Note("no-model")
NO_SENTENCE = Note("no-sentence")
REPEATED = Note("repeated")
OTHER_LANGUAGE = Note("other-language")
BY_RULES = Note("checked-by-rules")


class Answerer:
    """Turns hits into an answer.

    Args:
        embedder: chooses quotes.
        chat: writes; None means that answers are extractive.
        settings: see `AnswerSettings`.
        judge: says which passages answer, and where; None: the reader of kept tokens does.
    """

    def __init__(
        self, embedder: Embedder, chat: ChatModel | None, settings: AnswerSettings, judge: Judge | None = None
    ) -> None:
        self._embedder = embedder
        self._chat = chat
        self._settings = settings
        self._judge = judge

    async def answer(
        self,
        question: str,
        hits: Sequence[Hit],
        verdict: GateVerdict,
        *,
        language: str,
        text_of: TextOf,
        listener: Listener,
        follow: FollowUp | None = None,
    ) -> Answer:
        """Answer a question from the first `settings.references` hits, which are numbered from 1.

        Args:
            question: as it was asked.
            hits: best first. Of one that has a parent the parent is read (`read_parents`): it is then the reference.
            verdict: whether they are answered from (`Gate`).
            language: the question's, ISO 639-1; the answer and the refusal are in it.
            text_of: gives a document's canonical text by its id.
            listener: is told each sentence that the chat model has written and a reference holds, with what stands
                before it: together they are the answer's text. Where nothing holds, it is told nothing.
            follow: the question as it was asked, where rules have put it in the light of the turn before.

        Raises:
            ServiceError: the embedder failed. (When the chat model fails, the answer is extractive and says so.)
        """
        hits = tuple(hits[: self._settings.references])
        told = (verdict.note,) if verdict.note else ()
        if not verdict.passes:
            return refused(question, hits, language, *told)
        answer = await self._written(question, hits, verdict, language, text_of, listener, follow)
        return replace(answer, notes=(*answer.notes, *told))

    async def _written(
        self,
        question: str,
        found: Sequence[Hit],
        verdict: GateVerdict,
        language: str,
        text_of: TextOf,
        listener: Listener,
        follow: FollowUp | None,
    ) -> Answer:
        hits = await read_parents(found, text_of)

        async def quoted(note: Note) -> Answer:
            judged = await self._judged(question, found, verdict, language, follow)
            read = await ReadSpans.of(found, verdict.readings, self._embedder)
            return await self._quote(question, hits, read, judged, language, text_of, note, follow)

        if self._chat is None:
            return await quoted(NO_MODEL)
        context = AnswerContext(
            self._embedder, self._chat, self._settings, text_of, listener, self._judge, doubtful=verdict.doubtful
        )
        verified = await write_answer(question, hits, hits, language, self._chat, context)
        if verified.holds:
            answer = held(question, verified, language, self._chat.name)
            doubt = (Note("model-alone", {"model": self._chat.name}),) if verdict.doubtful else ()
            return replace(answer, notes=(*doubt, *answer.notes))
        if verified.refused:
            note = Note("model-found-none", {"model": self._chat.name})
        else:
            note = unheld_note(verified, self._chat.name)
            if not verdict.doubtful:  # else the model was asked what quotations would not answer
                return beside(await quoted(note), verified)
        return replace(refused(question, hits, language, note), thoughts=verified.thoughts)

    async def _judged(
        self, question: str, found: Sequence[Hit], verdict: GateVerdict, language: str, follow: FollowUp | None
    ) -> JudgedSpans | None:
        """Say where the judge sees answers. Of a question that follows another it cannot tell what it is about."""
        if self._judge is None or follow:
            return None
        return verdict.spans or await judged_spans(
            question, language, found, self._judge, self._embedder, verdict.readings
        )

    async def portrait(
        self, question: str, hits: Sequence[Hit], *, language: str, text_of: TextOf, listener: Listener
    ) -> Answer | None:
        """Answer a question about the assistant itself, of which only what the persona holds is kept (mission E.5).

        The chat model gets the references that there are, however far they are. None where there is no chat model, the
        demonstrations do not let it speak of itself, it fails, or nothing that it wrote is the persona's.
        """
        if self._chat is None or not self._settings.self_portrait:
            return None
        shown_to_it = await read_parents(hits[: self._settings.references], text_of)
        settings = self._settings.model_copy(update={"strict": True})
        context = AnswerContext(self._embedder, self._chat, settings, text_of, listener, self._judge)
        verified = await write_answer(question, shown_to_it, (), language, self._chat, context)
        told = any(sentence.held for sentence in verified.sentences)
        return held(question, verified, language, self._chat.name) if told else None

    async def _quote(
        self, question: str, hits: Sequence[Hit], read: ReadSpans, judged: JudgedSpans | None, language: str,
        text_of: TextOf, note: Note, follow: FollowUp | None,
    ) -> Answer:  # fmt: skip
        with stage("quote"):
            chosen = await best_quotes(
                question,
                hits,
                language,
                self._embedder,
                quotes=self._settings.quotes,
                spans=read,
                judged=judged,
                follow=follow,
            )
        quotes = [one for one in chosen if check_citation(one.citation, await text_of(one.citation.document_id))]
        if not quotes:
            return refused(question, hits, language, note, NO_SENTENCE)
        return replace(
            answer_from_quotes(question, quotes, hits, language, note), short=short_answer(quotes, judged or read)
        )


def answer_from_quotes(
    question: str, quotes: Sequence[Candidate], hits: Sequence[Hit], language: str, note: Note
) -> Answer:
    """Return quotes as an answer, cited by the hits that they are from; rows of one table as one."""
    quotes, hits = number_citations(quotes, hits)
    sentences = tuple(Sentence(render_block([one], marked=False), (one.citation,)) for one in quotes)
    text = "\n\n".join(render_block(list(block)) for _, block in groupby(quotes, table_of))
    return Answer(question, text, "extractive", language, sentences, tuple(hits), (note,))


def number_citations(quotes: Sequence[Candidate], hits: Sequence[Hit]) -> tuple[list[Candidate], list[Hit]]:
    """Return quotes with their references numbered in the order in which they are read, and these in that order."""
    numbers: dict[int, int] = {}
    for one in quotes:
        numbers.setdefault(one.citation.number, len(numbers) + 1)
    again = [replace(one, citation=replace(one.citation, number=numbers[one.citation.number])) for one in quotes]
    rest = [number for number in range(1, len(hits) + 1) if number not in numbers]
    return again, [hits[number - 1] for number in (*numbers, *rest)]


def render_block(block: Sequence[Candidate], *, marked: bool = True) -> str:
    """Render quotes of one block: a sentence, or the rows of one table under their header."""
    signs = [marks([one.citation.number]) if marked else "" for one in block]
    if not block[0].is_row:
        return f"{render(block[0].citation.quote).line} {signs[0]}".rstrip()
    return as_table(block[0].names, {one.citation.quote: sign for one, sign in zip(block, signs, strict=True)})


def held(question: str, verified: Verified, language: str, model: str) -> Answer:
    """Make the answer of a model's reply."""
    notes, cut = verified_notes(verified), verified.failure is not None
    hits, thoughts = verified.hits, verified.thoughts
    return Answer(question, verified.text, model, language, verified.sentences, hits, notes, cut=cut, thoughts=thoughts)


def beside(answer: Answer, verified: Verified) -> Answer:
    """Tell beside an answer of quotations what the model wrote and no source says."""
    written = tuple(replace(sentence, citations=(), deleted=True) for sentence in verified.sentences)
    return replace(answer, sentences=(*answer.sentences, *written), thoughts=verified.thoughts)


def refused(question: str, hits: Sequence[Hit], language: str, *notes: Note) -> Answer:
    """Make the refusal: the fixed sentence in the question's language, and why."""
    return Answer(question, refusal(language), "refused", language, (), tuple(hits), notes)


def unheld_note(verified: Verified, model: str) -> Note:
    """Say why nothing of a reply is shown: the model failed, or no reference holds it."""
    if verified.failure:
        return Note("model-failed", {"reason": str(verified.failure)})
    return Note("model-unheld", {"model": model})


def verified_notes(verified: Verified) -> tuple[Note, ...]:
    """Say what was left out of a reply, marked, or mended in it, and that it was cut off."""
    counted = (
        ("left-out", verified.deleted),
        ("differing", verified.count("differs")),
        ("unsourced", verified.count("unsourced")),
    )
    notes = [Note(code, {"count": count, "all": len(verified.sentences)}) for code, count in counted if count]
    if verified.moved:
        notes.append(Note("citations-corrected", {"count": verified.moved}))
    notes += [REPEATED] if verified.repeats else []
    notes += [OTHER_LANGUAGE] if verified.written_in else []
    notes += [] if verified.judged else [BY_RULES]
    if verified.failure:
        notes.append(cut_note(verified.failure))
    return tuple(notes)


def cut_note(failure: ServiceError) -> Note:
    """Say why a reply was cut off."""
    return Note("reply-cut", {"reason": str(failure)})

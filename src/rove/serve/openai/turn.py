"""One turn of a conversation as clients of OpenAI have it: a request of the front-end's own, or a question."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from copy import copy
from dataclasses import dataclass, replace

from rove.errors import InputError
from rove.language.rendering import render
from rove.models.usage import Usage
from rove.off_loop import chars_of, off_loop
from rove.records import Answer, Citation, Note
from rove.records.answer import DIFFERS
from rove.records.note import notes_text
from rove.serve.caller_view import CallerView
from rove.serve.context import ServerContext
from rove.serve.openai.front_ends import ATTACHED, NOTE, Spoken, asked_in, reply_to
from rove.serve.openai.links import Links, UrlCitation, citations_in, footer, spaced
from rove.serve.questions.asking import answering, check_question
from rove.serve.questions.results import CitationOut, HitOut, hits_out

NO_JSON = "Answers are text with citations, not JSON."


@dataclass(frozen=True, slots=True)
class TurnReply:
    """What has come of a turn. `cut`: the chat model's reply was cut off."""

    text: str
    notes: tuple[Note, ...]
    language: str = "en"
    cut: bool = False
    usage: Usage = Usage()  # noqa: RUF009 - frozen
    sources: tuple[UrlCitation, ...] = ()
    citations: tuple[CitationOut, ...] = ()
    nearest: tuple[HitOut, ...] = ()
    thoughts: str = ""

    @property
    def note(self) -> str:
        """What the notes say, in the language of the question."""
        return notes_text(self.notes, self.language)


@dataclass(frozen=True, slots=True)
class Turned:
    """A turn to be answered; `notes` say what of the request is not heeded."""

    server: ServerContext
    view: CallerView
    said: Spoken
    links: Links
    notes: tuple[Note, ...] = ()
    as_json: bool = False

    def checked(self) -> Turned:
        """Return it with its question alone, if it can be answered.

        Raises:
            DeniedError: the caller may not read.
            InputError: nothing is asked; or the answer is to be JSON.
            TooLargeError: the question is too long.
        """
        self.view.require("read")
        if reply_to(self.said) is not None:
            return self
        question = asked_in(self.said.question)
        if not question.strip():
            message = "There is no message of the user's with text."
            raise InputError(message, cure='Send one with the role "user".')
        if self.as_json:
            raise InputError(NO_JSON, cure='Leave out the response format, or give the type "text".')
        check_question(question, self.server)
        notes = self.notes if question == self.said.question else (*self.notes, ATTACHED)
        return replace(self, said=replace(self.said, question=question), notes=notes)

    async def pieces(self) -> AsyncGenerator[str | TurnReply]:
        """Yield the text, sentence by sentence as they pass their check, then what has come of it."""
        own = reply_to(self.said)
        if own is not None:
            yield own
            yield TurnReply(own, (NOTE,))
            return
        view, unused = self._in_style()
        linked = self.server.settings.source_links
        sent = ""
        async with aclosing(answering(self.server, view, self.said.question, history=self.said.history)) as pieces:
            async for told in pieces:
                if isinstance(told, str):
                    sent += told
                    yield spaced(told) if linked else told
                    continue
                if rest := told.answer.text[len(sent) :]:
                    yield spaced(rest) if linked else rest
                text = spaced(told.answer.text) if linked else told.answer.text
                if otherwise := _differences(told.answer):
                    yield otherwise
                    text += otherwise
                sources = citations_in(text, told.answer, self.links)
                if linked and (under := footer(text, sources)):
                    yield under
                    text += under
                cited = told.answer.citations
                quotes = await off_loop(chars_of(one.quote for one in cited), _to_citations_out, cited)
                yield TurnReply(
                    text,
                    (*told.answer.notes, *unused, *self.notes),
                    told.answer.language,
                    told.answer.cut,
                    told.usage,
                    tuple(sources),
                    quotes,
                    tuple(await hits_out(told.answer.nearest)),
                    told.answer.thoughts,
                )

    async def replied(self) -> TurnReply:
        """Return what comes of it, whole."""
        async with aclosing(self.pieces()) as pieces:
            async for piece in pieces:
                if isinstance(piece, TurnReply):
                    return piece
        message = "The answer did not come to its end."
        raise RuntimeError(message)

    def _in_style(self) -> tuple[CallerView, list[Note]]:
        """Return the view that answers as the system prompt wishes, or the same, and why it does not.

        The prompt is one for form alone: whoever asks may wish this, and every sentence is held against the sources.
        """
        system, limit = self.said.system.strip(), self.server.settings.max_question_chars
        if not system:
            return self.view, []
        if self.view.kb.chat_model() is None:
            return self.view, [Note("prompt-without-model")]
        if len(system) > limit:
            return self.view, [Note("prompt-too-long", {"size": len(system), "limit": limit})]
        kb, settings = copy(self.view.kb), self.view.kb.settings
        style = f"{settings.answer.style}\n{system}".strip()
        answer = settings.answer.model_copy(update={"style": style})
        kb.settings = settings.model_copy(update={"answer": answer})
        return replace(self.view, kb=kb), []


def _to_citations_out(citations: Sequence[Citation]) -> tuple[CitationOut, ...]:
    return tuple(map(CitationOut.of, citations))


def _differences(answer: Answer) -> str:
    """Return what sources say that sentences of an answer differ from, as lines beneath it, each with its mark."""
    told = [
        f"[{citation.number}{DIFFERS}] “{render(citation.quote).line}”"
        for sentence in answer.sentences
        if sentence.kept and sentence.verdict == "differs"
        for citation in sentence.citations
    ]
    return "".join(f"\n\n{line}" for line in dict.fromkeys(told))

"""An answer with a tool: it is run for the question, and its result is a source that is cited like a passage."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rove.answer.answerer import Answerer
from rove.answer.gate import GateVerdict
from rove.answer.passages import TextOf
from rove.answer.stored import stored_answer
from rove.events import Listener
from rove.language.detect import detect
from rove.models import ChatModel
from rove.records import Answer, Document, Filter, History, Hit, Note
from rove.records.tool import ToolRun
from rove.retrieve import Query, SearchContext, retrieve
from rove.settings import Settings
from rove.tools.hiding import hiding
from rove.tools.library import EMPTY, ToolLibrary
from rove.tools.result_text import as_hits
from rove.tools.tool_search import IS_TOOL

SHORT_CHARS = 600
"""A result that is no longer is the answer, as it is."""
PASSAGES = 3
"""Passages that stand beside a tool's result."""
START = History()


@dataclass(frozen=True, slots=True)
class ToolAnswerer:
    """Answers a question with what a tool gives. Only tools that read are run: nobody has confirmed anything here."""

    search_context: SearchContext
    chat: ChatModel | None
    settings: Settings
    library: ToolLibrary
    text_of: TextOf

    async def answer(
        self,
        question: str,
        where: Filter | None,
        listener: Listener,
        otherwise: Callable[[], Awaitable[Answer]],
        *,
        history: History = START,
        profile: Mapping[str, object] = EMPTY,
    ) -> Answer:
        """Answer with the tool that surely fits; where none does, it lacks a value or fails, `otherwise` answers.

        Where that refuses, and a tool lacks a value, the user is asked for it. What a question leaves open is filled in
        from `history` and `profile`. Secrets of sources are told nowhere.
        """
        hide = hiding(self.settings.tools)
        run = await self.library.run(
            question, surely=True, where=where, history=history, profile=profile, listener=listener
        )
        if run.outcome == "ran" and run.document and run.document.text.strip():
            return await self.from_result(question, run, run.document, where, listener)
        answer = await otherwise()
        plan = run.plan
        if plan and run.outcome == "asks" and plan.question and answer.refused:
            return Answer(question, hide(plan.question), "clarifying", answer.language, notes=answer.notes)
        if plan and run.outcome in {"failed", "unconfirmed"}:
            said = Note("tool-not-run", {"tool": plan.match.tool, "reason": hide(run.note)})
            return replace(answer, notes=(*answer.notes, said))
        return answer

    async def from_result(
        self, question: str, run: ToolRun, document: Document, where: Filter | None, listener: Listener
    ) -> Answer:
        """Answer from the result of a tool that ran, and from the passages beside it."""
        hide = hiding(self.settings.tools)
        document = replace(document, text=hide(document.text), title=hide(document.title))
        language = detect(question)
        beside = await retrieve("hybrid", self.search_context, Query(question, PASSAGES + 1, _omit_tools(where), True))
        settings = self.settings.answer
        own = as_hits(document)[: max(settings.references - PASSAGES, 1)]

        async def text_of(document_id: str) -> str:
            return document.text if document_id == document.document_id else await self.text_of(document_id)

        whole = quoted_result(question, own, language, ()) if self.chat is None else None
        if whole:
            return replace(whole, notes=self._said(run, document))
        answerer = Answerer(self.search_context.embedder, self.chat, settings, self.search_context.judge())
        answer = await answerer.answer(
            question,
            [*own, *(beside[:PASSAGES] if self.chat else ())],
            GateVerdict(True),
            language=language,
            text_of=text_of,
            listener=listener,
        )
        if not any(one.document_id == document.document_id for one in answer.citations):
            answer = quoted_result(question, own, language, answer.notes, most=len(document.text)) or answer
        return replace(answer, notes=(*self._said(run, document), *answer.notes))

    def _said(self, run: ToolRun, document: Document) -> tuple[Note, ...]:
        asked = Note("tool-asked", {"tool": run.plan.match.tool if run.plan else "", "title": document.title})
        return (asked, *(note.changed(hiding(self.settings.tools)) for note in run.notes))


def quoted_result(
    question: str, hits: Sequence[Hit], language: str, notes: tuple[Note, ...], *, most: int = SHORT_CHARS
) -> Answer | None:
    """Answer with a result word for word, each line cited; None where it is longer than `most` characters."""
    if not hits or sum(len(hit.chunk.text) for hit in hits) > most:
        return None
    answer = stored_answer(question, hits[:1], language, equal=True)
    return replace(answer, notes=notes)


def _omit_tools(where: Filter | None) -> Filter:
    """Passages that are no descriptions of tools."""
    return ~IS_TOOL if where is None else where & ~IS_TOOL

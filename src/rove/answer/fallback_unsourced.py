"""The fallback that lets the chat model answer without sources, and says so in the answer itself."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace

from rove.answer.answerer import cut_note
from rove.answer.chat import Reply
from rove.answer.fallback import Case, FallbackContext, Rescue
from rove.answer.pack import language_name, styled
from rove.answer.refusal import is_refusal, refusal
from rove.answer.reply import ReplyText
from rove.answer.word_lists import table
from rove.errors import CutReplyError
from rove.events import TextDelta
from rove.models.prompts import fence_material, fill, prompt
from rove.records import Answer, Note, Sentence

NEEDS_MODEL = Note("unsourced-needs-model")
MODE = "unsourced"
UNSOURCED, DIRECT = "unsourced", "direct"
"""Names of the prompt, and of the table of sentences: after a search that found nothing, and without a search."""
MOST_CHARS = 4_000


class UnsourcedFallback:
    """See `Fallback`. A model that refuses is taken at its word."""

    def __init__(self, context: FallbackContext) -> None:
        self._context = context

    async def rescue(self, case: Case) -> Rescue:
        """See `Fallback.rescue`."""
        chat, settings = self._context.chat, self._context.settings
        if chat is None:
            return Rescue(note=NEEDS_MODEL)
        slots = {
            "persona": f"{settings.persona}\n\n{styled(settings.style)}" if settings.style else settings.persona,
            "language": language_name(case.language),
            "refusal": refusal(case.language),
        }
        told = fill(prompt("rove.answer", UNSOURCED if case.searched else DIRECT), slots)
        asked = f"The question:\n{fence_material(case.question, 'question')}"
        reply = Reply(chat, told, asked, case.language)
        head = unsourced(case.language, searched=case.searched)
        written = await self._written(reply, head)
        if is_refusal(written):
            return Rescue(answer=Answer(case.question, refusal(case.language), "refused", case.language))
        notes = (Note("by-model-alone", {"model": chat.name}), *([cut_note(reply.failure)] if reply.failure else []))
        sentences = (Sentence(head, ()), Sentence(written, (), "unsourced"))
        answer = Answer(case.question, f"{head}\n\n{written}", MODE, case.language, sentences, (), notes)
        thoughts = reply.thoughts if settings.thoughts else ""
        return Rescue(answer=replace(answer, cut=reply.failure is not None, thoughts=thoughts))

    async def _written(self, reply: Reply, head: str) -> str:
        """Return the reply, and show it under its head; what may still turn out to be a refusal is not shown yet.

        Raises:
            ServiceError: there is nothing of it.
        """
        layout = ReplyText()
        written = shown = ""
        async with aclosing(reply.parts()) as parts:
            async for part in parts:
                if len(written) > MOST_CHARS:
                    reply.failure = CutReplyError(f"It is longer than {MOST_CHARS} characters.")
                    break
                written += layout.add(part)
                if not is_refusal(written):
                    text = f"{head}\n\n{written}"
                    self._context.listener(TextDelta(text.removeprefix(shown)))
                    shown = text
        if not written and reply.failure:
            raise reply.failure
        return written


def unsourced(language: str, *, searched: bool = True) -> str:
    """Return the sentence that says that an answer rests on no source; in English where there is none in a language.

    It says that nothing was found, or, where nothing was `searched` for, that.

    >>> unsourced("xx")[:17], unsourced("zh")[:5]
    ('Nothing was found', '未找到相关')
    >>> unsourced("en", searched=False)[:20]
    'Nothing was searched'
    """
    sentences = table(UNSOURCED if searched else DIRECT)
    return sentences.get(language.partition("-")[0].lower(), sentences["en"])

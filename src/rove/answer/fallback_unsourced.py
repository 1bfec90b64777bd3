"""The fallback that lets the chat model answer without sources, and says so in the answer itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from rove.answer.fallback import Case, FallbackContext, Rescue
from rove.answer.pack import language_name
from rove.answer.refusal import is_refusal, refusal
from rove.answer.word_lists import table
from rove.errors import ServiceError
from rove.events import TextDelta
from rove.models.prompts import fenced, fill, prompt
from rove.records import Answer, Sentence

NEEDS_MODEL = "To answer without sources needs a chat model, and none is configured."
MODE = "unsourced"
UNSOURCED, DIRECT = "unsourced", "direct"
"""Names of the prompt, and of the table of sentences: after a search that found nothing, and without a search."""
NOTE = "This is what {model} says by itself: no source holds it."
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
            "persona": settings.persona,
            "language": language_name(case.language),
            "refusal": refusal(case.language),
        }
        head = unsourced(case.language, searched=case.searched)
        self._context.listener(TextDelta(f"{head}\n\n"))
        written = await self._written(fill(prompt("rove.answer", UNSOURCED if case.searched else DIRECT), slots), case)
        if is_refusal(written):
            return Rescue(answer=Answer(case.question, refusal(case.language), "refused", case.language))
        sentences = (Sentence(head, ()), Sentence(written, (), supported=False))
        note = NOTE.format(model=chat.name)
        return Rescue(answer=Answer(case.question, f"{head}\n\n{written}", MODE, case.language, sentences, (), note))

    async def _written(self, instructions: str, case: Case) -> str:
        chat = self._context.chat
        pieces: list[str] = []
        if chat is None:
            return ""
        stream = chat.stream(instructions, f"The question:\n{fenced(case.question, 'question')}")
        try:
            async for piece in stream:
                pieces.append(piece)
                self._context.listener(TextDelta(piece))
                if sum(map(len, pieces)) > MOST_CHARS:
                    break
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()
        written = "".join(pieces).strip()
        if not written:
            message = f"{chat.name} gave an empty reply."
            raise ServiceError(message, cure="Ask again, or choose another chat.model.")
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

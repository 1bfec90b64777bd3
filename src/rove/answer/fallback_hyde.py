"""The fallback that makes an answer up and searches for what is near to it (HyDE, dense only, mission E.4)."""

from __future__ import annotations

from rove.answer.fallback import Case, FallbackContext, Rescue
from rove.question import AskedQuestion
from rove.question.hyde import as_indexed, hypothetical_answer, search_by_answer
from rove.records import Note

NEEDS_MODEL = Note("hyde-needs-model")


class HydeFallback:
    """See `Fallback`. The made-up answer is embedded in the form in which chunks are, and then thrown away."""

    def __init__(self, context: FallbackContext) -> None:
        self._context = context

    async def rescue(self, case: Case) -> Rescue:
        """See `Fallback.rescue`."""
        context = self._context
        if context.chat is None:
            return Rescue(note=NEEDS_MODEL)
        answer = await hypothetical_answer(AskedQuestion(case.question, case.language), context.chat)
        indexed = as_indexed(case.question, answer, context.prefix, context.template)
        hits = await search_by_answer(
            indexed, context.search_context, top_k=context.settings.references, where=case.where
        )
        return Rescue(tuple(hits))

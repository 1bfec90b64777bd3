"""The fallback that refuses: the fixed sentence in the question's language, and no model is asked."""

from __future__ import annotations

from rove.answer.fallback import Case, FallbackContext, Rescue
from rove.answer.refusal import refusal
from rove.records import Answer


class RefuseFallback:
    """See `Fallback`. It ends the chain."""

    def __init__(self, context: FallbackContext) -> None:
        del context

    async def rescue(self, case: Case) -> Rescue:
        """See `Fallback.rescue`."""
        return Rescue(answer=Answer(case.question, refusal(case.language), "refused", case.language))

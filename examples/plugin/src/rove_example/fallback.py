"""A fallback: where nothing was found, the number of somebody who knows."""

from __future__ import annotations

from rove.answer.fallback import Case, FallbackContext, Rescue
from rove.records import Answer


class Hotline:
    """See `rove.answer.fallback.Fallback`."""

    def __init__(self, context: FallbackContext) -> None:
        del context

    async def rescue(self, case: Case) -> Rescue:
        """See `Fallback.rescue`."""
        return Rescue(answer=Answer(case.question, "Ask the front desk, extension 100.", "hotline", case.language))

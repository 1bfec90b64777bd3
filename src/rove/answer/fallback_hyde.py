"""The fallback that makes an answer up and searches for what is near to it (HyDE, dense only, mission E.4)."""

from __future__ import annotations

from rove.answer.fallback import Case, Gear, Rescue
from rove.question import Asked
from rove.question.hyde import as_indexed, hypothetical_answer, search_by_answer

NEEDS_MODEL = "HyDE needs a chat model, and none is configured."


class HydeFallback:
    """See `Fallback`. The made-up answer is embedded in the form in which chunks are, and then thrown away."""

    def __init__(self, gear: Gear) -> None:
        self._gear = gear

    async def rescue(self, case: Case) -> Rescue:
        """See `Fallback.rescue`."""
        gear = self._gear
        if gear.chat is None:
            return Rescue(note=NEEDS_MODEL)
        answer = await hypothetical_answer(Asked(case.question, case.language), gear.chat)
        indexed = as_indexed(case.question, answer, gear.prefix, gear.template)
        hits = await search_by_answer(indexed, gear.means, top_k=gear.settings.references, where=case.where)
        return Rescue(tuple(hits))

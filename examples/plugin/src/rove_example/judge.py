"""A judge: a passage answers as far as it holds the question's words, and supports what stands in it to the letter."""

from __future__ import annotations

from rove.models.judge import JudgedSpan, Support
from rove.settings import JudgeSettings


class SharedWords:
    """See `rove.models.judge.Judge`."""

    def __init__(self, settings: JudgeSettings) -> None:
        del settings

    async def supported(self, claim: str, premise: str) -> Support:
        """See `Judge.supported`."""
        return Support(1.0, 0.0, 0.0) if claim in premise else Support(0.0, 1.0, 0.0)

    async def answers(self, question: str, passage: str) -> float:
        """See `Judge.answers`."""
        asked, said = set(question.casefold().split()), set(passage.casefold().split())
        return len(asked & said) / max(len(asked), 1)

    async def span(self, question: str, passage: str) -> JudgedSpan | None:
        """See `Judge.span`: it cannot say where."""
        del question, passage

"""Whether references say what a sentence says: by the judge, and, where it is unsure, by a slower one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rove.errors import ServiceError
from rove.models import ChatModel
from rove.models.e5 import UnsuitableError
from rove.models.judge import JUDGES, Judge, Support
from rove.models.judge_chat import ChatJudge
from rove.settings import JudgeSettings

Ruling = Literal["supported", "differs", "unsourced"]


RULINGS: dict[Ruling, str] = {"supported": "supported", "differs": "contradicted", "unsourced": "neither"}
LEAST_SUPPORTED = {"en": 0.05, "de": 0.03, "hu": 0.03}
OTHER_LANGUAGE, TRANSLATED = 0.015, 0.025
"""The chance from which on a sentence stands unmarked, by its language; one whose source is in another has its own.
About one true sentence in twenty lies below: docs/decisions/060-marks.md."""
DOUBTFUL = 0.5
"""The chance from which on a sentence stands that answers what the references rather do not answer."""
UNCERTAIN, RATHER, SURE = 0.3, 0.5, 0.9
"""The chance from which on nobody else is asked."""


@dataclass
class SentenceJudge:
    """Asks; a judge that has failed is asked no more. `first` reads everything, `second` what `first` is unsure of.

    `strict`: what counts as supported must rather be so than not, as it must for facts that are kept; else it is what
    is not surely denied. `doubtful`: the references rather do not answer the question, so that what is written of it is
    more often false (`GateVerdict.doubtful`).
    """

    first: Judge | None = None
    second: Judge | None = None
    strict: bool = False
    doubtful: bool = False

    @classmethod
    def of(cls, judge: Judge | None, chat: ChatModel | None, *, verify: bool) -> SentenceJudge:
        """Take the judge that the settings name.

        Where `answer.verify` asks for a second look, one that is not the packaged judge comes after that; beside the
        packaged one it is the chat model itself.
        """
        if not verify:
            return cls(judge)
        packaged = JUDGES.get("e5")
        if judge is not None and not isinstance(judge, packaged):
            return cls(packaged(JudgeSettings()), judge)
        return cls(judge, ChatJudge(JudgeSettings(name="chat"), chat) if chat else None)

    @property
    def reads(self) -> bool:
        """Whether there is a judge."""
        return self.first is not None or self.second is not None

    def least(self, language: str, *, translated: bool = False, uncertain: bool = False) -> float:
        """Return the chance of support from which on a sentence stands.

        `translated`: its source is in another language. `uncertain`: a number in words, or a word in the letters of
        another script, stands in no source.
        """
        if self.strict:
            return SURE if uncertain else RATHER
        usual = TRANSLATED if translated else LEAST_SUPPORTED.get(language, OTHER_LANGUAGE)
        return max(usual, UNCERTAIN if uncertain else 0.0, DOUBTFUL if self.doubtful else 0.0)

    async def ruling(self, claim: str, premise: str, least: float, *, sure: bool = True) -> Ruling | None:
        """Say how a premise stands to a claim; None where no judge can say.

        What the first judge is not sure of is asked of the second, if there is one; else it counts as supported from
        `least` on. Unless `sure`, the first may not decide alone where there is a second.
        """
        found = await self._asked("first", claim, premise)
        if found is None or not sure or found.supported < SURE:
            second = await self._asked("second", claim, premise)
            if second is not None:
                return max(RULINGS, key=lambda ruling: getattr(second, RULINGS[ruling]))
        if found is None:
            return None
        if found.supported >= least:
            return "supported"
        return "differs" if found.contradicted >= found.neither else "unsourced"

    async def _asked(self, which: Literal["first", "second"], claim: str, premise: str) -> Support | None:
        judge: Judge | None = getattr(self, which)
        if judge is None:
            return None
        try:
            return await judge.supported(claim, premise)
        except (ServiceError, UnsuitableError):
            setattr(self, which, None)
            return None

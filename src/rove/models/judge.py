"""Judging: whether a text says what a sentence claims, whether it answers a question, and where.

A judge reads both texts at once, as no comparison of words or vectors can.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rove.records.document import Span
from rove.registry import Registry
from rove.settings import JudgeSettings


@dataclass(frozen=True, slots=True)
class Support:
    """How a premise stands to a claim: three chances between 0 and 1 that add up to 1."""

    supported: float
    neither: float
    contradicted: float


@dataclass(frozen=True, slots=True)
class JudgedSpan:
    """Characters of a passage that answer a question. `score`: how much rather than nothing does, a logit."""

    span: Span
    score: float


class Judge(Protocol):
    """Reads a claim or a question together with a passage. Built as `Judge(settings)`; see `JudgeSettings`."""

    async def supported(self, claim: str, premise: str) -> Support:
        """Say whether a premise says what a claim says, denies it, or neither.

        Raises:
            ServiceError: the judge's endpoint failed.
        """
        ...

    async def answers(self, question: str, passage: str) -> float:
        """Return the chance, 0 to 1, that a passage answers a question: it does not where it only points elsewhere.

        Raises:
            ServiceError: the judge's endpoint failed.
        """
        ...

    async def span(self, question: str, passage: str) -> JudgedSpan | None:
        """Return the words of a passage that answer best, whatever the chance; None where this judge cannot say.

        Raises:
            ServiceError: the judge's endpoint failed.
        """
        ...


def judge_of(settings: JudgeSettings) -> Judge | None:
    """Make the judge that the settings name; None where they name none.

    Raises:
        ConfigError: the extra that it needs is not installed, or a setting that it needs is not set.
    """
    return JUDGES.get(settings.name)(settings) if settings.name else None


JUDGES = Registry(
    "judge",
    "rove.judges",
    {
        "e5": "rove.models.e5.judge:E5Judge",
        "onnx": "rove.models.judge_onnx:OnnxJudge [onnx]",
        "chat": "rove.models.judge_chat:ChatJudge [chat]",
        "decisions": "rove.models.judge_decisions:DecisionJudge",
        "systemone": "rove.models.judge_decisions:SystemOneJudge",
    },
)

"""A judge of any cross-encoder in ONNX: a folder with `model.onnx` and `tokenizer.json`, as hubs export them."""

from __future__ import annotations

import asyncio
from functools import cached_property

import numpy as np

from rove.errors import ConfigError
from rove.models import Vectors
from rove.models.judge import JudgedSpan, Support
from rove.models.onnx_folder import OnnxFolder
from rove.settings import JudgeSettings

SUPPORTED = ("entailment", "entailed", "supported", "supports", "factual", "consistent")
CONTRADICTED = ("contradiction", "contradicted", "refuted", "refutes")
NAMES_CURE = "Its config.json names them in id2label: entailment, neutral, contradiction, or one class alone."


class OnnxJudge:
    """See `Judge`. Its classes are told by their names in `config.json`; one class alone is a relevance or support.

    A model of three classes (natural language inference) is asked whether a passage says what a claim says, and whether
    it answers by how far it supports the question; one of one or two classes gives the same chance for both.

    Raises:
        ConfigError: no folder is set, it does not hold the two files, or it does not say which class is which.
    """

    def __init__(self, settings: JudgeSettings) -> None:
        what = 'The judge "onnx"'
        self._model = OnnxFolder(settings.model, what=what, setting="judge.model", threads=settings.threads)
        self._what = what

    async def supported(self, claim: str, premise: str) -> Support:
        """See `Judge.supported`. A model without a class for it never says that something is contradicted."""
        chances = await self._chances(premise, claim)
        yes, no = self._places
        contradicted = float(chances[no]) if no is not None else 0.0
        supported = float(chances[yes])
        return Support(supported, max(1 - supported - contradicted, 0.0), contradicted)

    async def answers(self, question: str, passage: str) -> float:
        """See `Judge.answers`."""
        first, second = (passage, question) if self._places[1] is not None else (question, passage)
        return float((await self._chances(first, second))[self._places[0]])

    async def span(self, question: str, passage: str) -> JudgedSpan | None:
        """See `Judge.span`: these models cannot say where."""
        del question, passage

    async def _chances(self, first: str, second: str) -> Vectors:
        logits = (await asyncio.to_thread(self._model.logits, [(first, second)]))[0]
        if len(logits) == 1:
            return (1 / (1 + np.exp(-logits))).astype(np.float32)
        powers = np.exp(logits - logits.max())
        return (powers / powers.sum()).astype(np.float32)

    @cached_property
    def _places(self) -> tuple[int, int | None]:
        """Which class says "supported", and which "contradicted", if any."""
        names = [name.lower() for name in self._model.classes()]
        if len(names) <= 1:
            return 0, None
        supported = next((place for place, name in enumerate(names) if name in SUPPORTED), None)
        if supported is None:
            message = f"{self._what} has the classes {', '.join(names)}, none of which says that a text is supported."
            raise ConfigError(message, cure=NAMES_CURE)
        return supported, next((place for place, name in enumerate(names) if name in CONTRADICTED), None)

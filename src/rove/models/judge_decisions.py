"""Judges behind a decision endpoint, which gives the probability of a yes or a choice in one pass and writes no text.

Two shapes are spoken: `POST {base_url}/decisions` (OpenAI, SGLang) and `POST {base_url}/systemone` (llama.cpp, Ollama,
vLLM).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from rove.errors import ConfigError, ServiceError
from rove.models.endpoint import Endpoint
from rove.models.judge import JudgedSpan, Support
from rove.models.prompts import fence_material, fill, prompt
from rove.settings import JudgeSettings

KEY_CURE = "Set ROVE_JUDGE__API_KEY."
READ_CURE = "Is this a decision endpoint, with a decision model? See judge.name."
SUPPORT = {
    "supported": "the passage says all that the claim says",
    "neither": "the passage does not say it, or only a part of it",
    "contradicted": "the passage says otherwise",
}
ASKED = "asked"
Result = TypeVar("Result")
Chance = Annotated[float, Field(ge=0, le=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Listed(_Part):
    answers: Annotated[list[object], Field(min_length=1)]


class _Named(_Part):
    answers: Mapping[str, object]

    @model_validator(mode="after")
    def _has_it(self) -> _Named:
        if ASKED not in self.answers:
            raise ValueError(f"no answer {ASKED!r}")  # noqa: TRY003 - becomes a ValidationError
        return self


class _Option(_Part):
    value: str
    probability: Chance


class _Predicate(_Part):
    probability: Chance


class _Choice(_Part):
    probabilities: list[_Option]


class _YesOrNo(_Part):
    noul: Chance


class _Options(_Part):
    probabilities: Mapping[str, Chance]


class DecisionJudge:
    """See `Judge`: the shape of OpenAI. It cannot say where an answer stands.

    Raises:
        ConfigError: no address or no model is set.
    """

    path = "decisions"

    def __init__(self, settings: JudgeSettings) -> None:
        if not settings.base_url or not settings.model:
            message = f"The judge {settings.name!r} needs an address and a model."
            raise ConfigError(message, cure="Set judge.base_url and judge.model.")
        self.model = settings.model
        self._endpoint = Endpoint(
            settings.base_url,
            settings.api_key.get_secret_value(),
            table="judge",
            key_cure=KEY_CURE,
            timeout_s=settings.timeout_s,
            retries=settings.retries,
            reply_mb=settings.max_reply_mb,
        )

    async def supported(self, claim: str, premise: str) -> Support:
        """See `Judge.supported`."""
        state = fill(
            prompt("rove.models", "claimed"),
            {"passage": fence_material(premise, "p"), "claim": fence_material(claim, "c")},
        )
        asked = self.choice(state, "How does the passage stand to the claim?", SUPPORT)
        chances = await self._endpoint.post(self.path, asked, lambda reply: self._read(reply, self.read_choice))
        total = sum(chances.get(name, 0.0) for name in SUPPORT) or 1.0
        return Support(*(chances.get(name, 0.0) / total for name in SUPPORT))

    async def answers(self, question: str, passage: str) -> float:
        """See `Judge.answers`."""
        slots = {"passage": fence_material(passage, "p"), "question": fence_material(question, "q")}
        state = fill(prompt("rove.models", "asked"), slots)
        asked = self.predicate(state, "The passage itself holds the answer to the question.")
        return await self._endpoint.post(self.path, asked, lambda reply: self._read(reply, self.read_predicate))

    async def span(self, question: str, passage: str) -> JudgedSpan | None:
        """See `Judge.span`: None."""
        del question, passage

    def predicate(self, state: str, said: str) -> dict[str, object]:
        """Return what is sent to ask how likely something is true of a state."""
        return self._request(state, {"type": "predicate", "instructions": said})

    def choice(self, state: str, asked: str, options: Mapping[str, str]) -> dict[str, object]:
        """Return what is sent to ask which of the options holds; each with what it means."""
        choices = [{"value": name, "description": meaning} for name, meaning in options.items()]
        return self._request(state, {"type": "choice", "instructions": asked, "choices": choices})

    def read_predicate(self, answer: object) -> float:
        """Read the answer to a `predicate`."""
        return _Predicate.model_validate(answer).probability

    def read_choice(self, answer: object) -> Mapping[str, float]:
        """Read the answer to a `choice`: the chance of each option."""
        return {option.value: option.probability for option in _Choice.model_validate(answer).probabilities}

    def answer_of(self, reply: bytes) -> object:
        """Return the one answer of a reply."""
        return _Listed.model_validate_json(reply).answers[0]

    def _request(self, state: str, question: dict[str, object]) -> dict[str, object]:
        return {"model": self.model, "input": state, "questions": [question | {"name": ASKED}]}

    def _read(self, reply: bytes, read: Callable[[object], Result]) -> Result:
        try:
            return read(self.answer_of(reply))
        except ValidationError:
            message = f"{self._endpoint.url} answered with something that holds no chances."
            raise ServiceError(message, cure=READ_CURE, retryable=False) from None


class SystemOneJudge(DecisionJudge):
    """See `Judge`: the shape of llama.cpp, Ollama and vLLM."""

    path = "systemone"

    def predicate(self, state: str, said: str) -> dict[str, object]:
        """See `DecisionJudge.predicate`."""
        return self._request(state, {"type": "noul", "instructions": said})

    def choice(self, state: str, asked: str, options: Mapping[str, str]) -> dict[str, object]:
        """See `DecisionJudge.choice`."""
        return self._request(state, {"type": "choice", "instructions": asked, "criteria": dict(options)})

    def read_predicate(self, answer: object) -> float:
        """See `DecisionJudge.read_predicate`."""
        return _YesOrNo.model_validate(answer).noul

    def read_choice(self, answer: object) -> Mapping[str, float]:
        """See `DecisionJudge.read_choice`."""
        return _Options.model_validate(answer).probabilities

    def answer_of(self, reply: bytes) -> object:
        """See `DecisionJudge.answer_of`."""
        return _Named.model_validate_json(reply).answers[ASKED]

    def _request(self, state: str, question: dict[str, object]) -> dict[str, object]:
        return {"model": self.model, "state": state, "questions": {ASKED: question}}

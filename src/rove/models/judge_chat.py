"""A judge of the chat model that the settings name: asked one thing at a time, typed replies."""

from __future__ import annotations

from pydantic import BaseModel, Field

from rove.errors import ConfigError
from rove.models import ChatModel, chat_model
from rove.models.judge import JudgedSpan, Support
from rove.models.prompts import fence_material, fill, prompt
from rove.models.typed import reply_as
from rove.settings import ChatSettings, JudgeSettings

PROMPTS = "rove.models"


class Comparison(BaseModel):
    """What the model says of a claim: what of it the text does not say, and whether it says otherwise."""

    unsaid: str = Field(max_length=300)
    contradicted: bool = False
    holds: bool


class Found(BaseModel):
    """What the model says of a question: the words of the passage that answer it, "" where none do."""

    answer: str = Field(max_length=300)


class ChatJudge:
    """See `Judge`. Its chances are 0 or 1, since a chat model says yes or no.

    Raises:
        ConfigError: `judge.model` is not set.
    """

    def __init__(self, settings: JudgeSettings, chat: ChatModel | None = None) -> None:
        """`chat`: the model; None: the one that the settings name."""
        same = ChatSettings.model_validate(
            {name: getattr(settings, name) for name in ("model", "base_url", "api_key", "timeout_s", "retries")}
        )
        found = chat or chat_model(same)
        if found is None:
            message = 'The judge "chat" needs a model.'
            raise ConfigError(message, cure="Set judge.model, and judge.base_url.")
        self._chat = found

    async def supported(self, claim: str, premise: str) -> Support:
        """See `Judge.supported`."""
        material = fill(
            prompt(PROMPTS, "claimed"), {"passage": fence_material(premise, "p"), "claim": fence_material(claim, "c")}
        )
        found = await reply_as(self._chat, Comparison, prompt(PROMPTS, "supported"), material)
        if found.holds and not found.unsaid.strip():
            return Support(1.0, 0.0, 0.0)
        return Support(0.0, 0.0, 1.0) if found.contradicted else Support(0.0, 1.0, 0.0)

    async def answers(self, question: str, passage: str) -> float:
        """See `Judge.answers`: 1 where it quotes words of the passage."""
        return float(await self.span(question, passage) is not None)

    async def span(self, question: str, passage: str) -> JudgedSpan | None:
        """See `Judge.span`; None where what it quotes does not stand in the passage."""
        material = fill(
            prompt(PROMPTS, "asked"),
            {"passage": fence_material(passage, "p"), "question": fence_material(question, "q")},
        )
        said = (await reply_as(self._chat, Found, prompt(PROMPTS, "answered"), material)).answer.strip()
        begin = passage.find(said) if said else -1
        return None if begin < 0 else JudgedSpan((begin, begin + len(said)), 0.0)

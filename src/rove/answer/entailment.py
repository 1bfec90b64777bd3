"""Whether quotations say what a sentence says in other words, which the chat model is asked: one sentence at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from rove.errors import ServiceError
from rove.models import ChatModel
from rove.models.prompts import fenced, fill, prompt
from rove.models.typed import reply_as


class Comparison(BaseModel):
    """What the model is asked for: what of a sentence is not in the quotations, and whether all of it is."""

    unsaid: str = Field(max_length=300)
    holds: bool


@dataclass
class Entailment:
    """Asks; once the model has failed, no more. `failed`: it has."""

    chat: ChatModel
    failed: bool = False

    async def holds(self, sentence: str, quotes: Sequence[str]) -> bool:
        """Say whether the quotations say all of a sentence; False where the model finds something unsaid, or fails."""
        if self.failed:
            return False
        quoted = "\n".join(fenced(quote, str(number)) for number, quote in enumerate(quotes, 1))
        material = fill(prompt("rove.answer", "entailed"), {"quotes": quoted, "sentence": fenced(sentence, "s")})
        try:
            found = await reply_as(self.chat, Comparison, prompt("rove.answer", "entails"), material)
        except ServiceError:
            self.failed = True
            return False
        return found.holds and not found.unsaid.strip()

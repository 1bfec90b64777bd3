"""A chat model that follows a script: what it replies depends on the shape that is asked for; prompts are kept."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from pydantic import BaseModel

from rove.answer.chat import AnswerContext, Verified, write_answer
from rove.answer.passages import TextOf
from rove.errors import ServiceError
from rove.models import Embedder
from rove.question.understand import Understander
from rove.records import Hit
from rove.settings import AnswerSettings

TEXT = "text"
Understanding = Callable[..., Understander]
"""Makes an `Understander` of a chat model and settings, over a test's own base."""


class ScriptedChat:
    """`replies`: shape's name ("text" where none is asked for) → replies in turn, the last one for ever.

    A shape that is not in the script, or an exhausted list, is a failure of the model.
    """

    name = "scripted"

    def __init__(self, **replies: object) -> None:
        self.replies: dict[str, list[object]] = {
            shape: list(told) if isinstance(told, Sequence) and not isinstance(told, str) else [told]
            for shape, told in replies.items()
        }
        self.prompts: list[tuple[str, str]] = []

    async def stream(
        self, instructions: str, prompt: str, *, shape: type[BaseModel] | None = None
    ) -> AsyncIterator[str]:
        wanted = shape.__name__ if shape else TEXT
        self.prompts.append((wanted, prompt))
        script = self.replies.get(wanted, [])
        if not script:
            message = f"No script for {wanted}."
            raise ServiceError(message, cure="Write one.")
        reply = script.pop(0) if len(script) > 1 else script[0]
        if isinstance(reply, Exception):
            raise reply
        text = json.dumps(reply, ensure_ascii=False) if isinstance(reply, Mapping) else str(reply)
        for at in range(0, len(text), 7):
            yield text[at : at + 7]

    def asked(self, shape: str) -> list[str]:
        """The prompts for one shape."""
        return [prompt for wanted, prompt in self.prompts if wanted == shape]


async def verified(reply: str, hits: Sequence[Hit], language: str, text_of: TextOf, embedder: Embedder) -> Verified:
    """What is left of a reply that a model has written from these references."""
    context = AnswerContext(embedder, None, AnswerSettings(), text_of)
    return await write_answer("?", hits, hits, language, ScriptedChat(text=reply), context)

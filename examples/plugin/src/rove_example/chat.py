"""A chat model: says the first reference again."""

from __future__ import annotations

from collections.abc import AsyncIterator

from pydantic import BaseModel

from rove.models.fake import FakeChatModel
from rove.settings import ChatSettings


class Parrot:
    """See `rove.models.ChatModel`. Whatever it writes is held against the sources, as every model's reply is."""

    def __init__(self, settings: ChatSettings) -> None:
        self.name = f"example:{settings.model}"
        self._model = FakeChatModel(settings)

    async def stream(
        self, instructions: str, prompt: str, *, shape: type[BaseModel] | None = None
    ) -> AsyncIterator[str]:
        """See `ChatModel.stream`."""
        async for piece in self._model.stream(instructions, prompt, shape=shape):
            yield piece

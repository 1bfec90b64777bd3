"""The wire format of OpenAI's chat completions, as far as a knowledge base can speak it.

Source: OpenAI's API reference, "Chat Completions". What a client sends beyond it (temperature, tools …) is accepted and
not used. Citations stand in `citations`, a field beside those of the format.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rove.models.usage import Usage
from rove.records import History, Turn
from rove.serve.questions.results import CitationOut, HitOut
from rove.serve.redaction import Said
from rove.serve.schema import Reply

FinishReason = Literal["stop", "length"]
MAX_CHARS = 100_000
OWNER = "rove"


class MessagePart(BaseModel):
    """A part of a message. Only those of type "text" are read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    type: str = Field(max_length=40)
    text: str = Field(default="", max_length=MAX_CHARS)


class Message(BaseModel):
    """A message of a conversation."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: (
        Annotated[str, Field(max_length=MAX_CHARS)] | Annotated[list[MessagePart], Field(max_length=100)] | None
    ) = None

    @property
    def text(self) -> str:
        """The message's text."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or () if part.type == "text")


class CompletionIn(BaseModel):
    """A request. `model` names a space; the last message of the user is the question, those before are its history."""

    model_config = ConfigDict(
        extra="ignore",
        frozen=True,
        json_schema_extra={
            "example": {"model": "default", "messages": [{"role": "user", "content": "Who approves remote work?"}]}
        },
    )

    model: str = Field(max_length=64)
    messages: list[Message] = Field(min_length=1, max_length=1_000)
    stream: bool = False
    n: Literal[1] | None = None

    @property
    def question(self) -> str:
        """What is asked: the user's last message, "" where there is none."""
        return next((m.text for m in reversed(self.messages) if m.role == "user"), "")

    @property
    def history(self) -> History:
        """The turns before it: each message of the user's with the reply that followed."""
        said = [message for message in self.messages if message.role in {"user", "assistant"}]
        pairs = [(one, other) for one, other in pairwise(said) if (one.role, other.role) == ("user", "assistant")]
        return History(tuple(Turn(one.text, other.text) for one, other in pairs))


class WrittenMessage(Reply):
    """A message that was written, or a piece of one."""

    role: Literal["assistant"] | None = None
    content: str | None = None
    refusal: str | None = None


class CompletionChoice(Reply):
    """The one choice of a completion. `finish_reason`: "length" where the chat model's reply was cut off."""

    index: int = 0
    message: WrittenMessage
    finish_reason: FinishReason


class UsageOut(Reply):
    """Tokens that the chat model read and wrote; none where the answer is quoted without one."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int

    @classmethod
    def of(cls, usage: Usage) -> UsageOut:
        """Make it of a record."""
        read, written = usage.input_tokens, usage.output_tokens
        return cls(prompt_tokens=read, completion_tokens=written, total_tokens=read + written)


class Completion(Reply):
    """A completion. `citations`: the words that the answer rests on, by the numbers in it. `note`: how it was made.

    `nearest`: where it was refused, the passages that come nearest to the question, and do not answer it.
    """

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: UsageOut
    citations: list[CitationOut]
    nearest: list[HitOut]
    note: Said


class ChunkChoice(Reply):
    """The one choice of a piece."""

    index: int = 0
    delta: WrittenMessage
    finish_reason: FinishReason | None = None


class CompletionChunk(Reply):
    """A piece of a streamed completion; the last one has all that a completion has beside its text."""

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: UsageOut | None = None
    citations: list[CitationOut] | None = None
    nearest: list[HitOut] | None = None
    note: Said | None = None


class ModelOut(Reply):
    """A space, as a model."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = OWNER


class ModelList(Reply):
    """The spaces of the key, as models."""

    object: Literal["list"] = "list"
    data: list[ModelOut]

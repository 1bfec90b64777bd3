"""The wire format of OpenAI's chat completions, as far as a knowledge base can speak it.

Source: OpenAI's API reference, "Chat Completions". What a client sends beyond it (temperature …) is accepted and not
used. `citations`, `nearest` and `note` are fields beside those of the format.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field

from rove.models.usage import Usage
from rove.records import History, Note, Turn
from rove.serve.openai.front_ends import Spoken
from rove.serve.openai.links import Annotation, UrlCitation, without_footer
from rove.serve.questions.results import CitationOut, HitOut, NoteOut
from rove.serve.redaction import Said
from rove.serve.schema import Reply, Wire

FinishReason = Literal["stop", "length"]
MAX_CHARS = 100_000
OWNER = "rove"
TEXTS = ("text", "input_text", "output_text")


class MessagePart(BaseModel):
    """A part of a message. Only those that are text are read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    type: str = Field(max_length=40)
    text: str = Field(default="", max_length=MAX_CHARS)

    @property
    def is_text(self) -> bool:
        """Whether it is read."""
        return self.type in TEXTS


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
        return "\n".join(part.text for part in self.content or () if part.is_text)


class ClientRequest(Wire):
    """What a client of OpenAI sends: text, as with all that is sent, and fields that are not known here."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class StreamOptions(BaseModel):
    """What a stream has beside its pieces."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    include_usage: bool = False


class ResponseFormat(BaseModel):
    """The form of the reply: "text", "json_object" or "json_schema"; JSON is what front-ends ask for themselves."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    type: str = Field(default="text", max_length=40)
    json_schema: dict[str, Any] | None = Field(default=None, exclude=True)
    schema_: dict[str, Any] | None = Field(default=None, alias="schema", exclude=True)

    @property
    def keys(self) -> frozenset[str]:
        """The keys that the JSON is to have at its top."""
        tree: object = self.schema_ or (self.json_schema or {}).get("schema")
        properties = cast("dict[str, object]", tree).get("properties") if isinstance(tree, dict) else None
        return frozenset(cast("dict[str, object]", properties)) if isinstance(properties, dict) else frozenset()


class CompletionIn(ClientRequest):
    """A request. `model` names a space; the last message of the user is the question, those before are its history."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"model": "default", "messages": [{"role": "user", "content": "Who approves remote work?"}]}
        },
    )

    model: str = Field(max_length=64)
    messages: list[Message] = Field(min_length=1, max_length=1_000)
    stream: bool = False
    stream_options: StreamOptions | None = None
    response_format: ResponseFormat | None = None
    tools: list[Any] | None = Field(default=None, exclude=True)
    tool_choice: Literal["none", "auto"] | None = None
    n: Literal[1] | None = None

    @property
    def said(self) -> Spoken:
        """What is asked, "" where there is no message of the user's, and what was said before."""
        return spoken(self.messages, "", self.response_format)

    @property
    def as_json(self) -> bool:
        """Whether the reply is to be JSON."""
        return self.response_format is not None and self.response_format.type != "text"

    @property
    def notes(self) -> tuple[Note, ...]:
        """What of it is not heeded."""
        return notes_on(self.messages, self.tools, self.tool_choice)

    @property
    def includes_usage(self) -> bool:
        """Whether a stream ends with what was used."""
        return self.stream_options is not None and self.stream_options.include_usage


def spoken(messages: list[Message], instructions: str, form: ResponseFormat | None) -> Spoken:
    """Return what messages say: the user's last one is the question, the system's are its system prompt."""
    said = [message for message in messages if message.role in {"user", "assistant"}]
    last = max((place for place, message in enumerate(said) if message.role == "user"), default=-1)
    pairs = [
        (one, other) for one, other in pairwise(said[: last + 1]) if (one.role, other.role) == ("user", "assistant")
    ]
    history = History(tuple(Turn(one.text, without_footer(other.text)) for one, other in pairs))
    system = [message.text for message in messages if message.role in {"system", "developer"}]
    told = "\n\n".join(filter(None, (instructions, *system)))
    return Spoken(said[last].text if last >= 0 else "", history, told, form.keys if form else ())


def notes_on(messages: list[Message], tools: list[Any] | None, choice: str | None) -> tuple[Note, ...]:
    """Say what of a request is not heeded: pictures and files in the question, and tools."""
    asked = next((message for message in reversed(messages) if message.role == "user"), None)
    unread = asked is not None and isinstance(asked.content, list) and any(not part.is_text for part in asked.content)
    counted = (("only-text-read", unread), ("no-tool-called", bool(tools) and choice != "none"))
    return tuple(Note(code) for code, counts in counted if counts)


class WrittenMessage(Reply):
    """A message that was written, or a piece of one. `reasoning_content`: what the model thought, where it is kept."""

    role: Literal["assistant"] | None = None
    content: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    annotations: list[Annotation] | None = None


def annotations_of(sources: Iterable[UrlCitation]) -> list[Annotation]:
    """Say sources as annotations of a message."""
    return [Annotation(url_citation=one) for one in sources]


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
    """A completion. `citations`: the words that the answer rests on, by the numbers in it. `notes`: how it was made.

    `note` says so in the language of the question. `nearest`: where it was refused, the passages that come nearest to
    the question, and do not answer it.
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
    notes: list[NoteOut]


class ChunkChoice(Reply):
    """The one choice of a piece."""

    index: int = 0
    delta: WrittenMessage
    finish_reason: FinishReason | None = None


class CompletionChunk(Reply):
    """A piece of a streamed completion; that with the reason of its end has the citations, `nearest` and the note.

    The usage comes after it, in a piece without choices, where it was asked for.
    """

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: UsageOut | None = None
    citations: list[CitationOut] | None = None
    nearest: list[HitOut] | None = None
    note: Said | None = None
    notes: list[NoteOut] | None = None


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

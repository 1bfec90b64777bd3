"""The wire format of OpenAI's responses, as far as a knowledge base can speak it.

Source: OpenAI's API reference, "Responses". Nothing is kept between requests: what refers to an earlier one is refused.
`citations`, `nearest` and `note` are fields beside those of the format.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rove.models.usage import Usage
from rove.records import Note
from rove.serve.openai.front_ends import Spoken
from rove.serve.openai.links import UrlCitation
from rove.serve.openai.schema import MAX_CHARS, ClientRequest, Message, ResponseFormat, notes_on, spoken
from rove.serve.questions.results import CitationOut, HitOut, NoteOut
from rove.serve.redaction import Said
from rove.serve.schema import Reply

Status = Literal["in_progress", "completed", "incomplete"]


class TextConfig(BaseModel):
    """The form of the text."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    format: ResponseFormat | None = None


class ItemIn(Message):
    """A message of the conversation. Items of other types are not known here."""

    type: Literal["message"] = "message"


class ResponseIn(ClientRequest):
    """A request. `model` names a space; `input` is the question, or the conversation, whose last message it is."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"model": "default", "input": "Who approves remote work?"}},
    )

    model: str = Field(max_length=64)
    input: Annotated[str, Field(max_length=MAX_CHARS)] | Annotated[list[ItemIn], Field(min_length=1, max_length=1_000)]
    instructions: str | None = Field(default=None, max_length=MAX_CHARS)
    stream: bool | None = False
    text: TextConfig | None = None
    tools: list[Any] | None = Field(default=None, exclude=True)
    tool_choice: Literal["none", "auto"] | None = None
    previous_response_id: str | None = Field(default=None, max_length=200)
    conversation: Any = Field(default=None, exclude=True)
    background: bool | None = None
    metadata: dict[Annotated[str, Field(max_length=64)], Annotated[str, Field(max_length=512)]] | None = Field(
        default=None, max_length=16
    )

    @property
    def messages(self) -> list[Message]:
        """The conversation."""
        if isinstance(self.input, str):
            return [Message(role="user", content=self.input)]
        return list(self.input)

    @property
    def form(self) -> ResponseFormat | None:
        """The form of the reply, where one is named."""
        return self.text.format if self.text else None

    @property
    def said(self) -> Spoken:
        """What is asked, and what was said before."""
        return spoken(self.messages, self.instructions or "", self.form)

    @property
    def as_json(self) -> bool:
        """Whether the reply is to be JSON."""
        return self.form is not None and self.form.type != "text"

    @property
    def notes(self) -> tuple[Note, ...]:
        """What of it is not heeded."""
        return notes_on(self.messages, self.tools, self.tool_choice)


class TextAnnotation(UrlCitation):
    """An annotation of a text."""

    type: Literal["url_citation"] = "url_citation"


class OutputText(Reply):
    """The text that was written."""

    type: Literal["output_text"] = "output_text"
    text: str
    annotations: list[TextAnnotation] = []
    logprobs: list[Any] = []


class OutputMessage(Reply):
    """The message that was written."""

    id: str
    type: Literal["message"] = "message"
    status: Status
    role: Literal["assistant"] = "assistant"
    content: list[OutputText]


class InputDetails(Reply):
    """Of the tokens that were read."""

    cached_tokens: int = 0
    cache_write_tokens: int = 0


class OutputDetails(Reply):
    """Of the tokens that were written."""

    reasoning_tokens: int = 0


class ResponseUsage(Reply):
    """Tokens that the chat model read and wrote; none where the answer is quoted without one."""

    input_tokens: int
    input_tokens_details: InputDetails = InputDetails()
    output_tokens: int
    output_tokens_details: OutputDetails = OutputDetails()
    total_tokens: int

    @classmethod
    def of(cls, usage: Usage) -> ResponseUsage:
        """Make it of a record."""
        read, written = usage.input_tokens, usage.output_tokens
        return cls(input_tokens=read, output_tokens=written, total_tokens=read + written)


class Incomplete(Reply):
    """Why a response is not complete: OpenAI's word for it."""

    reason: Said = "max_output_tokens"


class ResponseOut(Reply):
    """A response. `note`: how it was made; `nearest`: where it was refused, the passages nearest to the question."""

    id: str
    object: Literal["response"] = "response"
    created_at: int
    status: Status
    error: Said | None = None
    incomplete_details: Incomplete | None = None
    instructions: str | None = None
    model: str
    output: list[OutputMessage]
    parallel_tool_calls: bool = False
    previous_response_id: None = None
    store: bool = False
    temperature: None = None
    tool_choice: str = "none"
    tools: list[Any] = []
    top_p: None = None
    metadata: dict[str, str] = {}
    usage: ResponseUsage | None = None
    citations: list[CitationOut] = []
    nearest: list[HitOut] = []
    note: Said = ""
    notes: list[NoteOut] = []

"""Stage 5 of 7: what a question means, before anything is searched for. Each step is done by a chat model, or by rules.

Each step is one file: `reform`, `topics`, `classify`, `slots`, `clarify`, `suggest`, `expand`, `hyde`; `understand`
runs those that the settings ask for. A step whose model fails is done by its rules, and says so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from rove.errors import ServiceError
from rove.models import ChatModel
from rove.models.prompts import fence_material, prompt
from rove.models.typed import reply_as
from rove.records import Filter, History
from rove.records.understood import By
from rove.retrieve import SearchContext
from rove.settings import QuestionSettings

Shape = TypeVar("Shape", bound=BaseModel)
Found = TypeVar("Found")

FAILED = "The chat model failed, so this was done by rules. {reason}"


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question and where it stands: in which conversation, on which day, in which language (ISO 639-1)."""

    text: str
    language: str
    history: History = History()
    today: str = ""


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """What the steps work with. `chat` is None where there is none, or where the settings leave it out.

    `where`: what of the base a step may look at; None: all of it.
    """

    search_context: SearchContext
    chat: ChatModel | None
    settings: QuestionSettings
    where: Filter | None = None


@dataclass(frozen=True, slots=True)
class StepResult(Generic[Found]):
    """What a step found, by whom, and what went wrong, if something did."""

    found: Found
    by: By
    note: str = ""


async def by_model_or_rules(
    chat: ChatModel | None, by_model: Callable[[ChatModel], Awaitable[Found]], by_rules: Callable[[], Awaitable[Found]]
) -> StepResult[Found]:
    """Let the chat model do a step; where there is none, or it fails, the rules do it."""
    if chat is None:
        return StepResult(await by_rules(), "text")
    try:
        return StepResult(await by_model(chat), "model")
    except ServiceError as error:
        return StepResult(await by_rules(), "text", FAILED.format(reason=error.reason))


async def ask_model(chat: ChatModel, shape: type[Shape], name: str, *parts: str) -> Shape:
    """Ask for an object by the prompt of that name; `parts` are the material, already fenced where others wrote it.

    Raises:
        ServiceError: the model failed, or wrote something else.
    """
    return await reply_as(chat, shape, prompt("rove.question", name), "\n\n".join(part for part in parts if part))


def history_text(history: History) -> str:
    """Return a conversation as material for a prompt, "" where there is none yet."""
    if not history.turns:
        return ""
    lines = "\n".join(f"User: {turn.asked}\nAnswer: {turn.answer}" for turn in history.turns)
    return f"The conversation so far:\n{fence_material(lines, 'conversation')}"


def question_part(text: str) -> str:
    """Return a question as material for a prompt."""
    return f"The question:\n{fence_material(text, 'question')}"

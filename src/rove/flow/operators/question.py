"""Operators that understand a question: as `ask` does, or one step of that with what the flow itself declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from rove.errors import ConfigError
from rove.flow.operator import FlowContext
from rove.language.detect import detect
from rove.question import AskedQuestion, QuestionContext
from rove.question.classify import classify as classified
from rove.question.slots import Filling, fill_slots
from rove.records import Answer, Intent, Understood
from rove.settings import QuestionSettings
from rove.settings.question import IntentSettings, SlotSettings

Question = Understood | str


def taken_as(question: Question) -> Understood:
    """Return a plain text as a question of which nothing more is known."""
    return Understood(question, detect(question), question) if isinstance(question, str) else question


async def understand(context: FlowContext, *, question: str, once: bool = True) -> Understood:
    """Understand a question by the steps of the settings table "question".

    `once`: it will be searched for once only; a gathering writes it out before its second round.
    """
    return await context.stages.understood(question, context.history, context.where, once=once)


async def reply(context: FlowContext, *, question: Understood) -> Answer | None:
    """Answer without a search: a greeting, a kind of question that is refused, a question that is asked back."""
    return context.stages.reply(question)


async def classify(context: FlowContext, *, text: str, kinds: Mapping[str, Sequence[str]]) -> Intent | None:
    """Say which kind a text is of, by the chat model or by examples; `kinds`: each with its examples."""
    intents = {name: IntentSettings(examples=tuple(examples)) for name, examples in kinds.items()}
    asked, within = _question_and_context(
        context, text, context.kb.settings.question.model_copy(update={"intents": intents})
    )
    return (await classified(asked, within)).found


async def slots(context: FlowContext, *, text: str, values: Mapping[str, Mapping[str, object]]) -> Filling:
    """Take declared values from a text; `values`: as in the settings table "question.slots".

    Raises:
        ConfigError: a declaration is wrong.
    """
    try:
        declared = {name: SlotSettings.model_validate(dict(one)) for name, one in values.items()}
    except ValidationError as error:
        message = f"A slot is declared wrongly: {error.errors()[0]['msg']}."
        raise ConfigError(message, cure="Declare it as in the settings table question.slots.") from error
    settings = context.kb.settings.question.model_copy(update={"slots": declared})
    return (await fill_slots(*_question_and_context(context, text, settings))).found


def _question_and_context(
    context: FlowContext, text: str, settings: QuestionSettings
) -> tuple[AskedQuestion, QuestionContext]:
    chat = context.kb.chat_model() if settings.model else None
    asked = AskedQuestion(text, detect(text), context.history)
    return asked, QuestionContext(context.kb.search_context, chat, settings, context.where)

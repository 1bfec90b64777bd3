"""What kind of question it is: by a chat model, or by the user's own examples; the kind decides the way it goes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, Field

from rove.errors import ConfigError, ServiceError
from rove.models import ChatModel, Embedder
from rove.question import FAILED, AskedQuestion, QuestionContext, StepResult, ask_model, history_text, question_part
from rove.question.logistic import Classifier, train
from rove.records import Intent, content_hash
from rove.settings import IntentSettings

FILE = "intents.json"


class Kind(BaseModel):
    """What the model writes."""

    kind: str = Field(max_length=100)


async def classify(asked: AskedQuestion, context: QuestionContext) -> StepResult[Intent | None]:
    """Return the kind of a question; None where none fits, or none is probable enough.

    Raises:
        ConfigError: there is neither a chat model, nor are there examples of at least two kinds.
    """
    settings = context.settings
    chat = None if settings.classifier == "examples" else context.chat
    if settings.classifier == "model" and chat is None:
        message = 'question.classifier is "model", and there is no chat model.'
        raise ConfigError(message, cure='Set chat.model, or question.classifier = "examples".')
    if chat is None:
        return StepResult(await _by_examples(asked, context), "examples")
    try:
        return StepResult(await _by_model(asked, settings.intents, chat), "model")
    except ServiceError as error:
        if not has_examples(settings.intents):
            return StepResult(None, "model", f"The chat model failed, and there are no examples. {error.reason}")
        return StepResult(await _by_examples(asked, context), "examples", FAILED.format(reason=error.reason))


def has_examples(intents: Mapping[str, IntentSettings]) -> bool:
    """Say whether a classifier can be made: at least two kinds have examples."""
    return sum(bool(intent.examples) for intent in intents.values()) > 1


async def classifier_of(intents: Mapping[str, IntentSettings], embedder: Embedder, folder: Path) -> Classifier:
    """Return the classifier of these examples: the one that is kept in the base's folder, or a new one.

    Raises:
        ConfigError: fewer than two kinds have examples.
    """
    if not has_examples(intents):
        message = "Without a chat model, questions are classified by examples, and fewer than two intents have some."
        raise ConfigError(message, cure="Give question.intents.NAME.examples, or set chat.model.")
    pairs = [(name, text) for name, intent in sorted(intents.items()) for text in intent.examples]
    made_of = content_hash(str(embedder.fingerprint), *(part for pair in pairs for part in pair))
    file = folder / FILE
    kept = await asyncio.to_thread(_read_intent_classifier, file)
    if kept is not None and kept.made_of == made_of:
        return kept
    vectors = await embedder.queries([text for _, text in pairs])
    made = train(vectors, [name for name, _ in pairs], made_of=made_of)
    await asyncio.to_thread(_write_intent_classifier, file, made.to_json())
    return made


async def _by_model(asked: AskedQuestion, intents: Mapping[str, IntentSettings], chat: ChatModel) -> Intent | None:
    listed = "\n".join(f"{name}: {_intent_description(intent)}" for name, intent in intents.items())
    wrote = await ask_model(
        chat, Kind, "intent", f"Kinds:\n{listed}", history_text(asked.history), question_part(asked.text)
    )
    named = {name.casefold(): name for name in intents}.get(wrote.kind.strip().casefold())
    return Intent(named, 1.0, intents[named].route) if named else None


def _intent_description(intent: IntentSettings) -> str:
    return intent.description or "; ".join(intent.examples[:3])


async def _by_examples(asked: AskedQuestion, context: QuestionContext) -> Intent | None:
    search_context, settings = context.search_context, context.settings
    classifier = await classifier_of(settings.intents, search_context.embedder, search_context.store.folder)
    chances = classifier.probabilities(await search_context.embedder.queries([asked.text]))[0]
    best = int(chances.argmax())
    name, probability = classifier.classes[best], float(chances[best])
    return Intent(name, probability, settings.intents[name].route) if probability >= settings.min_probability else None


def _read_intent_classifier(file: Path) -> Classifier | None:
    try:
        return Classifier.from_json(file.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _write_intent_classifier(file: Path, text: str) -> None:
    """Keep it where that can be done: a base that cannot be written to is asked all the same."""
    beside = file.with_suffix(f".{os.getpid()}.tmp")
    try:
        beside.write_text(text, "utf-8")
        beside.replace(file)
    except OSError:
        beside.unlink(missing_ok=True)

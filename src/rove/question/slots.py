"""Slots: values that the user declares, taken from a question and held against what was declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

import regex
from pydantic import BaseModel, Field

from rove.errors import ConfigError
from rove.models import ChatModel
from rove.question import AskedQuestion, QuestionContext, StepResult, ask_model, by_model_or_rules, question_part, told
from rove.question.quantities import dates, numbers
from rove.question.wording import is_unspaced
from rove.records import Slot
from rove.settings import SlotSettings

PATTERN_TIMEOUT_S = 0.5


class Value(BaseModel):
    """One slot, as the model writes it."""

    name: str = Field(max_length=100)
    value: str = Field(max_length=300)


class Filled(BaseModel):
    """What the model writes."""

    slots: list[Annotated[Value, Field()]] = Field(max_length=30)


@dataclass(frozen=True, slots=True)
class Filling:
    """The values that were found, in the order of the declaration, and the required slots that have none."""

    slots: tuple[Slot, ...]
    missing: tuple[str, ...]


async def fill_slots(asked: AskedQuestion, context: QuestionContext, intent: str = "") -> StepResult[Filling]:
    """Fill the declared slots that belong to questions of this kind.

    By rules: enums by their values and other words for them, patterns, numbers and dates. A "text" without a pattern
    needs a chat model. Whoever found a value, it is kept only where it fits the declaration.

    Raises:
        ConfigError: a slot's pattern is no regular expression.
    """
    declared = {
        name: slot for name, slot in context.settings.slots.items() if not slot.intents or intent in slot.intents
    }

    async def by_model(chat: ChatModel) -> Filling:
        listed = "\n".join(f"{name} ({_kind(slot)}): {slot.description}" for name, slot in declared.items())
        wrote = await ask_model(
            chat, Filled, "slots", f"Slots:\n{listed}", told(asked.history), question_part(asked.text)
        )
        found = {value.name: value.value for value in wrote.slots if value.name in declared}
        fitting = {name: fit for name, value in found.items() if (fit := fitted(name, value, declared[name], asked))}
        return _filling(declared, {**by_rule(asked, declared), **fitting})

    async def by_rules() -> Filling:
        return _filling(declared, by_rule(asked, declared))

    return await by_model_or_rules(context.chat, by_model, by_rules)


def by_rule(asked: AskedQuestion, declared: Mapping[str, SlotSettings]) -> dict[str, Slot]:
    """Return what can be found without a model; each number and each date fills one slot."""
    found: dict[str, Slot] = {}
    taken: list[tuple[int, int]] = []
    for name, slot in sorted(declared.items(), key=lambda item: not item[1].pattern):
        for value, start, end in _candidates(name, slot, asked):
            if not any(start < last and first < end for first, last in taken):
                found[name] = Slot(name, value, asked.text[start:end])
                taken.append((start, end))
                break
    return found


def fitted(name: str, value: str, slot: SlotSettings, asked: AskedQuestion) -> Slot | None:
    """Return a model's value as the declaration wants it; None where it does not fit, or the pattern is not met."""
    value = " ".join(value.split())
    text = value if value.casefold() in asked.text.casefold() else ""
    if slot.type == "text" and not slot.pattern:
        return Slot(name, value, text) if value else None
    said = AskedQuestion(value, asked.language, today=asked.today)
    found = next(_candidates(name, slot, said), None)
    return Slot(name, found[0], text) if found else None


def _candidates(name: str, slot: SlotSettings, asked: AskedQuestion) -> Iterator[tuple[str, int, int]]:
    """Yield the values for a slot, each with its place: by the pattern first, where there is one."""
    if slot.pattern:
        yield from _by_pattern(name, slot, asked)
    elif slot.type == "enum":
        yield from _choices(slot, asked.text)
    elif slot.type == "number":
        dated = dates(asked.text, asked.language, asked.today)
        for number in numbers(asked.text, asked.language):
            if not any(day.start < number.end and number.start < day.end for day in dated):
                yield number.value, number.start, number.end
    elif slot.type == "date":
        for day in dates(asked.text, asked.language, asked.today):
            yield day.value, day.start, day.end


def _by_pattern(name: str, slot: SlotSettings, asked: AskedQuestion) -> Iterator[tuple[str, int, int]]:
    """Yield what the pattern finds, read as a value of the slot's type."""
    bare = slot.model_copy(update={"pattern": ""})
    for value, start, end in _matches(name, slot.pattern, asked.text):
        if slot.type in {"text", "pattern"}:
            yield value, start, end
        elif inner := next(_candidates(name, bare, AskedQuestion(value, asked.language, today=asked.today)), None):
            yield inner[0], start, end


def _choices(slot: SlotSettings, text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the values that a text names, by their own words or by others for them, the longest words first.

    A single letter counts only as it is written: "a" is an article, "A" may be a room.
    """
    as_written = {word for value, others in slot.values.items() for word in (value, *others)}
    words = {word.casefold(): value for value, others in slot.values.items() for word in (value, *others) if word}
    for word in sorted(words, key=len, reverse=True):
        bounded = regex.escape(word) if is_unspaced(word) else rf"(?<!\w){regex.escape(word)}(?!\w)"
        for found in regex.finditer(bounded, text, flags=regex.IGNORECASE):
            if len(word) > 1 or found.group() in as_written:
                yield words[word], found.start(), found.end()


def _matches(name: str, pattern: str, text: str) -> Iterator[tuple[str, int, int]]:
    try:
        for found in regex.finditer(pattern, text, flags=regex.IGNORECASE, timeout=PATTERN_TIMEOUT_S):
            group = 1 if found.re.groups and found[1] is not None else 0
            if found[group].strip():
                yield found[group], found.start(group), found.end(group)
    except regex.error as error:
        message = f"question.slots.{name}.pattern is no regular expression: {error}."
        raise ConfigError(message, cure="Mend it.") from None
    except TimeoutError:
        return


def _filling(declared: Mapping[str, SlotSettings], found: Mapping[str, Slot]) -> Filling:
    slots = tuple(found[name] for name in declared if name in found)
    return Filling(slots, tuple(name for name, slot in declared.items() if slot.required and name not in found))


def _kind(slot: SlotSettings) -> str:
    return f"one of: {', '.join(slot.values)}" if slot.type == "enum" else slot.type

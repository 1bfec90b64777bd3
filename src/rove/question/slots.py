"""Slots: values that the user declares, taken from a question and held against what was declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field

from rove.enrich.declared_values import declared_values
from rove.models import ChatModel
from rove.question import (
    AskedQuestion,
    QuestionContext,
    StepResult,
    ask_model,
    by_model_or_rules,
    history_text,
    question_part,
)
from rove.records import Slot
from rove.records.quantity import TextValue
from rove.settings import SlotSettings


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
        listed = "\n".join(f"{name} ({_slot_type_label(slot)}): {slot.description}" for name, slot in declared.items())
        wrote = await ask_model(
            chat, Filled, "slots", f"Slots:\n{listed}", history_text(asked.history), question_part(asked.text)
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
        for one in _slot_value_candidates(name, slot, asked):
            if not any(one.start < last and first < one.end for first, last in taken):
                found[name] = Slot(name, one.value, asked.text[one.start : one.end])
                taken.append((one.start, one.end))
                break
    return found


def fitted(name: str, value: str, slot: SlotSettings, asked: AskedQuestion) -> Slot | None:
    """Return a model's value as the declaration wants it; None where it does not fit, or the pattern is not met."""
    value = " ".join(value.split())
    text = value if value.casefold() in asked.text.casefold() else ""
    if slot.type == "text" and not slot.pattern:
        return Slot(name, value, text) if value else None
    said = AskedQuestion(value, asked.language, today=asked.today)
    found = next(_slot_value_candidates(name, slot, said), None)
    return Slot(name, found.value, text) if found else None


def _slot_value_candidates(name: str, slot: SlotSettings, asked: AskedQuestion) -> Iterator[TextValue]:
    """Yield the values for a slot, each with its place."""
    yield from declared_values(asked.text, asked.language, slot, setting=f"question.slots.{name}", today=asked.today)


def _filling(declared: Mapping[str, SlotSettings], found: Mapping[str, Slot]) -> Filling:
    slots = tuple(found[name] for name in declared if name in found)
    return Filling(slots, tuple(name for name, slot in declared.items() if slot.required and name not in found))


def _slot_type_label(slot: SlotSettings) -> str:
    return f"one of: {', '.join(slot.values)}" if slot.type == "enum" else slot.type

"""The chat model's part: it chooses where the search leaves a choice, and fills what rules leave open.

What it quotes is checked, and a number is read where it quotes it, never taken from its reply: small models write "2"
for two hours in minutes, and 12 for "12 ezer".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from rove.errors import ServiceError
from rove.language.quantities.reader import read_quantities
from rove.models import ChatModel
from rove.models.prompts import fence_material, prompt
from rove.models.typed import reply_as
from rove.records import Note
from rove.records.document import Span
from rove.records.tool import FilledParameter, ToolMatch
from rove.tools.correct import amount_of, as_said
from rove.tools.fill import SaidText, overlaps
from rove.tools.parameters import Parameter

PACKAGE = "rove.tools"
MOST_PARAMETERS = 60


class WrittenValue(BaseModel):
    """One parameter, as the model writes it."""

    name: str = Field(max_length=200)
    value: str = Field(max_length=2_000)
    quote: str = Field(default="", max_length=2_000)


class WrittenValues(BaseModel):
    """What the model writes."""

    values: list[Annotated[WrittenValue, Field()]] = Field(max_length=MOST_PARAMETERS)


class ChosenTool(BaseModel):
    """The tool that the model chooses; "" for none."""

    tool: str = Field(max_length=200)


async def choose(chat: ChatModel, request: str, matches: Sequence[ToolMatch]) -> ToolMatch | None:
    """Let the model choose among tools that were found; None where none of them does it.

    Raises:
        ServiceError: the model failed, or named one that it was not offered.
    """
    listed = "\n".join(f"{one.tool}: {' '.join(one.description.split())[:400]}" for one in matches)
    asked = f"Tools:\n{fence_material(listed, 'tools')}\n\nThe request:\n{fence_material(request, 'request')}"
    wrote = await reply_as(chat, ChosenTool, prompt(PACKAGE, "choose"), asked)
    chosen = next((one for one in matches if one.tool == wrote.tool.strip()), None)
    if chosen is None and wrote.tool.strip():
        message = f"The chat model chose {wrote.tool!r}, which is none of the tools."
        raise ServiceError(message, cure="Name the tool.", retryable=False)
    return chosen


def none_fits(matches: Sequence[ToolMatch], known: Collection[str]) -> Note:
    """Say why no tool is run: of `matches` the model has chosen none; `known` are all."""
    if matches:
        return Note("no-tool-chosen", {"tool": matches[0].tool})
    return Note("no-tool-fits") if known else Note("no-tools")


async def fill_by_model(
    chat: ChatModel,
    parameters: Sequence[Parameter],
    said: Sequence[SaidText],
    profile: Mapping[str, object],
    language: str,
    taken: Sequence[Span] = (),
) -> dict[str, FilledParameter]:
    """Return the values that the model has found, by name; only those whose words stand where it says that they do.

    `language`: of what was `said`. `taken`: places in the request whose numbers other parameters have.

    Raises:
        ServiceError: the model failed.
    """
    lines = "\n".join(_parameter_prompt_line(parameter) for parameter in parameters[:MOST_PARAMETERS])
    turns = "\n".join(one.text for one in said if one.origin == "history")
    known = "\n".join(f"{key}: {value}" for key, value in profile.items())
    parts = [f"Parameters:\n{fence_material(lines, 'parameters')}"]
    parts += [f"The conversation so far:\n{fence_material(turns, 'conversation')}"] if turns else []
    parts += [f"The profile:\n{fence_material(known, 'profile')}"] if known else []
    parts += [f"The request:\n{fence_material(said[0].text, 'request')}"]
    wrote = await reply_as(chat, WrittenValues, prompt(PACKAGE, "fill"), "\n\n".join(parts))
    by_name = {parameter.name: parameter for parameter in parameters}
    taken, found = list(taken), dict[str, FilledParameter]()
    for value in wrote.values:
        if value.name in by_name and value.name not in found and value.value.strip():
            placed = _ground_value(value, by_name[value.name], said, profile, language, taken)
            found |= {value.name: placed} if placed else {}
            taken += [placed.span] if placed and placed.span else []
    return found


def _ground_value(
    value: WrittenValue,
    parameter: Parameter,
    said: Sequence[SaidText],
    profile: Mapping[str, object],
    language: str,
    taken: Sequence[Span],
) -> FilledParameter | None:
    """Find the words that a value rests on; None where nobody said them: a model may not make a value up."""
    words = value.quote.strip() or value.value.strip()
    for one in said:
        start = one.text.casefold().find(words.casefold())
        if start >= 0 and len(one.text.casefold()) == len(one.text):
            span, in_question = (start, start + len(words)), one.origin == "question"
            if parameter.type in {"integer", "number"} and not parameter.choices:
                return _read_number(value, parameter, one, span, language, taken if in_question else ())
            own = span if in_question else None
            return FilledParameter(value.name, value.value.strip(), one.origin, one.text[slice(*span)], own, "model")
    for key, known in profile.items():
        if words.casefold() in str(known).casefold() or words.casefold() == key.casefold():
            return FilledParameter(value.name, value.value.strip(), "profile", key, None, "model")
    return None


def _read_number(
    value: WrittenValue, parameter: Parameter, said: SaidText, span: Span, language: str, taken: Sequence[Span]
) -> FilledParameter | None:
    """Read the number that a model quotes, whole, in the parameter's unit; None where none fits, or several do."""
    free = [
        (one, amount)
        for one in read_quantities(said.text, language)
        if one.kind in {"number", "year", "ordinal"} and overlaps(one.span, [span]) and not overlaps(one.span, taken)
        if (amount := amount_of(one, parameter))
    ]
    same = [(one, amount) for one, amount in free if value.value.strip() == f"{amount[0]:g}"]
    if len(chosen := free if len(free) == 1 else same) != 1:
        return None
    one = chosen[0][0]
    own = one.span if said.origin == "question" else None
    words = said.text[slice(*one.span)]
    return FilledParameter(value.name, as_said(one, said.text, parameter, language), said.origin, words, own, "model")


def _parameter_prompt_line(parameter: Parameter) -> str:
    kind = f"one of: {', '.join(parameter.choices[:50])}" if parameter.choices else parameter.format or parameter.type
    return f"{parameter.name} ({kind}): {' '.join(parameter.description.split())[:300]}"

"""What goes over the wire of tools: a request, a plan that says where each value is from, a result."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self, cast

from pydantic import Field

from rove.records import History, Turn
from rove.records.tool import FilledParameter, ToolMatch, ToolPlan, ToolRun
from rove.serve.json_values import Values
from rove.serve.questions.results import NoteOut
from rove.serve.questions.schema import Question, TurnIn
from rove.serve.redaction import Said
from rove.serve.schema import Reply, Wire
from rove.tools import Tool
from rove.tools.hiding import Hide
from rove.tools.parameters import Parameter, parameters_of

DEEPEST = 32
"""A result that nests deeper is told as text from there on."""
ABOUT_CHARS, CHOICES = 1_000, 50
"""How much of a description, and how many of a parameter's choices, are told."""


class ToolRunIn(Wire):
    """What is wanted; `tool` names one where it is known, `arguments` are values that are settled.

    `history` are the turns before it, the oldest first; `profile` is what is known of the user. `dry_run` plans alone.
    `confirm`: a tool that changes something may run.
    """

    request: Question
    tool: str = Field(default="", max_length=200)
    arguments: Values = {}
    history: list[TurnIn] = Field(default=[], max_length=50)
    profile: Values = {}
    dry_run: bool = False
    confirm: bool = False

    @property
    def turns(self) -> History:
        """The conversation so far."""
        return History(tuple(Turn(turn.question, turn.answer) for turn in self.history))


class ParameterOut(Reply):
    """A parameter: its type as JSON Schema has it, "" where it has several; `choices` where not any value will do."""

    name: str
    type: str
    format: str
    description: str
    required: bool
    choices: list[str]
    unit: str


class ToolOut(Reply):
    """A tool. `effects`: "reads", or "writes" where it changes something.

    Of one that was found, `score` says how well it fits, and `fitting` which parameters the request fills.
    """

    name: str
    description: str
    source: str
    effects: str
    parameters: list[ParameterOut]
    score: float | None = None
    fitting: list[str] = []

    @classmethod
    def of(cls, tool: Tool, hide: Hide, match: ToolMatch | None = None) -> Self:
        """Make it of a tool, and of how well it fits."""
        return cls(
            name=tool.name,
            description=hide(tool.description[:ABOUT_CHARS]),
            source=tool.source,
            effects=tool.effects,
            parameters=[_parameter_out(one, hide) for one in parameters_of(tool.parameters)],
            score=match.score if match else None,
            fitting=list(match.fitting) if match else [],
        )


class ToolsOut(Reply):
    """Tools, best first where there is a request, else by source; `failed`: the sources that cannot be read now."""

    tools: list[ToolOut]
    failed: list[Said]
    next_cursor: int | None = None


class FilledOut(Reply):
    """A parameter's value, and where it is from: "given", "question", "history", "profile", "default".

    `text`: the words that say so, at `span` of the request; `by`: "text" (rules) or "model".
    """

    name: str
    value: Any
    origin: str
    text: str
    span: tuple[int, int] | None
    by: str


class CorrectionOut(Reply):
    """A value that was mended before it was used: type, case, alias, spelling, unit, date or platform."""

    parameter: str
    written: str
    meant: str
    reason: Said


class WrongOut(Reply):
    """What a value does not keep to."""

    parameter: str
    message: Said


class PlanOut(Reply):
    """Which tool, with which values from where; what was mended, is missing or wrong; the `question` to the user."""

    tool: str
    source: str
    effects: str
    parameters: list[FilledOut]
    corrections: list[CorrectionOut]
    missing: list[str]
    wrong: list[WrongOut]
    question: str
    others: list[str]

    @classmethod
    def of(cls, plan: ToolPlan, hide: Hide) -> Self:
        """Make it of a record."""
        return cls(
            tool=plan.match.tool,
            source=plan.match.source,
            effects=plan.match.effects,
            parameters=[_parameter_value_out(one, hide) for one in plan.parameters],
            corrections=[
                CorrectionOut(
                    parameter=one.parameter, written=hide(one.written), meant=hide(one.meant), reason=one.reason
                )
                for one in plan.corrections
            ],
            missing=list(plan.missing),
            wrong=[WrongOut(parameter=one.parameter, message=hide(one.message)) for one in plan.problems],
            question=hide(plan.question),
            others=[one.tool for one in plan.others],
        )


class ToolRunOut(Reply):
    """What came of a request: "ran", "planned", "asks", "unconfirmed", "failed" or "none"; `note` says why.

    `text`: the result to read and quote, `title`: what was asked; `result`: the same as JSON, null where it was `cut`.
    """

    request: str
    outcome: str
    plan: PlanOut | None
    title: str
    text: str
    result: Any
    cut: bool
    tries: int
    seconds: float
    note: Said
    notes: list[NoteOut]

    @classmethod
    def of(cls, run: ToolRun, hide: Hide, hide_places: Hide) -> Self:
        """Make it of a record; `hide_places` takes out of the note what else callers are not told."""
        return cls(
            request=run.request,
            outcome=run.outcome,
            plan=PlanOut.of(run.plan, hide) if run.plan else None,
            title=hide(run.document.title) if run.document else "",
            text=hide(run.document.text) if run.document else "",
            result=to_plain_json(run.result, hide),
            cut=run.cut,
            tries=run.tries,
            seconds=run.seconds,
            note=hide_places(hide(run.note)),
            notes=NoteOut.all([note.changed(hide).changed(hide_places) for note in run.notes]),
        )


def to_plain_json(value: object, hide: Hide, depth: int = DEEPEST) -> object:
    """Return a value as any JSON can hold it.

    >>> to_plain_json({"a": [1, float("nan")], "b": "key s3cret"}, lambda text: text.replace("s3cret", "…"))
    {'a': [1, None], 'b': 'key …'}
    """
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case dict() if depth:
            pairs = cast("Mapping[object, object]", value).items()
            return {hide(str(key)): to_plain_json(one, hide, depth - 1) for key, one in pairs}
        case list() | tuple() if depth:
            return [to_plain_json(one, hide, depth - 1) for one in cast("list[object]", value)]
        case _:
            return hide(str(value))


def _parameter_value_out(one: FilledParameter, hide: Hide) -> FilledOut:
    return FilledOut(
        name=one.name,
        value=to_plain_json(one.value, hide),
        origin=one.origin,
        text=hide(one.text),
        span=one.span,
        by=one.by,
    )


def _parameter_out(one: Parameter, hide: Hide) -> ParameterOut:
    return ParameterOut(
        name=one.name,
        type=one.type,
        format=one.format,
        description=hide(one.description[:ABOUT_CHARS]),
        required=one.required,
        choices=[hide(choice) for choice in one.choices[:CHOICES]],
        unit=one.unit,
    )

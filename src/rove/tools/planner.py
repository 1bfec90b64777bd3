"""From a tool and what was said to a plan: parameters filled, mended and checked, one question for what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rove.errors import ServiceError
from rove.models import ChatModel
from rove.question.word_tables import localized_text as phrase
from rove.records import History, Note
from rove.records.tool import FilledParameter, ToolMatch, ToolPlan, ValueCorrection, ValueProblem
from rove.tools import Tool
from rove.tools.ask_model import fill_by_model
from rove.tools.correct import Circumstances, corrected, is_day
from rove.tools.domain_model import DomainModel
from rove.tools.fill import SaidText, fill_by_rules
from rove.tools.parameters import Parameter, check_arguments, parameters_of
from rove.tools.unfitting import unfitting
from rove.tools.units import unit_of_value

TURNS = 4
"""Earlier turns that are looked through, the latest first."""


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """What the user wants, and what is known of them.

    `given`: values that are settled, by parameter. `profile`: what is known of the user, by name, such as
    {"home_city": "Wien"}. `today`: YYYY-MM-DD.
    """

    text: str
    language: str
    today: str = ""
    history: History = History()
    profile: Mapping[str, object] = field(default_factory=dict[str, object])
    given: Mapping[str, object] = field(default_factory=dict[str, object])

    def said(self) -> list[SaidText]:
        """The question, then the earlier turns, the latest first."""
        turns = self.history.turns[-TURNS:][::-1]
        return [SaidText(self.text), *(SaidText(turn.question, "history") for turn in turns)]


async def planned(
    tool: Tool, match: ToolMatch, request: ToolRequest, domain: DomainModel, chat: ChatModel | None
) -> ToolPlan:
    """Plan one call. Nothing is run. Values of the schema's own defaults are named, and left to the tool."""
    parameters = parameters_of(tool.parameters)
    around = Circumstances(request.language, request.today, domain, tool.platform)
    filled, notes = await _fill_parameters(parameters, request, around, chat)
    mended = [_mend_filled_parameter(filled[one.name], one, around) for one in parameters if one.name in filled]
    arguments = {one.name: one.value for one, _ in mended}
    strange = [name for name in request.given if name not in {one.name for one in parameters}]
    found = check_arguments(tool.parameters, arguments)
    told = [problem for problem in unfitting(parameters, filled, request.text, request.language)
            if problem.parameter not in request.given and problem.parameter not in found.missing]  # fmt: skip
    problems = (*found.problems, *told, *(ValueProblem(name, "the tool has no such parameter") for name in strange))
    defaults = [
        FilledParameter(one.name, one.default, "default")
        for one in parameters
        if one.default is not None and one.name not in arguments and not one.required
    ]
    return ToolPlan(
        request.text,
        match,
        (*(one for one, _ in mended), *defaults),
        tuple(correction for _, corrections in mended for correction in corrections),
        found.missing,
        problems,
        asked_back(parameters, found.missing, problems, request.language),
        notes=notes,
        language=request.language,
    )


def asked_back(
    parameters: Sequence[Parameter], missing: Sequence[str], problems: Sequence[ValueProblem], language: str
) -> str:
    """Return one question for all that is missing or wrong, in the user's language; "" where nothing is.

    >>> city = Parameter("city", "string", "Name of the city.")
    >>> asked_back([city], ["city"], [], "de")
    'Bitte geben Sie noch an: Name of the city.'
    """
    labels = {one.name: one.label for one in parameters}
    wanted = dict.fromkeys((*missing, *(one.parameter for one in problems if one.parameter in labels)))
    names = [labels.get(name, name) for name in wanted]
    return phrase("phrases", "missing", language).format(names=", ".join(names)) if names else ""


async def _fill_parameters(
    parameters: Sequence[Parameter], request: ToolRequest, around: Circumstances, chat: ChatModel | None
) -> tuple[dict[str, FilledParameter], tuple[Note, ...]]:
    """Fill what the caller has not given: by rules, then by the model what these leave open, or a free text.

    A number, a day, a choice or a thing that rules have read stands: a model that is small miscounts.
    """
    given = {name: FilledParameter(name, value, "given") for name, value in request.given.items()}
    left = [parameter for parameter in parameters if parameter.name not in given]
    said = request.said()
    filled = fill_by_rules(left, said, request.profile, around)
    notes: tuple[Note, ...] = ()
    open_ones = [one for one in left if one.name not in filled or _is_free_text(one)]
    if chat is not None and open_ones:
        settled = [one for name, one in filled.items() if name not in {free.name for free in open_ones}]
        taken = [one.span for one in settled if one.span]
        try:
            filled |= await fill_by_model(chat, open_ones, said, request.profile, request.language, taken)
        except ServiceError as error:
            notes = (Note("parameters-by-rules", {"reason": error.reason}),)
    return {**filled, **given}, notes


def _is_free_text(parameter: Parameter) -> bool:
    told = parameter.format or parameter.choices or parameter.is_entity or is_day(parameter)
    return parameter.type in {"string", ""} and not told


def _mend_filled_parameter(
    filled: FilledParameter, parameter: Parameter, around: Circumstances
) -> tuple[FilledParameter, tuple[ValueCorrection, ...]]:
    value, corrections = corrected(filled.value, parameter, around)
    return replace(filled, value=value, unit=unit_of_value(parameter, filled.text, around.language)), corrections

"""What a request says in a unit that no parameter can take: it is asked about, and never left out or cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rove.language.quantities.reader import read_quantities
from rove.language.quantities.units import unit_named
from rove.records.tool import FilledParameter, ValueProblem
from rove.tools.fill import overlaps
from rove.tools.parameters import Parameter
from rove.tools.units import units_said, wanted_unit

UNFIT = "{said!r} does not fit, it is in {unit}"
RANGE = "{said!r} is a range, of which it takes one end"


def unfitting(
    parameters: Sequence[Parameter], filled: Mapping[str, FilledParameter], text: str, language: str
) -> list[ValueProblem]:
    """Return the parameters, still open, that an amount or a unit of a request was meant for and does not fit.

    >>> minutes = Parameter("minutes", "integer")
    >>> [one.parameter for one in unfitting([minutes], {}, "the load of the last 5 kg", "en")]
    ['minutes']
    """
    taken = [one.span for one in filled.values() if one.span]
    left = [one for one in parameters if one.name not in filled]
    found: list[ValueProblem] = []
    amounts = [one for one in read_quantities(text, language) if one.kind == "number"]
    measures = [(one, unit) for one in left if one.type in {"integer", "number"} and (unit := wanted_unit(one))]
    for amount in amounts:
        if amount.unit and not overlaps(amount.span, taken) and len(measures) == 1:
            parameter, unit = measures[0]
            found.append(_unit_problem(parameter, text[slice(*amount.span)], unit.name))
    choosers = [one for one in left if one.choices and all(unit_named(choice) for choice in one.choices)]
    for one, other in zip(amounts, amounts[1:], strict=False):
        if one.bound == "from" and other.bound == "to" and overlaps(one.span, taken) != overlaps(other.span, taken):
            whole = text[one.span[0] : other.span[1]]
            found += [ValueProblem(name, RANGE.format(said=whole)) for name, given in filled.items()
                      if given.span and overlaps(given.span, [one.span, other.span])]  # fmt: skip
    covered = [*taken, *(one.span for one in amounts)]
    for _, span in units_said(text, language) if len(choosers) == 1 else ():
        if not overlaps(span, covered):
            found.append(_unit_problem(choosers[0], text[slice(*span)], " / ".join(choosers[0].choices)))
    return found


def _unit_problem(parameter: Parameter, said: str, unit: str) -> ValueProblem:
    return ValueProblem(parameter.name, UNFIT.format(said=said, unit=unit))

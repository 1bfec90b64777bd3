"""Values as a tool wants them: types, enums, units, dates and names are mended before anybody is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from rove.language.quantities.reader import numbers_in, read_quantities
from rove.language.quantities.units import convert, unit_named
from rove.language.relative_days import days_in
from rove.records.quantity import Quantity
from rove.records.tool import ValueCorrection
from rove.tools.domain_model import DomainModel
from rove.tools.parameters import Parameter
from rove.tools.units import wanted_unit

ALIKE, APART = 80.0, 5.0
"""Likeness in percent from which on a value counts as a misspelt choice, and how far the next choice lies behind."""
TRUE = frozenset(["true", "yes", "on", "1", "ja", "wahr", "igen", "igaz", "是", "真", "はい", "sí", "oui"])
FALSE = frozenset(["false", "no", "off", "0", "nein", "falsch", "nem", "hamis", "否", "不", "假", "いいえ", "non"])
Corrected = tuple[object, tuple[ValueCorrection, ...]]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a value is read by: the language of who said it, today's date, the things that are known, the platform."""

    language: str
    today: str
    domain: DomainModel
    platform: str = ""


def corrected(value: object, parameter: Parameter, around: Circumstances) -> Corrected:
    """Return a value as the parameter wants it, and what was changed; what cannot be mended stays as it is."""
    if parameter.type == "array" and isinstance(value, str):
        value = [part.strip() for part in value.replace("、", ",").replace("，", ",").split(",") if part.strip()]
        return value, (ValueCorrection(parameter.name, ", ".join(value), str(value), "type"),)
    if not isinstance(value, str | int | float | bool):
        return value, ()
    for mend in (_choice, _platform, _boolean, _mend_number, _mend_date):
        found = next(mend(value, parameter, around), None)
        if found is not None:
            meant, reason = found
            same = type(meant) is type(value) and meant == value
            return meant, () if same else (_value_correction(parameter, value, meant, reason),)
    if parameter.type == "string" and not isinstance(value, str):
        return str(value), (_value_correction(parameter, value, str(value), "type"),)
    return value, ()


Mended = Iterator[tuple[object, str]]
Mend = Callable[[str | int | float | bool, Parameter, Circumstances], Mended]


def _choice(value: object, parameter: Parameter, around: Circumstances) -> Mended:
    """An enum's value: as it is written, in another case, by another word for it, or misspelt without doubt."""
    if not parameter.choices:
        return
    said, typed = str(value).strip(), _choice_converter(parameter)
    if said in parameter.choices:
        yield typed(said), "type"
    folded = {_fold_choice(choice): choice for choice in parameter.choices}
    if _fold_choice(said) in folded:
        yield typed(folded[_fold_choice(said)]), "case"
    words = {_fold_choice(word): choice for choice, others in (parameter.aliases or {}).items() for word in others}
    if _fold_choice(said) in words and words[_fold_choice(said)] in parameter.choices:
        yield typed(words[_fold_choice(said)]), "alias"
    known = around.domain.name_on(said, around.platform)
    if known in parameter.choices:
        yield typed(known), "platform"
    if measured := [choice for choice in parameter.choices if _same_unit(choice, said, around.language)]:
        yield typed(measured[0]), "unit"
    close = process.extract(_fold_choice(said), [*folded, *words], scorer=fuzz.ratio, limit=2, score_cutoff=ALIKE)
    if close and len(said) > 2 and (len(close) == 1 or close[0][1] - close[1][1] >= APART):
        meant = folded.get(close[0][0]) or words[close[0][0]]
        yield typed(meant), "spelling"


def _platform(value: object, parameter: Parameter, around: Circumstances) -> Mended:
    if parameter.type in {"string", ""} and isinstance(value, str):
        known = around.domain.name_on(value, around.platform)
        if known is not None:
            yield known, "platform"


def _boolean(value: object, parameter: Parameter, around: Circumstances) -> Mended:
    del around
    if parameter.type == "boolean" and not isinstance(value, bool):
        said = str(value).casefold().strip()
        if said in TRUE or said in FALSE:
            yield said in TRUE, "type"


def _mend_number(value: object, parameter: Parameter, around: Circumstances) -> Mended:
    """A number, out of its unit and into the one that the parameter wants; what does not fit stays as it is written."""
    if parameter.type not in {"number", "integer"} or isinstance(value, bool):
        return
    if isinstance(value, int | float):
        number, reason = float(value), "type"
    else:
        found = amount_in(str(value), parameter, around.language)
        if found is None:
            return
        number, reason = found
    if parameter.type == "number":
        yield int(number) if number.is_integer() and isinstance(value, int) else number, reason
    elif number.is_integer():
        yield int(number), reason


def amount_in(text: str, parameter: Parameter, language: str) -> tuple[float, str] | None:
    """Return the one number of a text in the unit that a parameter wants, and what was done: "type" or "unit".

    None where there is none, or several, or its unit measures something else.
    """
    found = [one for one in read_quantities(text, language) if one.kind in {"number", "year", "ordinal"}]
    return amount_of(found[0], parameter) if len(found) == 1 else None


def amount_of(quantity: Quantity, parameter: Parameter) -> tuple[float, str] | None:
    """Return a quantity in the unit that a parameter wants: see `amount_in`."""
    wanted = wanted_unit(parameter)
    for reading in quantity.readings:
        if reading.unit is None or wanted is None or reading.unit == wanted:
            return reading.value, "type"
        if reading.unit.kind == wanted.kind:
            return convert(reading.value, reading.unit, wanted), "unit"
    return None


def as_said(quantity: Quantity, text: str, parameter: Parameter, language: str) -> object:
    """Return the words of a quantity of a text; its amount where they do not say it by themselves.

    "2" in "2 to 3 million" is two million.
    """
    words = text[slice(*quantity.span)]
    alone = read_quantities(words, language)
    amount = amount_of(quantity, parameter)
    return amount[0] if amount and (len(alone) != 1 or alone[0].readings != quantity.readings) else words


def _mend_date(value: object, parameter: Parameter, around: Circumstances) -> Mended:
    if not is_day(parameter) or not isinstance(value, str):
        return
    found = days_in(value, around.language, around.today)
    if len(found) == 1 and parameter.format == "date-time":
        if "T" not in value:
            yield f"{found[0].value}T00:00:00Z", "date"
    elif len(found) == 1:
        yield found[0].value, "date"


def is_day(parameter: Parameter) -> bool:
    """Say whether a parameter wants a date: by its format, or as text by its name or description.

    >>> is_day(Parameter("from", "string", format="date")), is_day(Parameter("start_date", "string"))
    (True, True)
    """
    if parameter.format in {"date", "date-time"}:
        return True
    told = "date" in parameter.words.split() or "YYYY-MM-DD" in parameter.description.upper()
    return parameter.type == "string" and not parameter.format and told


def _choice_converter(parameter: Parameter) -> Callable[[str], object]:
    """What turns a choice, kept as text, into the schema's own type."""

    def typed(choice: str) -> object:
        found = numbers_in(choice, "en") if parameter.type in {"integer", "number"} else []
        if not found:
            return choice
        return int(found[0].value) if parameter.type == "integer" else float(found[0].value)

    return typed


def _same_unit(choice: str, said: str, language: str) -> bool:
    """Whether a choice names the unit that was said: "GB" and "gigabytes"."""
    own = unit_named(choice)
    return own is not None and own == unit_named(said, language)


def _fold_choice(text: str) -> str:
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split())


def _value_correction(parameter: Parameter, written: object, meant: object, reason: str) -> ValueCorrection:
    return ValueCorrection(parameter.name, str(written), str(meant), reason)  # pyright: ignore[reportArgumentType]

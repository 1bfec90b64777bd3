"""What a column holds: yes or no, days and years, numbers that can be added up; by its type and its values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import regex
from sqlglot import exp

from rove.databases.joins import column_name
from rove.databases.mentions import TEMPORAL, is_numeric
from rove.records.quantity import CalendarDay
from rove.records.schema import Column

_BOOLEAN = regex.compile(r"(?i)bool|\bbit\b|tinyint\(1\)")
_DAY = regex.compile(r"\d{4}-\d\d-\d\d(?:[ T].{0,30})?")
_AMOUNT = regex.compile(r"(?:\p{Sc}|[A-Z]{3}\b)?\s?\d+(?:[.,]\d+)*\s?\p{L}")
_YEAR = regex.compile(r"(?:1[5-9]|20)\d\d")
_IDENTIFIER = regex.compile(r"(?i:(?:\A|[_\s])id)\Z|\p{Ll}I[dD]\Z|编号\Z|番号\Z|工号\Z")
YES = frozenset({"yes", "y", "ja", "igen", "是", "はい", "true", "t", "○", "x", "oui", "sí", "si", "1"})
NO = frozenset({"no", "n", "nein", "nem", "否", "いいえ", "false", "f", "×", "", "non", "0"})


def yes_of(column: Column, held: Sequence[str]) -> exp.Expr | None:
    """The condition that a column which holds yes or no holds yes; None where it holds something else."""
    place = column_name(column.name)
    if _BOOLEAN.search(column.type):
        return exp.Is(this=place, expression=exp.Boolean(this=True))
    if is_numeric(column) and not column.is_key and set(column.samples) == {"0", "1"}:
        return exp.EQ(this=place, expression=exp.Literal.number(1))
    said = {one.casefold(): one for one in held}
    yes = [one for folded, one in said.items() if folded in YES]
    kinds = len(said.keys() - {""}) if len(said) > 2 else len(said)  # "yes", "no" and an empty cell are two kinds
    if kinds == 2 and len(yes) == 1 and said.keys() - YES <= NO:
        return exp.EQ(this=place, expression=exp.Literal.string(yes[0]))
    return None


def no_of(yes: exp.Expr) -> exp.Expr:
    """The condition that a column does not hold yes: it may be empty as well."""
    if isinstance(yes, exp.Is):
        return exp.Not(this=yes)
    return exp.Or(
        this=exp.NEQ(this=yes.this.copy(), expression=yes.expression.copy()),
        expression=exp.Is(this=yes.this.copy(), expression=exp.Null()),
    )


def filled(column: Column) -> exp.Expr:
    """The condition that a column of texts is not empty."""
    place = column_name(column.name)
    return exp.NEQ(
        this=exp.Coalesce(this=place, expressions=[exp.Literal.string("")]), expression=exp.Literal.string("")
    )


def empty(column: Column) -> exp.Expr:
    """The condition that a column of texts is empty."""
    return exp.EQ(this=filled(column).this, expression=exp.Literal.string(""))


def is_year(column: Column) -> bool:
    """Whether a column of numbers holds years."""
    return is_numeric(column) and bool(column.samples) and all(map(_YEAR.fullmatch, column.samples))


def is_dated(column: Column) -> bool:
    """Whether a column holds days, by its type or by what its texts are."""
    if TEMPORAL.search(column.type) and not is_numeric(column):
        return True
    return not is_numeric(column) and bool(column.samples) and all(map(_DAY.fullmatch, column.samples))


def is_measure(column: Column) -> bool:
    """Whether a column holds numbers that count or measure something."""
    named = column.is_key or column.references or _IDENTIFIER.search(column.name)
    plain = is_numeric(column) and not (named or _BOOLEAN.search(column.type))
    return plain and not is_year(column) and set(column.samples) != {"0", "1"}


def holds_amounts(column: Column) -> bool:
    """Whether a column holds numbers that measure something, with their units or without: "30 days", "€ 12"."""
    return is_measure(column) or bool(column.samples) and all(map(_AMOUNT.match, column.samples))


def in_period(column: Column, kind: str, first: CalendarDay, last: CalendarDay | None = None) -> exp.Expr:
    r"""The condition that a column of days or years lies in a period, or before or after it.

    `kind`: "" for in it, "between" up to and with `last`, "above" after, "at_least", "below" before, "at_most".

    >>> in_period(Column("d", "DATE"), "", CalendarDay(2023, 2)).sql()
    '"d" >= \'2023-02-01\' AND "d" < \'2023-03-01\''
    >>> in_period(Column("d", "DATE"), "above", CalendarDay(2022)).sql()
    '"d" >= \'2023-01-01\''
    """
    place, end = column_name(column.name), last or first
    if is_numeric(column):
        low, high = exp.Literal.number(first.year), exp.Literal.number(end.year)
        after, least, before, most = exp.GT, exp.GTE, exp.LT, exp.LTE
        if kind in {"", "between"}:
            return exp.Between(this=place, low=low, high=high) if last else exp.EQ(this=place, expression=low)
        one = {"above": after, "at_least": least, "below": before, "at_most": most}[kind]
        return one(this=place, expression=low)
    low, high = exp.Literal.string(_first_day_text(first)), exp.Literal.string(_first_day_text(_next_period(end)))
    from_, until = exp.GTE(this=place, expression=low), exp.LT(this=place.copy(), expression=high)
    open_ended = {
        "above": exp.GTE(this=place, expression=high),
        "at_least": from_,
        "below": exp.LT(this=place, expression=low),
        "at_most": until,
    }
    return open_ended.get(kind) or exp.And(this=from_, expression=until)


def _first_day_text(day: CalendarDay) -> str:
    return f"{day.year:04}-{day.month or 1:02}-{day.day or 1:02}"


def _next_period(day: CalendarDay) -> CalendarDay:
    """The year, month or day after one."""
    if not day.month:
        return CalendarDay(day.year + 1)
    if not day.day:
        return CalendarDay(day.year + day.month // 12, day.month % 12 + 1)
    after = date(day.year, day.month, day.day) + timedelta(days=1)
    return CalendarDay(after.year, after.month, after.day)

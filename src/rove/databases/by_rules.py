"""SQL without a chat model: filters, counts, sums, averages, extremes, top-n and groups over one table, by rules.

A question is read bit by bit: what names a column, a value, a number or an intent is taken. Where words are left over
that say something, the rules have not understood it, and say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import regex
from sqlglot import exp

from rove.databases.build_query import measurable, query_of
from rove.databases.mentions import (
    TEMPORAL,
    Mention,
    Reading,
    ValueMention,
    is_numeric,
    mentioned,
    take_table,
    values_in,
)
from rove.databases.query_plan import AGE, NEAR_CHARS, Cues, QueryPlan, ages_of, column_of, gap, place_of
from rove.language.cue_words import UNSPACED
from rove.records.document import Span
from rove.records.schema import Column, TableSchema

COMPARED: dict[str, type[exp.Predicate]] = {"at_least": exp.GTE, "at_most": exp.LTE, "above": exp.GT, "below": exp.LT}
WHOLE = 1.9
"""What the name of a column weighs that counts before all cues: two words or more."""
_YEAR = regex.compile(r"(?:1[5-9]|20)\d\d")


@dataclass(frozen=True, slots=True)
class RuledSql:
    """SQL by rules over one table. `weight`: how much of the table was named."""

    query: exp.Select
    table: TableSchema
    weight: float


def by_rules(question: str, language: str, table: TableSchema, held: Mapping[str, Sequence[str]]) -> RuledSql | None:
    """Return SQL for a question over a table; None where it was not understood.

    `language`: en, de, hu, zh or ja. `held`: different values of the table's columns, by their names.
    """
    reading = Reading(question, language)
    plan = QueryPlan()
    said = _taken(reading, table, held)
    columns, cues = said.columns, said.cues
    if not _add_numbers(reading, plan, columns, cues, table):
        return None
    for value in (*said.values, *(_placed(one, columns, table, held) for one in said.quoted)):
        if value.column is None:
            return None
        _add_value(plan, value, columns, cues.denied)
    _take_fillers(reading, cues)
    if reading.left_over() or (not said.named and not columns and not said.values):
        return None
    plan.shown = [mention for mention in columns if mention.span not in plan.used]
    if cues.soft and not cues.aggregates and not any(measurable(mention.column) for mention in plan.shown):
        cues.counts = cues.soft
    query = query_of(plan, table, reading, cues)
    if query is None:
        return None
    for condition in plan.conditions:
        query = query.where(condition)
    weight = sum(m.weight for m in columns) + 2 * len(said.values) + 4 * said.named
    return RuledSql(query.from_(place_of(table)), table, weight)


def not_understood(question: str, language: str, table: TableSchema, held: Mapping[str, Sequence[str]]) -> list[Span]:
    """Return where a question has words that the rules find no name, value or cue for; see `by_rules`."""
    reading = Reading(question, language)
    said = _taken(reading, table, held)
    for span, _ in reading.numbers():
        reading.take(span)
    _take_fillers(reading, said.cues)
    return reading.left_over()


@dataclass(frozen=True, slots=True)
class _Said:
    """What a question names of a table. `named`: how much of the table's own name."""

    columns: list[Mention]
    values: list[ValueMention]
    quoted: list[ValueMention]
    cues: Cues
    named: float


def _taken(reading: Reading, table: TableSchema, held: Mapping[str, Sequence[str]]) -> _Said:
    """Take all that a question names, and its cues; numbers and fillers are left."""
    quoted = list(reading.quoted())
    columns = mentioned(reading, table, WHOLE)
    values = list(values_in(reading, held, table))
    cues = _cues(reading)
    columns = sorted([*columns, *mentioned(reading, table)], key=lambda mention: mention.span)
    named, places = take_table(reading, table)
    cues.sums = reading.cues("sum") if not cues.counts else []
    cues.distinct, cues.groups, cues.denied = bool(reading.cues("distinct")), reading.cues("each"), reading.cues("not")
    cues.who = bool(reading.cues("who"))
    cues.top = _number_beside(reading, [*cues.most, *cues.least])
    cues.tables = places
    cues.by_count = _by_count(reading, cues)
    return _Said(columns, values, quoted, cues, named)


def _take_fillers(reading: Reading, cues: Cues) -> None:
    reading.cues("filler")
    if cues.counts or cues.sums:
        reading.cues("sum")


def _cues(reading: Reading) -> Cues:
    """Take the cues that count before the table's own words."""
    by, descending, ascending = reading.cues("sorted"), reading.cues("descending"), reading.cues("ascending")
    said = "".join(reading.folded[slice(*span)] for span in by)
    descending += by[:1] if "descending" in said else []
    compared = [(span, kind) for kind in COMPARED for span in reading.cues(kind)]
    compared += [(span, "between") for span in reading.cues("between")]
    return Cues(
        descending,
        ascending,
        by,
        compared,
        reading.cues("count"),
        reading.cues("how_much"),
        reading.cues("average"),
        reading.cues("most"),
        reading.cues("least"),
    )


def _by_count(reading: Reading, cues: Cues) -> bool:
    """Whether "most" is said of rows: of the table itself, or of what is common."""
    followers = [*cues.tables, *reading.cues("common")]
    extremes = [*cues.most, *cues.least]
    plain = [
        span for span in extremes if reading.folded[slice(*span)] in {"most", "least", "fewest", "meisten", "wenigsten"}
    ]
    return any(0 <= follower[0] - extreme[1] <= 1 for extreme in plain for follower in followers)


def _add_numbers(reading: Reading, plan: QueryPlan, columns: list[Mention], cues: Cues, table: TableSchema) -> bool:
    """Turn the numbers of a question into conditions; False where one is of no column that is named."""
    numbers = list(reading.numbers())
    while numbers:
        span, number = numbers.pop(0)
        near = ((apart, kind) for place, kind in cues.compared if (apart := gap(place, span)) <= NEAR_CHARS // 2)
        cue = min(near, default=(0, ""))[1]
        if reading.folded[slice(*span)].isalpha() and not cue:  # "one of the"
            continue
        reading.take(span)
        kind = COMPARED.get(cue, exp.EQ)
        spaced = reading.language not in UNSPACED
        if spaced and cue != "between" and any(0 <= place[0] - span[1] <= len(" or more ") for place in cues.tables):
            plan.having.append(kind(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(number)))
            continue
        column = _column_for(reading, columns, span, cue, number, table, plan)
        if column is None:
            return False
        value = _literal(number, column)
        if cue == "between" and numbers:
            upper, other = numbers.pop(0)
            reading.take(upper)
            plan.conditions.append(exp.Between(this=column_of(column), low=value, high=_literal(other, column)))
        else:
            plan.conditions.append(kind(this=column_of(column), expression=value))
    return True


def _literal(number: str, column: Column) -> exp.Expr:
    return exp.Literal.number(number) if is_numeric(column) or not column.type else exp.Literal.string(number)


def _column_for(
    reading: Reading,
    columns: Sequence[Mention],
    span: Span,
    cue: str,
    number: str,
    table: TableSchema,
    plan: QueryPlan,
) -> Column | None:
    """The column that a number is compared with; the mention of it is used up."""
    around = reading.folded[max(0, span[0] - NEAR_CHARS // 2) : span[1] + 3]
    fits = [m for m in columns if is_numeric(m.column) or TEMPORAL.search(m.column.type) or not m.column.type]
    near = sorted(fits, key=lambda m: (gap(m.span, span) + (m.span[0] > span[0]) * 5, m.span))
    if near and gap(near[0].span, span) <= NEAR_CHARS:
        plan.used.add(near[0].span)
        return near[0].column
    if AGE.search(around) and (ages := ages_of(table)):
        return ages[0]
    if _YEAR.fullmatch(number):
        years = [c for c in table.columns if "year" in f"{c.label} {c.name}".casefold() or TEMPORAL.search(c.type)]
        return years[0] if len(years) == 1 else None
    if cue and len(columns) == 1:
        plan.used.add(columns[0].span)
        return columns[0].column
    return None


def _add_value(plan: QueryPlan, value: ValueMention, columns: Sequence[Mention], denied: Sequence[Span]) -> None:
    column = value.column
    if column is None:
        return
    beside = [mention for mention in columns if mention.column.name == column.name]
    near = min(beside, key=lambda mention: gap(mention.span, value.span), default=None)
    if near is not None and gap(near.span, value.span) <= NEAR_CHARS // 2:
        plan.used.add(near.span)
    kind = exp.NEQ if any(0 <= value.span[0] - end <= NEAR_CHARS // 2 for _, end in denied) else exp.EQ
    plan.conditions.append(kind(this=column_of(column), expression=exp.Literal.string(value.text)))


def _placed(
    value: ValueMention, columns: Sequence[Mention], table: TableSchema, held: Mapping[str, Sequence[str]]
) -> ValueMention:
    """Find the column of a value in quotation marks: one that holds it, else the one that is named nearest."""
    folded = value.text.casefold()
    holding = [c for c in table.columns if any(one.casefold() == folded for one in held.get(c.name, ()))]
    near = sorted((m for m in columns if not is_numeric(m.column)), key=lambda m: gap(m.span, value.span))
    for mention in near:
        if mention.column in holding:
            return ValueMention(mention.column, _spelled(value.text, held.get(mention.column.name, ())), value.span)
    if holding:
        return ValueMention(holding[0], _spelled(value.text, held.get(holding[0].name, ())), value.span)
    return ValueMention(near[0].column if near else None, value.text, value.span)


def _spelled(text: str, held: Sequence[str]) -> str:
    """A value as the table writes it."""
    return next((one for one in held if one.casefold() == text.casefold()), text)


def _number_beside(reading: Reading, extremes: Sequence[Span]) -> tuple[Span, int] | None:
    """The number right before or after "top", "highest" …: how many are wanted."""
    for span, number in reading.numbers():
        if number.isdigit() and 0 < int(number) <= 1000 and any(gap(span, extreme) <= 2 for extreme in extremes):
            reading.take(span)
            return span, int(number)
    return None

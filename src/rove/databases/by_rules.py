"""SQL without a chat model: filters, counts, sums, averages, extremes, top-n and groups over one table, by rules.

A question is read bit by bit: what names a column, a value, a number or an intent is taken. Where words are left over
that say something, the rules have not understood it, and say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import regex
from sqlglot import exp

from rove.databases.mentions import (
    TEMPORAL,
    Mention,
    Reading,
    Value,
    is_numeric,
    mentioned,
    take_table,
    values_in,
)
from rove.language.cue_words import UNSPACED
from rove.records.document import Span
from rove.records.schema import Column, TableSchema

COMPARED: dict[str, type[exp.Binary]] = {"at_least": exp.GTE, "at_most": exp.LTE, "above": exp.GT, "below": exp.LT}
WHOLE = 1.9
"""What the name of a column weighs that counts before all cues: two words or more."""
NEAR_CHARS = 40
AGE = regex.compile(r"old|young|alt|jung|jüng|idős|fiatal|岁|年长|年轻|歳|年上|年下")
_OLD = regex.compile(
    r"oldest|youngest|older|younger|ältest|jüngst|älter|jünger|legidősebb|legfiatalabb|idősebb|fiatalabb|最年长|最年轻|最年長|最年少"
)
BORN = regex.compile(r"birth|born|geburt|geboren|szület|出生|生年")
_YEAR = regex.compile(r"(?:1[5-9]|20)\d\d")


@dataclass(frozen=True, slots=True)
class RuledSql:
    """SQL by rules over one table. `weight`: how much of the table was named."""

    query: exp.Select
    table: TableSchema
    weight: float


@dataclass(slots=True)
class _Plan:
    """What a question wants of one table."""

    shown: list[Mention] = field(default_factory=list[Mention])
    conditions: list[exp.Expression] = field(default_factory=list[exp.Expression])
    having: list[exp.Expression] = field(default_factory=list[exp.Expression])
    used: set[Span] = field(default_factory=set[Span])


def by_rules(question: str, language: str, table: TableSchema, held: Mapping[str, Sequence[str]]) -> RuledSql | None:
    """Return SQL for a question over a table; None where it was not understood.

    `language`: en, de, hu, zh or ja. `held`: different values of the table's columns, by their names.
    """
    reading = Reading(question, language)
    plan = _Plan()
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
    if not _add_numbers(reading, plan, columns, cues, table):
        return None
    for value in (*values, *(_placed(one, columns, table, held) for one in quoted)):
        if value.column is None:
            return None
        _add_value(plan, value, columns, cues.denied)
    reading.cues("filler")
    if cues.counts or cues.sums:
        reading.cues("sum")
    left = tuple(word for word in reading.left_over() if word != "s")
    if left or (not named and not columns and not values):
        return None
    plan.shown = [mention for mention in columns if mention.span not in plan.used]
    if cues.soft and not cues.aggregates and not any(_measurable(mention.column) for mention in plan.shown):
        cues.counts = cues.soft
    query = _query(plan, table, reading, cues)
    if query is None:
        return None
    for condition in plan.conditions:
        query = query.where(condition)
    weight = sum(m.weight for m in columns) + 2 * len(values) + 4 * named
    return RuledSql(query.from_(_table(table)), table, weight)


@dataclass(slots=True)
class _Cues:
    """Where the question says what it wants; see cues.toml. `tables`: where the table is named."""

    descending: list[Span]
    ascending: list[Span]
    by: list[Span]
    compared: list[tuple[Span, str]]
    counts: list[Span]
    soft: list[Span]
    averages: list[Span]
    most: list[Span]
    least: list[Span]
    sums: list[Span] = field(default_factory=list[Span])
    groups: list[Span] = field(default_factory=list[Span])
    denied: list[Span] = field(default_factory=list[Span])
    tables: list[Span] = field(default_factory=list[Span])
    distinct: bool = False
    who: bool = False
    by_count: bool = False
    top: tuple[Span, int] | None = None

    @property
    def aggregates(self) -> list[tuple[type[exp.AggFunc], Span]]:
        """The aggregates that are asked for, in the order of the question."""
        kinds = ((exp.Max, self.most), (exp.Min, self.least), (exp.Avg, self.averages), (exp.Sum, self.sums))
        return sorted(((kind, span) for kind, spans in kinds for span in spans), key=lambda one: one[1])


def _cues(reading: Reading) -> _Cues:
    """Take the cues that count before the table's own words."""
    by, descending, ascending = reading.cues("sorted"), reading.cues("descending"), reading.cues("ascending")
    said = "".join(reading.folded[slice(*span)] for span in by)
    descending += by[:1] if "descending" in said else []
    compared = [(span, kind) for kind in COMPARED for span in reading.cues(kind)]
    compared += [(span, "between") for span in reading.cues("between")]
    return _Cues(
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


def _by_count(reading: Reading, cues: _Cues) -> bool:
    """Whether "most" is said of rows: of the table itself, or of what is common."""
    followers = [*cues.tables, *reading.cues("common")]
    extremes = [*cues.most, *cues.least]
    plain = [
        span for span in extremes if reading.folded[slice(*span)] in {"most", "least", "fewest", "meisten", "wenigsten"}
    ]
    return any(0 <= follower[0] - extreme[1] <= 1 for extreme in plain for follower in followers)


def _query(plan: _Plan, table: TableSchema, reading: Reading, cues: _Cues) -> exp.Select | None:
    """Put the query together, without its table and its conditions."""
    shown = plan.shown
    if plan.having or cues.by_count:
        return _of_groups(plan, cues)
    grouped = _after(cues.groups, shown)
    if cues.groups and grouped is None and shown and cues.counts:
        grouped = shown[0]
    if grouped is not None:
        rest = [mention for mention in shown if mention.column.name != grouped.column.name]
        made = _aggregated(cues.aggregates, rest, table, reading)
        if len(made) > len(rest):  # one of them belongs to a condition
            return None
        if made and all(column for _, column in made):
            measures = dict.fromkeys((kind, column.name) for kind, column in made if column)
            select = exp.select(_column(grouped.column), *(kind(this=_named(name)) for kind, name in measures))
        elif (cues.counts or not rest) and not made:
            select = exp.select(_column(grouped.column), exp.Count(this=exp.Star()))
        else:
            return None
        return select.group_by(_column(grouped.column))
    if cues.groups and (cues.counts or cues.aggregates):
        return None
    if cues.counts:
        return None if cues.aggregates or cues.by else exp.select(_count(shown, cues.distinct))
    if cues.aggregates:
        return _extremes(shown, table, reading, cues)
    return _listed(shown, cues)


def _of_groups(plan: _Plan, cues: _Cues) -> exp.Select | None:
    """Groups by how many rows they have: those with more than so many, or the one with the most."""
    columns = list(dict.fromkeys(mention.column.name for mention in plan.shown))
    if len(columns) != 1 or len(cues.aggregates) > 1 or (cues.aggregates and not cues.by_count):
        return None
    select = exp.select(_named(columns[0])).group_by(_named(columns[0]))
    for condition in plan.having:
        select = select.having(condition)
    if cues.by_count:
        kind = cues.aggregates[0][0]
        order = exp.Ordered(this=exp.Count(this=exp.Star()), desc=kind is exp.Max)
        select = select.order_by(order).limit(cues.top[1] if cues.top else 1)
    return select


def _extremes(
    shown: list[Mention],
    table: TableSchema,
    reading: Reading,
    cues: _Cues,
) -> exp.Select | None:
    """Aggregates of columns; or what has the most of one, where something else is asked for."""
    made = _aggregated(cues.aggregates, shown, table, reading)
    if not made or not all(column for _, column in made):
        return None
    measured = {column.name for _, column in made if column}
    asked = [mention for mention in shown if mention.column.name not in measured]
    kind, column = made[0]
    extreme = len(made) == 1 and kind in {exp.Max, exp.Min} and column is not None
    top = cues.top
    unnamed = column is not None and all(mention.column.name != column.name for mention in shown)
    if extreme and (asked or top or cues.who or (unnamed and _OLD.search(reading.folded))) and column is not None:
        what = [_column(mention.column) for mention in asked] or [exp.Star()]
        return (
            exp.select(*what)
            .order_by(exp.Ordered(this=_column(column), desc=kind is exp.Max))
            .limit(top[1] if top else 1)
        )
    if asked:
        return None
    return exp.select(*(kind(this=_column(column)) for kind, column in made if column))


def _aggregated(
    aggregates: Sequence[tuple[type[exp.AggFunc], Span]], shown: Sequence[Mention], table: TableSchema, reading: Reading
) -> list[tuple[type[exp.AggFunc], Column | None]]:
    """Each aggregate with the column that it is of: the next number that is named after it, else the last before it."""
    made: list[tuple[type[exp.AggFunc], Column | None]] = []
    for kind, span in sorted(aggregates, key=lambda one: one[1]):
        fits = [m for m in shown if _measurable(m.column)] or [
            m for m in shown if kind in {exp.Max, exp.Min} and TEMPORAL.search(m.column.type)
        ]
        cue = reading.folded[slice(*span)]
        if AGE.search(cue):
            ages = _ages(table)
            column = next((m.column for m in shown if m.column in ages), next(iter(ages), None))
            if column is not None and BORN.search(f"{column.label} {column.name}".casefold()):
                kind = {exp.Max: exp.Min, exp.Min: exp.Max}.get(kind, kind)
        else:
            after = [mention for mention in fits if mention.span[0] >= span[1]]
            before = [mention for mention in fits if mention.span[1] <= span[0]]
            column = after[0].column if after else before[-1].column if before else None
        made.append((kind, column))
    return made


def _ages(table: TableSchema) -> list[Column]:
    """The columns that words such as "oldest" speak of without naming them: ages first, then births."""
    said = [(column, f"{column.label} {column.name}".casefold()) for column in table.columns]
    ages = [column for column, name in said if regex.search(r"\bage\b|alter\b|\bkora?\b|年龄|年齢", name)]
    return [*ages, *(column for column, name in said if BORN.search(name))]


def _measurable(column: Column) -> bool:
    return is_numeric(column) and not (column.is_key or column.references)


def _count(shown: Sequence[Mention], distinct: bool) -> exp.Expression:
    if distinct and shown:
        return exp.Count(this=exp.Distinct(expressions=[_column(shown[0].column)]))
    return exp.Count(this=exp.Star())


def _listed(shown: Sequence[Mention], cues: _Cues) -> exp.Select:
    """The columns that are named, in their order; ordered by what is named after "sorted by"."""
    ordering = [*cues.by, *cues.descending, *cues.ascending]
    keys: list[Mention] = []
    if ordering and shown:
        start = min(span[0] for span in ordering)
        keys = [mention for mention in shown if mention.span[0] >= start] or [shown[-1]]
    asked = [mention for mention in shown if mention not in keys or len(shown) == len(keys) == 1]
    select = exp.select(
        *(map(_named, dict.fromkeys(mention.column.name for mention in asked)) if asked else [exp.Star()])
    )
    select = select.distinct() if cues.distinct else select
    for key in keys[:2]:
        select = select.order_by(exp.Ordered(this=_column(key.column), desc=bool(cues.descending)))
    return select


def _after(groups: Sequence[Span], shown: Sequence[Mention]) -> Mention | None:
    """The column that a group is made by: the first that is named after "each", or right before it as in ごと."""
    for start, end in groups:
        near = [m for m in shown if 0 <= m.span[0] - end <= NEAR_CHARS // 2] or [
            m for m in shown if 0 <= start - m.span[1] <= 2
        ]
        if near:
            return near[0]
    return None


def _add_numbers(reading: Reading, plan: _Plan, columns: list[Mention], cues: _Cues, table: TableSchema) -> bool:
    """Turn the numbers of a question into conditions; False where one is of no column that is named."""
    numbers = list(reading.numbers())
    while numbers:
        span, number = numbers.pop(0)
        near = ((gap, kind) for place, kind in cues.compared if (gap := _gap(place, span)) <= NEAR_CHARS // 2)
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
            plan.conditions.append(exp.Between(this=_column(column), low=value, high=_literal(other, column)))
        else:
            plan.conditions.append(kind(this=_column(column), expression=value))
    return True


def _literal(number: str, column: Column) -> exp.Literal:
    return exp.Literal.number(number) if is_numeric(column) or not column.type else exp.Literal.string(number)


def _column_for(
    reading: Reading,
    columns: Sequence[Mention],
    span: Span,
    cue: str,
    number: str,
    table: TableSchema,
    plan: _Plan,
) -> Column | None:
    """The column that a number is compared with; the mention of it is used up."""
    around = reading.folded[max(0, span[0] - NEAR_CHARS // 2) : span[1] + 3]
    fits = [m for m in columns if is_numeric(m.column) or TEMPORAL.search(m.column.type) or not m.column.type]
    near = sorted(fits, key=lambda m: (_gap(m.span, span) + (m.span[0] > span[0]) * 5, m.span))
    if near and _gap(near[0].span, span) <= NEAR_CHARS:
        plan.used.add(near[0].span)
        return near[0].column
    if AGE.search(around) and (ages := _ages(table)):
        return ages[0]
    if _YEAR.fullmatch(number):
        years = [c for c in table.columns if "year" in f"{c.label} {c.name}".casefold() or TEMPORAL.search(c.type)]
        return years[0] if len(years) == 1 else None
    if cue and len(columns) == 1:
        plan.used.add(columns[0].span)
        return columns[0].column
    return None


def _add_value(plan: _Plan, value: Value, columns: Sequence[Mention], denied: Sequence[Span]) -> None:
    column = value.column
    if column is None:
        return
    beside = [mention for mention in columns if mention.column.name == column.name]
    near = min(beside, key=lambda mention: _gap(mention.span, value.span), default=None)
    if near is not None and _gap(near.span, value.span) <= NEAR_CHARS // 2:
        plan.used.add(near.span)
    kind = exp.NEQ if any(0 <= value.span[0] - end <= NEAR_CHARS // 2 for _, end in denied) else exp.EQ
    plan.conditions.append(kind(this=_column(column), expression=exp.Literal.string(value.text)))


def _placed(value: Value, columns: Sequence[Mention], table: TableSchema, held: Mapping[str, Sequence[str]]) -> Value:
    """Find the column of a value in quotation marks: one that holds it, else the one that is named nearest."""
    folded = value.text.casefold()
    holding = [c for c in table.columns if any(one.casefold() == folded for one in held.get(c.name, ()))]
    near = sorted((m for m in columns if not is_numeric(m.column)), key=lambda m: _gap(m.span, value.span))
    for mention in near:
        if mention.column in holding:
            return Value(mention.column, _spelled(value.text, held.get(mention.column.name, ())), value.span)
    if holding:
        return Value(holding[0], _spelled(value.text, held.get(holding[0].name, ())), value.span)
    return Value(near[0].column if near else None, value.text, value.span)


def _spelled(text: str, held: Sequence[str]) -> str:
    """A value as the table writes it."""
    return next((one for one in held if one.casefold() == text.casefold()), text)


def _number_beside(reading: Reading, extremes: Sequence[Span]) -> tuple[Span, int] | None:
    """The number right before or after "top", "highest" …: how many are wanted."""
    for span, number in reading.numbers():
        if number.isdigit() and 0 < int(number) <= 1000 and any(_gap(span, extreme) <= 2 for extreme in extremes):
            reading.take(span)
            return span, int(number)
    return None


def _gap(one: Span, other: Span) -> int:
    return max(other[0] - one[1], one[0] - other[1], 0)


def _column(column: Column) -> exp.Column:
    return _named(column.name)


def _named(name: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True))


def _table(table: TableSchema) -> exp.Table:
    schema, _, name = table.name.rpartition(".")
    return exp.table_(
        exp.to_identifier(name, quoted=True), db=exp.to_identifier(schema, quoted=True) if schema else None
    )

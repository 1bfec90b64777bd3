"""SELECTs of what the rules have read: lists, counts, aggregates, what has the most, groups; without conditions."""

from __future__ import annotations

from collections.abc import Sequence

import regex
from sqlglot import exp

from rove.databases.mentions import TEMPORAL, Mention, Reading, is_numeric
from rove.databases.query_plan import AGE, BORN, NEAR_CHARS, Cues, QueryPlan, ages_of, column_of, named
from rove.records.document import Span
from rove.records.schema import Column, TableSchema

_OLD = regex.compile(
    r"oldest|youngest|older|younger|ältest|jüngst|älter|jünger|legidősebb|legfiatalabb|idősebb|fiatalabb|最年长|最年轻|最年長|最年少"
)
OPPOSITE: dict[type[exp.AggFunc], type[exp.AggFunc]] = {exp.Max: exp.Min, exp.Min: exp.Max}


def query_of(plan: QueryPlan, table: TableSchema, reading: Reading, cues: Cues) -> exp.Select | None:
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
            select = exp.select(column_of(grouped.column), *(kind(this=named(name)) for kind, name in measures))
        elif (cues.counts or not rest) and not made:
            select = exp.select(column_of(grouped.column), exp.Count(this=exp.Star()))
        else:
            return None
        return select.group_by(column_of(grouped.column))
    if cues.groups and (cues.counts or cues.aggregates):
        return None
    if cues.counts:
        return None if cues.aggregates or cues.by else exp.select(_count(shown, cues.distinct))
    if cues.aggregates:
        return _extremes(shown, table, reading, cues)
    return _listed(shown, cues)


def _of_groups(plan: QueryPlan, cues: Cues) -> exp.Select | None:
    """Groups by how many rows they have: those with more than so many, or the one with the most."""
    columns = list(dict.fromkeys(mention.column.name for mention in plan.shown))
    if len(columns) != 1 or len(cues.aggregates) > 1 or (cues.aggregates and not cues.by_count):
        return None
    select = exp.select(named(columns[0])).group_by(named(columns[0]))
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
    cues: Cues,
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
        what = [column_of(mention.column) for mention in asked] or [exp.Star()]
        return (
            exp.select(*what)
            .order_by(exp.Ordered(this=column_of(column), desc=kind is exp.Max))
            .limit(top[1] if top else 1)
        )
    if asked:
        return None
    return exp.select(*(kind(this=column_of(column)) for kind, column in made if column))


def _aggregated(
    aggregates: Sequence[tuple[type[exp.AggFunc], Span]], shown: Sequence[Mention], table: TableSchema, reading: Reading
) -> list[tuple[type[exp.AggFunc], Column | None]]:
    """Each aggregate with the column that it is of: the next number that is named after it, else the last before it."""
    made: list[tuple[type[exp.AggFunc], Column | None]] = []
    for kind, span in sorted(aggregates, key=lambda one: one[1]):
        fits = [m for m in shown if measurable(m.column)] or [
            m for m in shown if kind in {exp.Max, exp.Min} and TEMPORAL.search(m.column.type)
        ]
        cue = reading.folded[slice(*span)]
        if AGE.search(cue):
            ages = ages_of(table)
            column = next((m.column for m in shown if m.column in ages), next(iter(ages), None))
            if column is not None and BORN.search(f"{column.label} {column.name}".casefold()):
                kind = OPPOSITE.get(kind, kind)
        else:
            after = [mention for mention in fits if mention.span[0] >= span[1]]
            before = [mention for mention in fits if mention.span[1] <= span[0]]
            column = after[0].column if after else before[-1].column if before else None
        made.append((kind, column))
    return made


def measurable(column: Column) -> bool:
    """Whether a column holds numbers that are no keys."""
    return is_numeric(column) and not (column.is_key or column.references)


def _count(shown: Sequence[Mention], distinct: bool) -> exp.Expr:
    if distinct and shown:
        return exp.Count(this=exp.Distinct(expressions=[column_of(shown[0].column)]))
    return exp.Count(this=exp.Star())


def _listed(shown: Sequence[Mention], cues: Cues) -> exp.Select:
    """The columns that are named, in their order; ordered by what is named after "sorted by"."""
    ordering = [*cues.by, *cues.descending, *cues.ascending]
    keys: list[Mention] = []
    if ordering and shown:
        start, ways = min(span[0] for span in ordering), [*cues.descending, *cues.ascending]
        keys = [mention for mention in shown if mention.span[0] >= start] or [shown[-1]]
        if ways and ways[-1] not in cues.by:  # 按年龄升序: what stands before the way is the key, and no more
            keys = [mention for mention in keys if mention.span[1] <= ways[-1][0]] or keys
    asked = [mention for mention in shown if mention not in keys or len(shown) == len(keys) == 1]
    select = exp.select(
        *(map(named, dict.fromkeys(mention.column.name for mention in asked)) if asked else [exp.Star()])
    )
    select = select.distinct() if cues.distinct else select
    for key in keys[:2]:
        select = select.order_by(exp.Ordered(this=column_of(key.column), desc=bool(cues.descending)))
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

"""SELECTs of what the rules have read: lists, counts, aggregates, what has the most, groups; without conditions."""

from __future__ import annotations

from collections.abc import Sequence

import regex
from sqlglot import exp

from rove.databases.column_kinds import holds_amounts, is_dated, is_measure, is_year
from rove.databases.joins import JoinedTable, column_name
from rove.databases.mentions import Mention, Reading
from rove.databases.query_plan import AGE, BORN, NEAR_CHARS, Cues, QueryPlan, ages_of, gap, prices_of
from rove.language.cue_words import UNSPACED
from rove.records.document import Span
from rove.records.schema import Column, TableSchema

_OLD = regex.compile(
    r"oldest|youngest|older|younger|ältest|jüngst|älter|jünger|legidősebb|legfiatalabb|idősebb|fiatalabb|最年长|最年轻|最年長|最年少"
)
WHOLE_NAME = 0.9
"""What the mention of a column by the whole of its name weighs at least."""
OPPOSITE: dict[type[exp.AggFunc], type[exp.AggFunc]] = {exp.Max: exp.Min, exp.Min: exp.Max}


def query_of(plan: QueryPlan, joined: JoinedTable, reading: Reading, cues: Cues) -> exp.Select | None:
    """Put the query together, without its table and its conditions."""
    shown = plan.shown
    _add_amounts(plan, cues)
    if (cues.aggregates and _is_of_condition(plan, cues)) or _has_two_values(plan):
        return None
    if plan.having or cues.by_count:
        return _of_groups(plan, cues, joined)
    of_rows = [span for span in cues.groups if any(0 <= place[0] - span[1] <= 1 for place in cues.tables)]
    if reading.language not in UNSPACED and not cues.counts and not cues.aggregates:  # "name of each singer"
        cues.groups = [span for span in cues.groups if span not in of_rows]
    grouped = _after(cues.groups, shown)
    if cues.groups and grouped is None and shown and cues.counts:
        grouped = shown[0]
    if grouped is not None:
        return _group_select(grouped, plan, joined, reading, cues)
    if cues.groups or (cues.counts and (cues.aggregates or cues.by)):
        return None
    if cues.counts:
        return _count_select(plan, joined, cues)
    if cues.aggregates:
        return None if cues.distinct else _extremes(shown, joined, reading, cues)
    return _column_select(shown, cues, joined)


def _has_two_values(plan: QueryPlan) -> bool:
    """Whether one column is to have two values at once, which no row has, or is to hold something and not to."""
    same = [one.this.sql() for one in plan.conditions if isinstance(one, exp.EQ)]
    others = {column.sql() for one in plan.conditions if isinstance(one, exp.Or) for column in one.find_all(exp.Column)}
    return len(same) > len(set(same)) or not others.isdisjoint(same) or len(plan.having) > 1


def _is_of_condition(plan: QueryPlan, cues: Cues) -> bool:
    """Whether an average or sum is that of a column right behind it that a number is compared with."""
    used = [start for start, _ in plan.used]
    return any(0 <= start - span[1] <= 1 for start in used for _, span in cues.aggregates)


def _add_amounts(plan: QueryPlan, cues: Cues) -> None:
    """No rows are counted by "how many seats", "the number of seats", "how much profit", but what the column holds."""
    for span in [*cues.counts, *cues.soft]:
        starts = next((end for start, end in cues.sums if 0 <= start - span[1] <= 1), span[1])
        after = [
            m for m in plan.shown if 0 <= m.span[0] - starts <= 1 and m.weight >= WHOLE_NAME and is_measure(m.column)
        ]
        if after and span in cues.counts:
            cues.counts.remove(span)
        if after and not cues.aggregates:
            cues.sums.append(span)
    asks = cues.soft and not cues.counts and not cues.aggregates
    if asks and not any(is_measure(mention.column) for mention in plan.shown):
        cues.counts = cues.soft


def _group_select(
    grouped: Mention, plan: QueryPlan, joined: JoinedTable, reading: Reading, cues: Cues
) -> exp.Select | None:
    rest = [mention for mention in plan.shown if mention.column.name != grouped.column.name]
    made = _aggregate_columns(cues.aggregates, rest, joined.view, reading)
    if len(made) > len(rest) or cues.distinct:  # one of them belongs to a condition
        return None
    if not (made or cues.counts or cues.tables):
        return None
    own = _display_columns(grouped.column, joined)
    columns = [column_name(column.name) for column in own]
    if made and all(column for _, column in made):
        measures = dict.fromkeys((kind, column.name) for kind, column in made if column)
        select = exp.select(*columns, *(kind(this=column_name(name)) for kind, name in measures))
    elif not rest and not made:
        select = exp.select(*columns, exp.Count(this=exp.Star()))
    else:
        return None
    return select.group_by(*(one.copy() for one in columns))


def _display_columns(column: Column, joined: JoinedTable) -> list[Column]:
    """The columns that stand for a row of another table: where its key is named, what people know it by as well."""
    for parent in joined.parents:
        shown = parent.shown()
        if shown and shown[0].name == column.name:
            return shown
    return [column]


def _count_select(plan: QueryPlan, joined: JoinedTable, cues: Cues) -> exp.Select | None:
    """A count of what is named nearest to "how many": rows, or different values; None where it is of another table."""
    cue = cues.counts[0]

    def away(span: Span) -> int:
        return gap(span, cue) + (span[1] <= cue[0])

    own = min(map(away, cues.tables), default=None)
    others = min(map(away, plan.children), default=None)
    told = [one for one in plan.shown if not is_dated(one.column)]  # "placed" of placed_on
    columns = sorted(told, key=lambda mention: away(mention.span))
    if (others is not None and (own is None or others < own)) or len({one.column.name for one in columns}) > 1:
        return None
    if columns and (own is None or cues.distinct or away(columns[0].span) < own):
        column = columns[0].column
        if column not in joined.table.columns and not plan.conditions:
            return None
        if not cues.distinct and column != joined.table.columns[0] and holds_amounts(column):
            return None  # "how many days" asks for what the column says
        rows = column.is_key and column in joined.table.columns
        return exp.select(exp.Count(this=exp.Star() if rows else exp.Distinct(expressions=[column_name(column.name)])))
    return None if cues.distinct or columns else exp.select(exp.Count(this=exp.Star()))


def _of_groups(plan: QueryPlan, cues: Cues, joined: JoinedTable) -> exp.Select | None:
    """Groups by how many rows they have: those with more than so many, or the one with the most."""
    named = list(dict.fromkeys(mention.column for mention in plan.shown))
    own_key = len(named) == 1 and named[0].is_key and named[0] in joined.table.columns
    if (
        len(named) != 1
        or own_key
        or cues.distinct
        or len(cues.aggregates) > 1
        or (cues.aggregates and not cues.by_count)
    ):
        return None
    columns = [column_name(column.name) for column in _display_columns(named[0], joined)]
    select = exp.select(*columns).group_by(*(one.copy() for one in columns))
    for condition in plan.having:
        select = select.having(condition)
    if cues.by_count:
        kind = cues.aggregates[0][0]
        order = exp.Ordered(this=exp.Count(this=exp.Star()), desc=kind is exp.Max)
        select = select.order_by(order).limit(cues.top[1] if cues.top else 1)
    return select


def _extremes(
    shown: list[Mention],
    joined: JoinedTable,
    reading: Reading,
    cues: Cues,
) -> exp.Select | None:
    """Aggregates of columns; or what has the most of one, where something else is asked for."""
    made = _aggregate_columns(cues.aggregates, shown, joined.table, reading)
    if not made or not all(column for _, column in made):
        return None
    measured = {column.name for _, column in made if column}
    asked = [mention for mention in shown if mention.column.name not in measured]
    kind, column = made[0]
    extreme = len(made) == 1 and kind in {exp.Max, exp.Min} and column is not None
    top = cues.top
    unnamed = column is not None and all(mention.column.name != column.name for mention in shown)
    if extreme and (asked or top or cues.who or (unnamed and _OLD.search(reading.folded))) and column is not None:
        beside = [one for one in shown if any(gap(one.span, span) <= 1 for _, span in cues.aggregates)]
        told = [one for one in shown if one in asked or one not in beside] if asked else []  # not "highest salary"
        names = dict.fromkeys(one.name for mention in told for one in _display_columns(mention.column, joined))
        what = [column_name(name) for name in names] or [exp.Star()]
        return (
            exp.select(*what)
            .order_by(exp.Ordered(this=column_name(column.name), desc=kind is exp.Max))
            .limit(top[1] if top else 1)
        )
    if asked:
        return None
    return exp.select(*(kind(this=column_name(column.name)) for kind, column in made if column))


def _aggregate_columns(
    aggregates: Sequence[tuple[type[exp.AggFunc], Span]], shown: Sequence[Mention], table: TableSchema, reading: Reading
) -> list[tuple[type[exp.AggFunc], Column | None]]:
    """Each aggregate with the column that it is of: the next number that is named after it, else the last before it."""
    made: list[tuple[type[exp.AggFunc], Column | None]] = []
    for kind, span in sorted(aggregates, key=lambda one: one[1]):
        fits = [m for m in shown if is_measure(m.column)] or [
            m for m in shown if kind in {exp.Max, exp.Min} and (is_dated(m.column) or is_year(m.column))
        ]
        cue = reading.folded[slice(*span)]
        if AGE.search(cue):
            ages = ages_of(table)
            column = next((m.column for m in shown if m.column in ages), next(iter(ages), None))
            if column is not None and BORN.search(f"{column.label} {column.name}".casefold()):
                kind = OPPOSITE.get(kind, kind)
        elif reading.says("in_time", span):
            timely = [m.column for m in shown if is_dated(m.column) or is_year(m.column)]
            every = [one for one in table.columns if is_dated(one) or is_year(one)]
            column = timely[0] if timely else every[0] if len(every) == 1 else None
        elif reading.says("in_price", span) and not fits:
            prices = prices_of(table)
            column = prices[0] if len(prices) == 1 else None
        else:
            after = [mention for mention in fits if mention.span[0] >= span[1]]
            before = [mention for mention in fits if mention.span[1] <= span[0]]
            column = after[0].column if after else before[-1].column if before else None
        made.append((kind, column))
    return made


def _column_select(shown: Sequence[Mention], cues: Cues, joined: JoinedTable) -> exp.Select:
    """The columns that are named, in their order; ordered by what is named after "sorted by"."""
    ordering = [*cues.by, *cues.descending, *cues.ascending]
    keys: list[Mention] = []
    if ordering and shown:
        start, ways = min(span[0] for span in ordering), [*cues.descending, *cues.ascending]
        keys = [mention for mention in shown if mention.span[0] >= start] or [shown[-1]]
        if ways and ways[-1] not in cues.by:  # 按年龄升序: what stands before the way is the key, and no more
            keys = [mention for mention in keys if mention.span[1] <= ways[-1][0]] or keys
    asked = [mention for mention in shown if mention not in keys or len(shown) == len(keys) == 1]
    columns = dict.fromkeys(column.name for mention in asked for column in _display_columns(mention.column, joined))
    select = exp.select(*(map(column_name, columns) if columns else [exp.Star()]))
    others = bool(asked) and all(mention.column not in joined.table.columns for mention in asked)
    select = select.distinct() if cues.distinct or others else select
    for key in keys[:2]:
        select = select.order_by(exp.Ordered(this=column_name(key.column.name), desc=bool(cues.descending)))
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

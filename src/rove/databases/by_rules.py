"""SQL without a chat model: filters, counts, sums, averages, extremes, top-n and groups over a table, by rules.

A question is read bit by bit: what names a column, a value, a number or an intent is taken, and must find its use in
the query. Where words are left over that say something, or a "not" that denies nothing, the rules have not understood
the question, and say which words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import regex
from sqlglot import exp

from rove.databases.build_query import query_of
from rove.databases.column_kinds import empty, filled, in_period, is_dated, is_measure, is_year, no_of, yes_of
from rove.databases.joins import Child, JoinedTable, column_name
from rove.databases.mentions import (
    Mention,
    Reading,
    ValueMention,
    is_numeric,
    mentioned,
    mentioned_values,
    named_in_part,
    places_of,
    take_table,
)
from rove.databases.query_plan import AGE, NEAR_CHARS, Cues, QueryPlan, ages_of, gap
from rove.language.cue_words import UNSPACED
from rove.language.stopwords import stop_words
from rove.records.document import Span
from rove.records.quantity import CalendarDay
from rove.records.schema import Column

COMPARED: dict[str, type[exp.Predicate]] = {"at_least": exp.GTE, "at_most": exp.LTE, "above": exp.GT, "below": exp.LT}
WHOLE, WHOLE_UNSPACED = 1.9, 0.95
"""What the name of a column weighs that counts before all cues: two words or more, where words have no spaces one."""
BESIDE_CHARS = 10
"""A number without a word such as "over" belongs to a column that is named so near before or after it."""
DENIED_BEFORE, DENIED_AFTER = 20, 5
"""How far before what it denies a "not" may stand, and how far behind it in languages that put it there."""
YEARS_AROUND = 10
"""A year that lies no farther from those of a column may be one of it."""
_NUMBER = regex.compile(r"\d+(?:\.\d+)?")
DENIES_BEHIND = UNSPACED | {"hu"}


@dataclass(frozen=True, slots=True)
class RuledSql:
    """What the rules make of a question over one table. `weight`: how much of the table was named.

    `query`: None where there is none. `not_read`: where words stand that have no part in it; none if it is understood.
    `open_extremes`: where the most or the least is asked for, and of which column is not said.
    """

    query: exp.Select | None
    joined: JoinedTable
    weight: float
    not_read: tuple[Span, ...] = ()
    open_extremes: Mapping[Span, str] = field(default_factory=dict[Span, str])

    @property
    def is_understood(self) -> bool:
        """Whether the query says all that the question does."""
        return self.query is not None and not self.not_read


def by_rules(question: str, language: str, joined: JoinedTable) -> RuledSql:
    """Read a question over a table and what it is joined with. `language`: en, de, hu, zh or ja."""
    reading = Reading(question, language)
    said = _take_question_parts(reading, joined)
    plan = QueryPlan()
    columns, cues = said.columns, said.cues
    lost = [*_add_numbers(reading, plan, said, joined)]
    for value in (*said.values, *(_place_quoted_value(one, columns, joined) for one in said.quoted)):
        if value.column is None:
            lost.append(value.span)
        else:
            _add_value(reading, plan, value, columns, cues)
    _add_flags(reading, plan, columns, cues, joined)
    lost += _add_children(reading, plan, said, joined)
    _take_fillers(reading, cues)
    plan.shown = [mention for mention in columns if mention.span not in plan.used]
    lost += [*reading.left_over(), *_leftover_cue_spans(reading, plan, cues, joined)]
    own = [one for one in (*columns, *said.values) if one.column in joined.table.columns]
    if said.named < 1 and said.neighbours:  # what is only shown may as well be of what is named
        own = [one for one in own if isinstance(one, ValueMention) or one.span in plan.used or is_measure(one.column)]
    if (not said.named or said.neighbours and said.named < 1) and not own:
        return RuledSql(None, joined, 0.0, tuple(sorted(lost)))
    query = query_of(plan, joined, reading, cues)
    if query is not None:
        for condition in plan.conditions:
            query = query.where(condition)
        query = joined.written(query)
    weight = sum(m.weight * _nearness(m.column, joined) for m in columns) + 4 * said.named
    weight += sum(2 * _nearness(value.column, joined) for value in said.values)
    extremes = {} if query else {**dict.fromkeys(cues.most, "most_of"), **dict.fromkeys(cues.least, "least_of")}
    return RuledSql(query, joined, weight, tuple(sorted(set(lost))), extremes)


def _nearness(column: Column | None, joined: JoinedTable) -> float:
    """What naming a column weighs: less where it is one of another table that this one refers to."""
    return 1.0 if column in joined.table.columns else 0.7


@dataclass(frozen=True, slots=True)
class _Said:
    """What a question names of a table. `named`: how much of the table's own name.

    `neighbours`: where tables are named that it refers to, among the columns; `children`: those that refer to it.
    """

    columns: list[Mention]
    values: list[ValueMention]
    quoted: list[ValueMention]
    cues: Cues
    named: float
    neighbours: list[Mention] = field(default_factory=list[Mention])
    children: list[tuple[Child, Span]] = field(default_factory=list[tuple[Child, Span]])


def _take_question_parts(reading: Reading, joined: JoinedTable) -> _Said:
    """Take all that a question names, and its cues; numbers and fillers are left."""
    table = joined.view
    quoted = list(reading.quoted())
    columns = mentioned(reading, table, WHOLE_UNSPACED if reading.language in UNSPACED else WHOLE, joined.others())
    values = list(mentioned_values(reading, joined.held, table))
    cues = _take_intent_cues(reading)
    said = {name.casefold() for one in joined.table.columns for name in (one.name, one.label)}
    is_column = joined.table.name.casefold() in said  # a table "sales" with a column "sales"
    before, places = (0.0, list[Span]()) if is_column else take_table(reading, joined.table, whole=True)
    neighbours = _neighbours(reading, joined)
    columns = sorted(
        [*columns, *neighbours, *mentioned(reading, table, others=joined.others())], key=lambda mention: mention.span
    )
    named, more = take_table(reading, joined.table)
    children = [
        (child, span)
        for child in joined.children
        for span in _take_table_mentions(reading, child.table.name, child.table.label)
    ]
    ends = {mention.span[1] for mention in columns}
    cues.counts = [one for one in cues.counts if one[0] - 1 not in ends or not reading.says("numbered", one)]
    cues.sums = reading.cues("sum") if not cues.counts else []
    cues.distinct, cues.groups = reading.cues("distinct"), reading.cues("each")
    cues.denied, cues.had = reading.cues("not"), reading.cues("has")
    cues.who = bool(reading.cues("who"))
    cues.top = _number_beside(reading, [*cues.most, *cues.least])
    cues.tables = [*places, *more]
    values += named_in_part(reading, joined.held, table)
    cues.by_count = _by_count(reading, cues)
    return _Said(columns, values, quoted, cues, max(before, named), neighbours, children)


def _neighbours(reading: Reading, joined: JoinedTable) -> list[Mention]:
    """The tables that this one refers to, where they are named: each stands for what its rows are known by."""
    found: list[Mention] = []
    for parent in joined.parents:
        for span in _take_table_mentions(reading, parent.table.name, parent.table.label):
            found += [Mention(column, span, 0.5) for column in parent.shown()[:1]]
    return found


def _take_table_mentions(reading: Reading, name: str, label: str) -> list[Span]:
    places = [span for span in places_of(reading, name, label) if reading.free(span)]
    for span in places:
        reading.take(span)
    return places


def _take_fillers(reading: Reading, cues: Cues) -> None:
    reading.cues("filler")
    if cues.counts or cues.sums:
        reading.cues("sum")


def _take_intent_cues(reading: Reading) -> Cues:
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


def _leftover_cue_spans(reading: Reading, plan: QueryPlan, cues: Cues, joined: JoinedTable) -> list[Span]:
    """Where something is denied or compared that the query has no part for; what can be a mere filler is none.

    Of what a row refers to nothing can be denied by these rows: who has none of them has no row here.
    """
    others = bool(plan.shown) and all(one.column not in joined.table.columns for one in plan.shown)
    spans = [span for span in cues.denied if others or span not in plan.denied]
    spans += [span for span, _ in cues.compared if span not in plan.compared and not reading.is_filler(span)]
    return spans


def _by_count(reading: Reading, cues: Cues) -> bool:
    """Whether "most" is said of rows: of the table itself, or of what is common."""
    followers = [*cues.tables, *reading.cues("common")]
    extremes = [*cues.most, *cues.least]
    plain = [span for span in extremes if reading.says("plainly_most", span)]
    return any(0 <= follower[0] - extreme[1] <= 1 for extreme in plain for follower in followers)


def _take_denial(reading: Reading, plan: QueryPlan, cues: Cues, span: Span) -> bool:
    """Whether a "not" that denies nothing else yet stands by what is at `span`; it is used up."""
    behind = DENIED_AFTER if reading.language in DENIES_BEHIND else 0
    for start, end in cues.denied:
        near = 0 <= span[0] - end <= DENIED_BEFORE or 0 <= start - span[1] < behind
        if near and (start, end) not in plan.denied:
            plan.denied.add((start, end))
            return True
    return False


def _is_had(reading: Reading, had: Span, span: Span) -> bool:
    """Whether a "has" stands by what is at `span`: before it, but for an article; in Japanese right behind it."""
    if reading.language == "ja":
        return 0 <= had[0] - span[1] <= 1
    between = reading.folded[had[1] : span[0]].split()
    return had[1] <= span[0] and all(word in stop_words(reading.language) for word in between)


def _is_predicate(reading: Reading, cues: Cues, span: Span) -> bool:
    """Whether a question for which rows ends with what is at `span`: "Which tools are lent?"."""
    return cues.who and not any(map(str.isalnum, reading.folded[span[1] :]))


def _add_numbers(reading: Reading, plan: QueryPlan, said: _Said, joined: JoinedTable) -> list[Span]:
    """Turn the numbers of a question into conditions; return where those stand that are of no column."""
    lost: list[Span] = []
    cues, columns = said.cues, said.columns
    lost += _add_periods(reading, plan, said, joined)
    numbers = [one for one in reading.numbers()]
    while numbers:
        span, number = numbers.pop(0)
        place, cue = _cue_near(cues, span)
        if reading.folded[slice(*span)].isalpha() and not cue:  # "one of the"
            continue
        reading.take(span)
        kind = COMPARED.get(cue, exp.EQ)
        spaced = reading.language not in UNSPACED
        if spaced and cue != "between" and any(0 <= one[0] - span[1] <= len(" or more ") for one in cues.tables):
            plan.having.append(kind(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(number)))
            plan.compared.add(place)
            continue
        others = [mention.span for mention in said.neighbours] + [place for _, place in said.children]
        column = _column_for(reading, columns, span, place if cue else None, cues, plan, joined)
        if column is None or any(0 <= one[0] - span[1] <= 1 for one in others):
            lost.append(span)
            continue
        plan.compared.add(place)
        value = _literal_for_column(number, column)
        if cue == "between" and numbers:
            upper, other = numbers.pop(0)
            reading.take(upper)
            plan.conditions.append(
                exp.Between(this=column_name(column.name), low=value, high=_literal_for_column(other, column))
            )
        else:
            plan.conditions.append(kind(this=column_name(column.name), expression=value))
    return lost


def _cue_near(cues: Cues, span: Span) -> tuple[Span, str]:
    near = ((gap(place, span), place, kind) for place, kind in cues.compared if gap(place, span) <= NEAR_CHARS // 2)
    _, place, cue = min(near, default=(0, (0, 0), ""))
    return place, cue


def _add_periods(reading: Reading, plan: QueryPlan, said: _Said, joined: JoinedTable) -> list[Span]:
    """Turn days, months and years into conditions of the column of days or years that they belong to.

    Return where a year may as well be an amount.
    """
    lost: list[Span] = []
    periods = reading.periods()
    while periods:
        span, day = periods.pop(0)
        place, cue = _cue_near(said.cues, span)
        beside = _column_before_number(said.columns, span, place if cue else None)
        mention, column = _timely(said.columns, span, joined)
        if column is None:
            continue
        if beside is not None and is_measure(beside.column) and not day.month:  # "a salary above 2000"
            is_time, is_amount = _has_in_range(column, day.year, YEARS_AROUND), _has_in_range(beside.column, day.year)
            if is_amount or not is_time:
                if is_time:
                    reading.take(span)
                    lost.append(span)
                continue
        reading.take(span)
        last: CalendarDay | None = None
        if cue == "between" and periods:
            upper, last = periods.pop(0)
            reading.take(upper)
        plan.conditions.append(in_period(column, cue, day, last))
        plan.compared.add(place)
        if mention is not None:
            plan.used.add(mention.span)
    return lost


def _has_in_range(column: Column, number: int, around: int = 0) -> bool:
    """Whether a number lies among those that a column holds, days by their year."""
    known = [float(found[0]) for one in column.samples if (found := _NUMBER.match(one))]
    return bool(known) and min(known) - around <= number <= max(known) + around


def _column_before_number(columns: Sequence[Mention], span: Span, cue: Span | None) -> Mention | None:
    """The column that is named right before a number, or before the word that compares it."""
    starts = min(span[0], cue[0]) if cue else span[0]
    before = [mention for mention in columns if mention.span[1] <= starts]
    most = BESIDE_CHARS if cue else 1
    return before[-1] if before and starts - before[-1].span[1] <= most else None


def _timely(columns: Sequence[Mention], span: Span, joined: JoinedTable) -> tuple[Mention | None, Column | None]:
    """The column of days or years that a time belongs to: the nearest that is named, else the table's only one."""
    named = [mention for mention in columns if is_dated(mention.column) or is_year(mention.column)]
    if named:
        nearest = min(named, key=lambda mention: gap(mention.span, span))
        return nearest, nearest.column
    for columns_of in (joined.table.columns, joined.view.columns):
        every = [column for column in columns_of if is_dated(column) or is_year(column)]
        if every:
            return None, every[0] if len(every) == 1 else None
    return None, None


def _literal_for_column(number: str, column: Column) -> exp.Expr:
    return exp.Literal.number(number) if is_numeric(column) or not column.type else exp.Literal.string(number)


def _column_for(
    reading: Reading,
    columns: Sequence[Mention],
    span: Span,
    cue: Span | None,
    cues: Cues,
    plan: QueryPlan,
    joined: JoinedTable,
) -> Column | None:
    """The column that a number is compared with; the mention of it is used up."""
    keys = [column for column in joined.table.columns if column.is_key]
    if not cue and len(keys) == 1 and is_numeric(keys[0]) and any(0 <= span[0] - one[1] <= 1 for one in cues.tables):
        return keys[0]
    behind = 0 if reading.language in UNSPACED else 1
    if cue and AGE.search(reading.folded[slice(*cue)]) and (ages := ages_of(joined.table)):
        plan.used |= {mention.span for mention in columns if mention.column == ages[0]}
        return ages[0]
    fits = [m for m in columns if is_numeric(m.column) or not m.column.type]
    fits = [m for m in fits if not (m.column.is_key or m.column.references) or 0 <= span[0] - m.span[1] <= BESIDE_CHARS]
    fits = [m for m in fits if cue or m.span[1] <= span[0] or m.span[0] - span[1] <= behind]
    near = sorted(fits, key=lambda m: (gap(m.span, span) + (m.span[0] > span[0]) * 5, m.span))
    if near and gap(near[0].span, span) <= (NEAR_CHARS if cue else BESIDE_CHARS):
        plan.used.add(near[0].span)
        return near[0].column
    around = reading.folded[max(0, span[0] - NEAR_CHARS // 2) : span[1] + 3]
    if AGE.search(around) and (ages := ages_of(joined.table)):
        return ages[0]
    measures = [column for column in joined.table.columns if is_measure(column)]
    return measures[0] if cue and len(measures) == 1 else None


def _add_value(reading: Reading, plan: QueryPlan, value: ValueMention, columns: Sequence[Mention], cues: Cues) -> None:
    column = value.column
    if column is None:
        return
    beside = [mention for mention in columns if mention.column.name == column.name]
    near = min(beside, key=lambda mention: gap(mention.span, value.span), default=None)
    if near is not None and gap(near.span, value.span) <= NEAR_CHARS // 2:
        plan.used.add(near.span)
    kind = exp.NEQ if _take_denial(reading, plan, cues, value.span) else exp.EQ
    plan.conditions.append(kind(this=column_name(column.name), expression=exp.Literal.string(value.text)))


def _add_flags(reading: Reading, plan: QueryPlan, columns: Sequence[Mention], cues: Cues, joined: JoinedTable) -> None:
    """Columns of yes or no that are named are conditions; what is had, or denied, is there, or is not."""
    for mention in columns:
        if mention.span in plan.used:
            continue
        yes = yes_of(mention.column, joined.held.get(mention.column.name, ()))
        if yes is not None:
            plan.conditions.append(no_of(yes) if _take_denial(reading, plan, cues, mention.span) else yes)
            plan.used.add(mention.span)
        elif is_dated(mention.column) and _take_denial(reading, plan, cues, mention.span):
            plan.conditions.append(exp.Is(this=column_name(mention.column.name), expression=exp.Null()))
            plan.used.add(mention.span)
        elif "" in joined.held.get(mention.column.name, ()):
            there = not _take_denial(reading, plan, cues, mention.span)
            said = _is_predicate(reading, cues, mention.span)
            if there and not said and not any(_is_had(reading, one, mention.span) for one in cues.had):
                continue
            plan.conditions.append(filled(mention.column) if there else empty(mention.column))
            plan.used.add(mention.span)


def _add_children(reading: Reading, plan: QueryPlan, said: _Said, joined: JoinedTable) -> list[Span]:
    """Tables that refer to this one, where they are named: their rows are there, or where that is denied are not.

    Return where one stands that is part of another name.
    """
    beside, lost = [*said.cues.tables, *(mention.span for mention in said.columns)], list[Span]()
    for child, span in said.children:
        plan.children.append(span)
        if any(gap(one, span) <= 1 and reading.language not in UNSPACED for one in beside):
            lost.append(span)
            continue
        some = not _take_denial(reading, plan, said.cues, span)
        plan.conditions.append(joined.has(child, some=some))
    return lost


def _place_quoted_value(value: ValueMention, columns: Sequence[Mention], joined: JoinedTable) -> ValueMention:
    """Find the column of a value in quotation marks: one that holds it, else the one that is named nearest."""
    folded, held = value.text.casefold(), joined.held
    holding = [c for c in joined.view.columns if any(one.casefold() == folded for one in held.get(c.name, ()))]
    near = sorted((m for m in columns if not is_numeric(m.column)), key=lambda m: gap(m.span, value.span))
    for mention in near:
        if mention.column in holding:
            return ValueMention(mention.column, _as_in_table(value.text, held.get(mention.column.name, ())), value.span)
    if holding:
        return ValueMention(holding[0], _as_in_table(value.text, held.get(holding[0].name, ())), value.span)
    return ValueMention(near[0].column if near else None, value.text, value.span)


def _as_in_table(text: str, held: Sequence[str]) -> str:
    """A value as the table writes it."""
    return next((one for one in held if one.casefold() == text.casefold()), text)


def _number_beside(reading: Reading, extremes: Sequence[Span]) -> tuple[Span, int] | None:
    """The number right before or after "top", "highest" …: how many are wanted."""
    for span, number in reading.numbers():
        if number.isdigit() and 0 < int(number) <= 1000 and any(gap(span, extreme) <= 2 for extreme in extremes):
            reading.take(span)
            return span, int(number)
    return None

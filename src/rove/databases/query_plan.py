"""What a question wants of one table, as the rules read it: what it names, and where it says what it wants."""

from __future__ import annotations

from dataclasses import dataclass, field

import regex
from sqlglot import exp

from rove.databases.mentions import Mention, is_numeric
from rove.records.document import Span
from rove.records.schema import Column, TableSchema

AGE = regex.compile(r"old|young|alt|jung|jüng|idős|fiatal|岁|年长|年轻|歳|年上|年下")
BORN = regex.compile(r"birth|born|geburt|geboren|szület|出生|生年")
PRICE = regex.compile(
    r"price|cost|fee\b|fare|rent\b|preis|kosten|gebühr|miete|betrag|\b[aá]ra?\b|díj|költség|összeg|价|金额|费|金額|料金|値段|代金|費"
)
NEAR_CHARS = 40


@dataclass(slots=True)
class QueryPlan:
    """What a question wants of one table. `denied`, `compared`: cues that have found their use; see `Cues`.

    `children`: where tables are named that refer to this one.
    """

    shown: list[Mention] = field(default_factory=list[Mention])
    conditions: list[exp.Expr] = field(default_factory=list[exp.Expr])
    having: list[exp.Expr] = field(default_factory=list[exp.Expr])
    used: set[Span] = field(default_factory=set[Span])
    denied: set[Span] = field(default_factory=set[Span])
    compared: set[Span] = field(default_factory=set[Span])
    children: list[Span] = field(default_factory=list[Span])


@dataclass(slots=True)
class Cues:
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
    had: list[Span] = field(default_factory=list[Span])
    tables: list[Span] = field(default_factory=list[Span])
    distinct: list[Span] = field(default_factory=list[Span])
    who: bool = False
    by_count: bool = False
    top: tuple[Span, int] | None = None

    @property
    def aggregates(self) -> list[tuple[type[exp.AggFunc], Span]]:
        """The aggregates that are asked for, in the order of the question."""
        kinds = ((exp.Max, self.most), (exp.Min, self.least), (exp.Avg, self.averages), (exp.Sum, self.sums))
        return sorted(((kind, span) for kind, spans in kinds for span in spans), key=lambda one: one[1])


def ages_of(table: TableSchema) -> list[Column]:
    """The columns that words such as "oldest" speak of without naming them: ages first, then births."""
    said = [(column, f"{column.label} {column.name}".casefold()) for column in table.columns]
    ages = [column for column, name in said if regex.search(r"\bage\b|alter\b|\bkora?\b|年龄|年齢", name)]
    return [*ages, *(column for column, name in said if BORN.search(name))]


def prices_of(table: TableSchema) -> list[Column]:
    """The columns that words such as "cheapest" speak of without naming them."""
    return [one for one in table.columns if is_numeric(one) and PRICE.search(f"{one.label} {one.name}".casefold())]


def gap(one: Span, other: Span) -> int:
    """Characters between two spans; 0 where they touch."""
    return max(other[0] - one[1], one[0] - other[1], 0)

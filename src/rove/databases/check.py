"""Whether SQL may run: one SELECT over known tables and columns, made of parts that are known to do nothing else.

Lists say what is let through, not what is refused, and what runs is what the parser writes back: text that it does not
understand, comments and hints are not in it. The database enforces the same once more (`rove.databases.targets`).
"""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from rove.errors import InputError, meant
from rove.records.schema import TableSchema

logging.getLogger("sqlglot").setLevel(logging.ERROR)  # what it does not parse is refused, and said so
MOST_CHARS = 20_000
MOST_PARTS = 2_000
CURE = "Ask for one SELECT over the tables that are listed."


@dataclass(frozen=True, slots=True)
class Checked:
    """SQL that may run. `tables` are those that it reads."""

    sql: str
    tables: tuple[str, ...]


def check_sql(sql: str, dialect: str, tables: Sequence[TableSchema], *, max_rows: int) -> Checked:
    r"""Return the SQL as it may run, limited to `max_rows` and one more, by which is seen that there are more.

    `dialect`: its name in sqlglot. `tables`: those that may be read.

    Raises:
        InputError: it is not one SELECT of allowed parts over these tables and their columns; the message says which.

    >>> from rove.records.schema import Column
    >>> cust = TableSchema("cust", (Column("id"), Column("name")))
    >>> check_sql("select name -- all\n from cust", "sqlite", [cust], max_rows=10).sql
    'SELECT name FROM cust LIMIT 11'
    """
    query = _parse_single_select(sql, dialect)
    _check_parts(query)
    known = {table.name.casefold(): table for table in tables}
    read: dict[str, None] = {}
    for scope in traverse_scope(query):
        _check_scope(scope, known, read)
    _cap_row_limit(query, max_rows + 1)
    written = query.sql(dialect=dialect, comments=False)
    if type(_parse_single_select(written, dialect)) is not type(query):
        message = "The SQL reads differently once it is written back."
        raise InputError(message, cure=CURE, outcome="unsupported")
    return Checked(written, tuple(read))


def _parse_single_select(sql: str, dialect: str) -> exp.Query:
    if len(sql) > MOST_CHARS:
        message = f"The SQL has {len(sql):,} characters; {MOST_CHARS:,} are let through."
        raise InputError(message, cure="Ask for less.", outcome="too-large")
    try:
        found = [one for one in sqlglot.parse(sql, read=dialect) if one is not None]
    except (SqlglotError, RecursionError) as error:
        message = f"This is no SQL of {dialect}: {str(error).partition(chr(10))[0]}"
        raise InputError(message, cure=CURE, outcome="unsupported") from None
    if len(found) != 1:
        message = f"There are {len(found)} statements, and one is run."
        raise InputError(message, cure=CURE, outcome="unsupported")
    query = found[0]
    if not isinstance(query, exp.Select | exp.SetOperation):
        raise _sql_refusal(f"A {type(query).__name__.upper()} is not a SELECT")  # noqa: TRY003 - a phrase
    return query


def _check_parts(query: exp.Query) -> None:
    for number, part in enumerate(query.walk()):
        name = type(part).__name__
        if number > MOST_PARTS:
            raise _sql_refusal("The SQL has too many parts")  # noqa: TRY003 - a phrase
        if isinstance(part, exp.Anonymous):
            if part.name.casefold() not in _allowlist_names("named"):
                raise _sql_refusal(f"The function {part.name} is not on the list of those that are let through")  # noqa: TRY003 - a phrase
        elif name not in _allowlist_names("query", "operators", "functions"):
            raise _sql_refusal(f"{name} is not on the list of what is let through")  # noqa: TRY003 - a phrase
        if isinstance(part, exp.With) and part.args.get("recursive"):
            raise _sql_refusal("A recursive query is not let through")  # noqa: TRY003 - a phrase
        if isinstance(part, exp.Table) and not isinstance(part.this, exp.Identifier):
            raise _sql_refusal(f"{part.sql()} is not a table")  # noqa: TRY003 - a phrase


def _check_scope(scope: Scope, known: Mapping[str, TableSchema], read: dict[str, None]) -> None:
    """See that a scope reads known tables alone, and columns that these have, or the queries around it."""
    around: dict[str, set[str] | None] = {}
    at: Scope | None = scope
    while at is not None:
        for name, source in at.sources.items():
            around.setdefault(name.casefold(), _names_of(source, known, read))
        at = at.parent
    aliases = {projection.alias.casefold() for projection in _selects(scope) if projection.alias}
    for column in scope.find_all(exp.Column):
        if not isinstance(column.this, exp.Star):
            _check_column(column, around, aliases)


def _names_of(source: exp.Expr | Scope, known: Mapping[str, TableSchema], read: dict[str, None]) -> set[str] | None:
    """The columns of a source, in lower case; None where they are not known: a query that gives all of another."""
    if isinstance(source, exp.Table):
        table = known.get(f"{source.db}.{source.name}".strip(".").casefold())
        if table is None or source.catalog:
            cure = f"{meant(source.name, (one.name for one in known.values()))}{CURE}"
            message = f"There is no table {source.sql()!r}."
            raise InputError(message, cure=cure, outcome="unsupported")
        read.setdefault(table.name)
        return {column.name.casefold() for column in table.columns}
    if not isinstance(source, Scope):
        return None
    names = [projection.alias_or_name.casefold() for projection in _selects(source)]
    outer = source.outer_columns
    return {name.casefold() for name in outer} if outer else None if "*" in names else set(names)


def _selects(scope: Scope) -> list[exp.Expr]:
    query = scope.expression
    return query.selects if isinstance(query, exp.Query) else []


def _check_column(column: exp.Column, sources: Mapping[str, set[str] | None], aliases: set[str]) -> None:
    name, table = column.name.casefold(), column.table.casefold()
    if table and table not in sources:
        raise _sql_refusal(f"No table of the query is called {column.table!r}")  # noqa: TRY003 - a phrase
    looked_in = [sources[table]] if table else list(sources.values())
    held: set[str] = set[str]().union(*(names or () for names in looked_in))
    if name in held or None in looked_in or (name in aliases and not table):
        return
    message = f"There is no column {column.sql()!r} in {column.table or ', '.join(sources) or 'no table'}."
    raise InputError(message, cure=f"{meant(column.name, held)}{CURE}", outcome="unsupported")


def _cap_row_limit(query: exp.Query, most: int) -> None:
    """See that at most so many rows are asked for."""
    limit = query.args.get("limit") or query.args.get("fetch")
    value = limit.expression if isinstance(limit, exp.Limit) else limit.args.get("count") if limit else None
    number = int(value.name) if isinstance(value, exp.Literal) and value.is_int else most
    query.set("fetch", None)
    query.set("limit", exp.Limit(expression=exp.Literal.number(min(number, most))))


def _sql_refusal(what: str) -> InputError:
    return InputError(f"{what}.", cure=CURE, outcome="unsupported")


@cache
def _allowlist_names(*lists: str) -> frozenset[str]:
    table = tomllib.loads(Path(__file__).with_name("allowed.toml").read_text("utf-8"))
    return frozenset(name for one in lists for name in table[one].split())

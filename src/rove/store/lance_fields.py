"""Metadata in LanceDB: one typed column per field and kind of value, and filters compiled to its SQL.

A field named "year" that holds whole numbers lives in the column `f_year__i`. Kinds: s text, i whole numbers (int64),
n floats (float64; in older tables whole numbers too, all of them exact), b true/false, l lists of text. A name that is
not plain lower-case ASCII is replaced by its hash.

SQL would compare an int64 with a float64 as floats, and NaN as the largest number: comparisons are written so that
each column meets only literals of its own type, and the result is Python's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from math import ceil, floor, inf, isfinite, isnan, nextafter

import pyarrow as pa

from rove.records import Filter, content_hash
from rove.records.filter import All, Any, Compare, Not, Scalar
from rove.records.metadata import LARGEST, SMALLEST
from rove.records.source import MetaValue

KINDS: dict[str, pa.DataType] = {
    "s": pa.string(),
    "i": pa.int64(),
    "n": pa.float64(),
    "b": pa.bool_(),
    "l": pa.list_(pa.string()),
}
PLAIN = re.compile(r"(?!x[0-9a-f]{32}$)[a-z][a-z0-9_]{0,40}")
"""Names that stand in a column's name as they are; none looks like a hash."""
UNSTORED = re.compile("[\0\ud800-\udfff]")
"""Characters that no stored text has."""
SQL_OPS = {"==": "=", ">": ">", ">=": ">=", "<": "<", "<=": "<="}
NEVER = "false"


@lru_cache(4_096)
def column_of(name: str, kind: str) -> str:
    """The column that holds this field's values of one kind.

    >>> column_of("year", "i")
    'f_year__i'
    """
    return f"f_{name if PLAIN.fullmatch(name) else 'x' + content_hash(name)}__{kind}"


def kind_of(value: MetaValue | Scalar) -> str:
    """The kind of a value: s, i, n, b or l."""
    match value:
        case bool():
            return "b"
        case str():
            return "s"
        case int():
            return "i"
        case float():
            return "n"
        case _:
            return "l"


def columns_of(fields: Mapping[str, MetaValue]) -> dict[str, MetaValue]:
    """Spread fields over their columns."""
    return {column_of(name, kind_of(value)): value for name, value in fields.items()}


def compile_filter(where: Filter, columns: Collection[str]) -> str:
    """Compile a filter to SQL that is true or false, never null, for a table that has these columns."""
    match where:
        case Compare(name, op, value):
            tests = _field_sql_tests(name, op, value, columns)
            return f"coalesce({' OR '.join(tests)}, false)" if tests else "false"
        case Not(part):
            return f"(NOT {compile_filter(part, columns)})"
        case All(parts):
            return f"({' AND '.join(compile_filter(p, columns) for p in parts)})" if parts else "true"
        case Any(parts):
            return f"({' OR '.join(compile_filter(p, columns) for p in parts)})" if parts else "false"
        case _:
            message = f"Unknown filter node {where!r}."
            raise TypeError(message)


def _field_sql_tests(name: str, op: str, value: Scalar | tuple[Scalar, ...], columns: Collection[str]) -> list[str]:
    """SQL conditions of which one must hold, each safe against nulls."""

    def there(kind: str) -> str:
        column = column_of(name, kind)
        return f"`{column}`" if column in columns else ""

    if op == "exists":
        return [f"{column} IS NOT NULL" for column in map(there, KINDS) if column]
    if isinstance(value, tuple):
        each = (test for item in value for test in _field_sql_tests(name, "==", item, columns))
        return list(each) if op == "in" else []
    if op == "in":
        return []
    match value:
        case bool():
            found = [(there("b"), _sql_comparison(there("b"), op, "true" if value else "false"))]
        case str():
            found = [(there("s"), _text_test(there("s"), op, value)), (there("l"), _list_test(there("l"), op, value))]
        case _:
            found = [(there("i"), _whole_test(there("i"), op, value)), (there("n"), _float_test(there("n"), op, value))]
    return [f"coalesce({test}, false)" for column, test in found if column]


def _sql_comparison(column: str, op: str, literal: str) -> str:
    return f"{column} {SQL_OPS[op]} {literal}"


def _text_test(column: str, op: str, value: str) -> str:
    """Compare text by code point. SQL has no literal for NULs and surrogates, which no stored text holds either."""
    odd = UNSTORED.search(value)
    if odd is None:
        return _sql_comparison(column, op, _sql_string(value))
    if op == "==":
        return NEVER
    begin, above = value[: odd.start()], op in {">", ">="}
    if odd[0] == "\0":  # what is larger than `begin` is larger than this, since all other characters are
        return _sql_comparison(column, ">" if above else "<=", _sql_string(begin))
    return _sql_comparison(
        column, ">=" if above else "<", _sql_string(begin + "\ue000")
    )  # the first one after the surrogates


def _list_test(column: str, op: str, value: str) -> str:
    """One element at least must pass."""
    if op == "==":
        return NEVER if UNSTORED.search(value) else f"array_has({column}, {_sql_string(value)})"
    return _text_test(f"{'array_max' if op in {'>', '>='} else 'array_min'}({column})", op, value)


def _whole_test(column: str, op: str, value: float) -> str:
    """Compare an int64 with a number of any size, exactly."""
    if isinstance(value, float):
        if isnan(value):
            return NEVER
        if not isfinite(value):
            return f"{column} IS NOT NULL" if op != "==" and (value > 0) == (op in {"<", "<="}) else NEVER
        if op == "==" and not value.is_integer():
            return NEVER
        value = ceil(value) if op in {">=", "<"} else floor(value)
    if SMALLEST <= value <= LARGEST:
        return _sql_comparison(column, op, f"CAST('{value}' AS BIGINT)")
    return f"{column} IS NOT NULL" if op != "==" and (value > 0) == (op in {"<", "<="}) else NEVER


def _float_test(column: str, op: str, value: float) -> str:
    """Compare a float64 with a number of any size, exactly; a stored NaN passes nothing."""
    below, above = _floats_around(value)
    if isnan(below) or (op == "==" and below != above):
        return NEVER
    if op in {">", ">="}:
        op = op if below == above else ">="
        return f"{_sql_comparison(column, op, _double(above))} AND NOT isnan({column})"
    op = op if below == above or op == "==" else "<="
    return _sql_comparison(column, op, _double(below))


def _floats_around(value: float) -> tuple[float, float]:
    """The largest float that is not above a number, and the smallest that is not below it.

    >>> _floats_around(2**53 + 1), _floats_around(5), _floats_around(10**400)
    ((9007199254740992.0, 9007199254740994.0), (5.0, 5.0), (1.7976931348623157e+308, inf))
    """
    try:
        near = float(value)
    except OverflowError:
        near = inf if value > 0 else -inf
    if isnan(near) or near == value:
        return near, near
    return (near, nextafter(near, inf)) if near < value else (nextafter(near, -inf), near)


def _double(value: float) -> str:
    return f"CAST('{value!r}' AS DOUBLE)"


def _sql_string(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"

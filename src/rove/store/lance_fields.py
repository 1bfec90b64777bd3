"""Metadata in LanceDB: one typed column per field and kind of value, and filters compiled to its SQL.

A field named "year" that holds numbers lives in the column `f_year__n`. Kinds: s text, n numbers (float64: integers are
exact up to 2**53), b true/false, l lists of text. A name that is not plain lower-case ASCII is replaced by its hash.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

import pyarrow as pa

from rove.errors import InputError
from rove.records import Filter, content_hash
from rove.records.filter import All, Any, Compare, Not, Scalar
from rove.records.source import MetaValue

KINDS: dict[str, pa.DataType] = {"s": pa.string(), "n": pa.float64(), "b": pa.bool_(), "l": pa.list_(pa.string())}
PLAIN = re.compile(r"[a-z][a-z0-9_]{0,40}")
SQL_OPS = {"==": "=", ">": ">", ">=": ">=", "<": "<", "<=": "<="}


@lru_cache(4_096)
def column_of(name: str, kind: str) -> str:
    """The column that holds this field's values of one kind.

    >>> column_of("year", "n")
    'f_year__n'
    """
    return f"f_{name if PLAIN.fullmatch(name) else 'x' + content_hash(name)}__{kind}"


def kind_of(value: MetaValue | Scalar) -> str:
    """The kind of a value: s, n, b or l."""
    if isinstance(value, bool):
        return "b"
    if isinstance(value, str):
        return "s"
    return "l" if isinstance(value, tuple) else "n"


def columns_of(fields: Mapping[str, MetaValue]) -> dict[str, MetaValue]:
    """Spread fields over their columns."""
    return {column_of(name, kind_of(value)): value for name, value in fields.items()}


def compile_filter(where: Filter, columns: Collection[str]) -> str:
    """Compile a filter to SQL that is true or false, never null, for a table that has these columns."""
    match where:
        case Compare(name, op, value):
            tests = _tests(name, op, value, columns)
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


def _tests(name: str, op: str, value: Scalar | tuple[Scalar, ...], columns: Collection[str]) -> list[str]:
    """SQL conditions of which one must hold, each safe against nulls."""

    def there(kind: str) -> str:
        column = column_of(name, kind)
        return f"`{column}`" if column in columns else ""

    if op == "exists":
        return [f"{column} IS NOT NULL" for column in map(there, "snbl") if column]
    if isinstance(value, tuple):
        each = (test for item in value for test in _tests(name, "==", item, columns))
        return list(each) if op == "in" else []
    if op == "in":
        return []
    kind = kind_of(value)
    literal = _literal(value)
    tests = [f"coalesce({there(kind)} {SQL_OPS[op]} {literal}, false)"] if there(kind) else []
    if kind == "s" and there("l"):
        lists = there("l")
        element = {"==": f"array_has({lists}, {literal})"}.get(op)
        extreme = "array_max" if op in {">", ">="} else "array_min"
        tests.append(f"coalesce({element or f'{extreme}({lists}) {SQL_OPS[op]} {literal}'}, false)")
    return tests


def _literal(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if "\0" in value:
            message = f"A filter value may not hold a NUL character: {value!r}."
            raise InputError(message, cure="Take it out.")
        return "'" + value.replace("'", "''") + "'"
    return f"CAST('{float(value)!r}' AS DOUBLE)"

r"""Filters in Postgres: each comparison is a path expression over the fields of a chunk, which are one jsonb value.

A path compares as `Filter.matches` does: a list passes where one of its elements does, numbers compare as `numeric`
(exactly: floats are written with all their digits), texts by code point, and values of two kinds not at all, which is
null. A null counts as false until a `Not` turns it round, so that is written IS NOT TRUE.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache

from rove.records import Filter
from rove.records.filter import All, Any, Compare, Not, Scalar
from rove.records.source import MetaValue

Parameter = str | list[str]
UNSTORED = re.compile("[\0\ud800-\udfff]")
"""Characters that no stored text has, and no jsonb can have."""
AFTER_SURROGATES = "\ue000"
BEYOND = 10**309
"""A whole number from which on nothing that is stored can be larger."""
FEW = 32
"""Values of "in" up to which a path names each; beyond, they are handed over as an array."""
NEVER = "false"


def fields_json(fields: Mapping[str, MetaValue]) -> str:
    """Write the fields of a chunk as JSON whose numbers are exact.

    >>> fields_json({"year": 2024, "share": 0.5, "tags": ("a", "b"), "open": True})
    '{"year":2024,"share":0.5,"tags":["a","b"],"open":true}'
    """
    return "{" + ",".join(f"{_jsonb_string(name)}:{_jsonb_field_value(value)}" for name, value in fields.items()) + "}"


def compile_filter(where: Filter, column: str = "fields") -> tuple[str, list[Parameter]]:
    """Compile a filter to a condition of SQL over a jsonb column, and its parameters. Null there means false.

    >>> compile_filter(Compare("year", ">", 2020) & ~Compare("tag", "exists", True))
    ('(fields @@ %s::jsonpath AND (fields ? %s) IS NOT TRUE)', ['$."year" > 2020', 'tag'])
    """
    match where:
        case Compare(name, op, value):
            return _compare(name, op, value, column)
        case Not(part):
            condition, parameters = compile_filter(part, column)
            return f"({condition}) IS NOT TRUE", parameters
        case All(parts):
            return _join_sql_conditions(parts, " AND ", "true", column)
        case Any(parts):
            return _join_sql_conditions(parts, " OR ", NEVER, column)
        case _:
            message = f"Unknown filter node {where!r}."
            raise TypeError(message)


def _join_sql_conditions(parts: Sequence[Filter], word: str, none: str, column: str) -> tuple[str, list[Parameter]]:
    if not parts:
        return none, []
    compiled = [compile_filter(part, column) for part in parts]
    return f"({word.join(one for one, _ in compiled)})", [value for _, values in compiled for value in values]


def _compare(name: str, op: str, value: Scalar | tuple[Scalar, ...], column: str) -> tuple[str, list[Parameter]]:
    if UNSTORED.search(name):
        return NEVER, []
    if op == "exists":
        return f"{column} ? %s", [name]
    if isinstance(value, tuple) != (op == "in"):
        return NEVER, []
    if not isinstance(value, tuple):
        path = _path(name, op, value)
        return (f"{column} @@ %s::jsonpath", [path]) if path else (NEVER, [])
    if len(value) > FEW:
        return _any_value_condition(name, value, column)
    paths = [path for one in value if (path := _path(name, "==", one))]
    return (f"{column} @@ %s::jsonpath", [" || ".join(paths)]) if paths else (NEVER, [])


def _any_value_condition(name: str, values: Sequence[Scalar], column: str) -> tuple[str, list[Parameter]]:
    """One of many values: texts also as elements of a list, all others as they are."""
    texts = [value for value in values if isinstance(value, str) and not UNSTORED.search(value)]
    others = [literal for value in values if not isinstance(value, str) and (literal := _jsonb_literal(value))]
    condition = f"({column} -> %s) ?| %s OR ({column} -> %s) = ANY (%s::jsonb[])"
    return f"({condition})", [name, texts, name, others]


def _path(name: str, op: str, value: Scalar) -> str:
    """The path expression of one comparison; "" for one that nothing passes."""
    field = f"$.{_jsonb_string(name)}"
    match value:
        case bool():
            return f"{field} {op} {_jsonb_literal(value)}"
        case str():
            return _text_path(field, op, value)
        case _:
            literal = _jsonb_literal(value)
            if literal:
                return f"{field} {op} {literal}"
            passes = op != "==" and (value > 0 if op in {"<", "<="} else value < 0)  # it is beyond all, or NaN
            return f"{field} < {BEYOND}" if passes else ""


def _text_path(field: str, op: str, value: str) -> str:
    """Compare text by code point, also with what no text that is stored can hold."""
    odd = UNSTORED.search(value)
    if odd is None:
        return f"{field} {op} {_jsonb_string(value)}"
    if op == "==":
        return ""
    begin, above = value[: odd.start()], op in {">", ">="}
    if odd[0] == "\0":  # what is larger than `begin` is larger than this, since all other characters are
        return f"{field} {'>' if above else '<='} {_jsonb_string(begin)}"
    return f"{field} {'>=' if above else '<'} {_jsonb_string(begin + AFTER_SURROGATES)}"


@lru_cache(1_024, typed=True)
def _jsonb_literal(value: bool | float) -> str:
    """A number or true/false as it is written; "" for a number that is beyond all that are stored, or none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if -BEYOND < value < BEYOND else ""
    exact = Decimal(value)
    return format(exact, "f") if exact.is_finite() else ""


def _jsonb_field_value(value: MetaValue) -> str:
    if isinstance(value, str):
        return _jsonb_string(value)
    if isinstance(value, tuple):
        return f"[{','.join(map(_jsonb_string, value))}]"
    return _jsonb_literal(value) or "null"


def _jsonb_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

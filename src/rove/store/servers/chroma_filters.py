"""Filters in Chroma: tokens for what is equal, whole numbers for order, and reading for the order of texts.

Chroma compares numbers of one type with one another, and looks for a text in a list of texts; it has no "not", and no
order of texts. So each value of a field is a token in one list, and each number stands under a key of its own besides.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from math import ceil, floor, inf, isfinite, isnan, nextafter
from struct import Struct
from typing import Any as Anything
from typing import cast

from rove.records import Filter
from rove.records.filter import COMPARE, All, Any, Compare, Not, Scalar
from rove.records.metadata import LARGEST, SMALLEST
from rove.records.source import MetaValue

Where = dict[str, Anything] | bool
"""A condition as Chroma takes it; True: all pass, False: none does."""
TOKENS, FIELDS = "tokens", "fields"
"""The keys of the list of tokens, and of the fields as JSON."""
OPS = {">": "$gt", ">=": "$gte", "<": "$lt", "<=": "$lte"}
TURNED = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
FLOAT, RANK = Struct("<d"), Struct("<q")
MOST_VALUES = 100
"""Values of "in" that are asked for one by one; more are looked for by reading."""


class UnsaidError(Exception):
    """Chroma has no words for this filter: what passes is found by reading the fields of all chunks."""


def metadata_of(fields: Mapping[str, MetaValue]) -> dict[str, Anything]:
    """Return what Chroma keeps beside a chunk: tokens, numbers, and the fields themselves."""
    tokens, numbers = {"all"}, dict[str, int]()
    for name, value in fields.items():
        tokens.add(_token("there", name))
        for one in value if isinstance(value, tuple) else (value,):
            tokens.add(_equal(name, one))
        if isinstance(value, int | float) and not isinstance(value, bool):
            numbers[_token(_kind(value), name)] = value if isinstance(value, int) else _rank(value)
            tokens.add(_token(_kind(value), name))
    return {TOKENS: sorted(tokens), FIELDS: json.dumps(fields), **numbers}


def fields_of(metadata: Mapping[str, Anything]) -> dict[str, MetaValue]:
    """Return the fields of which `metadata_of` was made."""
    read = cast("dict[str, str | int | float | bool | list[str]]", json.loads(metadata[FIELDS]))
    return {name: tuple(value) if isinstance(value, list) else value for name, value in read.items()}


def compile_filter(where: Filter, *, passes: bool = True) -> Where:
    """Compile a filter to what Chroma takes; not `passes`: to what the filter does not let through.

    Raises:
        UnsaidError: it is more than Chroma can be asked.
    """
    match where:
        case Compare(name, op, value):
            tests = _tests(name, op, value, passes=passes)
            return _joined("$or" if passes else "$and", tests)
        case Not(part):
            return compile_filter(part, passes=not passes)
        case All(parts):
            return _joined("$and" if passes else "$or", [compile_filter(part, passes=passes) for part in parts])
        case Any(parts):
            return _joined("$or" if passes else "$and", [compile_filter(part, passes=passes) for part in parts])
        case _:
            message = f"Unknown filter node {where!r}."
            raise TypeError(message)


def _joined(word: str, parts: list[Where]) -> Where:
    """All of the parts ("$and"), or one of them ("$or")."""
    decides = word == "$or"
    if any(part is decides for part in parts):
        return decides
    asked = [part for part in parts if not isinstance(part, bool)]
    if not asked:
        return not decides
    return asked[0] if len(asked) == 1 else {word: asked}


def _tests(name: str, op: str, value: Scalar | tuple[Scalar, ...], *, passes: bool) -> list[Where]:
    """Conditions of which one must hold; where not `passes`, all those that say the opposite."""
    if op == "exists":
        return [_has(_token("there", name), passes)]
    if isinstance(value, tuple) != (op == "in"):
        return []
    if isinstance(value, tuple):
        if len(value) > MOST_VALUES:
            raise UnsaidError
        return [_has(_equal(name, one), passes) for one in value]
    if op == "==":
        return [_has(_equal(name, value), passes)]
    if isinstance(value, bool):
        return [_has(_equal(name, one), passes) for one in (False, True) if COMPARE[op](one, value)]
    if isinstance(value, str):
        raise UnsaidError
    bounds = (_whole_bound(op, value), _float_bound(op, value))
    return [_ordered(_token(kind, name), bound, passes) for kind, bound in zip("if", bounds, strict=True)]


def _has(token: str, passes: bool) -> Where:
    return {TOKENS: {"$contains" if passes else "$not_contains": token}}


def _ordered(key: str, bound: tuple[str, int] | bool, passes: bool) -> Where:
    """A number under this key that is in order with a bound; True: any there is, False: none."""
    if bound is False:
        return not passes
    if bound is True:
        return _has(key, passes)
    op, number = bound
    if passes:
        return {key: {OPS[op]: number}}
    return {"$or": [{key: {OPS[TURNED[op]]: number}}, _has(key, passes=False)]}


def _whole_bound(op: str, value: float) -> tuple[str, int] | bool:
    """What a whole number of 64 bits must be for it to be in order with a number of any size."""
    if isinstance(value, float):
        if isnan(value):
            return False
        if not isfinite(value):
            return (value > 0) == (op in {"<", "<="})
        value = ceil(value) if op in {">=", "<"} else floor(value)
    return (op, value) if SMALLEST <= value <= LARGEST else (value > 0) == (op in {"<", "<="})


def _float_bound(op: str, value: float) -> tuple[str, int] | bool:
    """What the rank of a float must be for it to be in order with a number of any size."""
    try:
        near = float(value)
    except OverflowError:
        near = inf if value > 0 else -inf
    if isnan(near):
        return False
    if near != value:  # a whole number between two floats
        above = nextafter(near, inf) if near < value else near
        below = near if near < value else nextafter(near, -inf)
        op, near = (">=", above) if op in {">", ">="} else ("<=", below)
    return op, _rank(near)


def _rank(value: float) -> int:
    """A whole number of 64 bits that is in the order of floats, whose last digits Chroma does not compare.

    >>> sorted([2.0**53, -1.5, 0.0, -inf, 5e-324, -2.0], key=_rank)
    [-inf, -2.0, -1.5, 0.0, 5e-324, 9007199254740992.0]
    """
    (bits,) = RANK.unpack(FLOAT.pack(value + 0.0))  # -0.0 is 0.0
    return bits if bits >= 0 else -(bits & LARGEST)


def _kind(value: float) -> str:
    return "i" if isinstance(value, int) else "f"


@lru_cache(16_384, typed=True)
def _equal(name: str, value: Scalar) -> str:
    """The token of a field's value; numbers that are equal have the same."""
    if isinstance(value, bool):
        return _token("bool", name, str(value))
    if isinstance(value, str):
        return _token("text", name, value)
    whole = isinstance(value, int) or (isfinite(value) and value.is_integer())
    return _token("number", name, hex(int(value)) if whole else repr(value))


@lru_cache(16_384)
def _token(*parts: str) -> str:
    whole = json.dumps(parts).encode()
    return f"{parts[0][0]}{sha256(whole).hexdigest()[:31]}"

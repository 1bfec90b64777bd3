"""Filters in Chroma: tokens for what is equal, whole numbers for order, also of texts by how they begin.

Chroma compares numbers of one type with one another, and looks for a text in a list of texts; it has no "not", and no
order of texts. So each value of a field is a token in one list, and each number stands under a key of its own besides.

Of a text the first 16 bytes are kept as two numbers that are in the order of texts; of a list those of the highest and
of the lowest. Texts that begin as the one that is asked for does are read and compared here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
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
Read = Callable[[Where], Iterable[Mapping[str, MetaValue]]]
"""Reads the fields of all chunks that pass a condition."""
TOKENS, FIELDS = "tokens", "fields"
"""The keys of the list of tokens, and of the fields as JSON."""
OPS = {">": "$gt", ">=": "$gte", "<": "$lt", "<=": "$lte"}
TURNED = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
FLOAT, RANK = Struct("<d"), Struct("<q")
BEGINNING = Struct(">QQ")
"""The first 16 bytes of a text."""
MOST_VALUES = 100
"""Values that are asked for one by one; more are looked for by reading."""


class UnsaidError(Exception):
    """Chroma has no words for this filter: what passes is found by reading the fields of all chunks."""


def metadata_of(fields: Mapping[str, MetaValue]) -> dict[str, Anything]:
    """Return what Chroma keeps beside a chunk: tokens, numbers, and the fields themselves."""
    tokens, numbers = {"all"}, dict[str, int]()
    for name, value in fields.items():
        tokens.add(_digest_token("there", name))
        for one in value if isinstance(value, tuple) else (value,):
            tokens.add(_scalar_token(name, one))
        if isinstance(value, int | float) and not isinstance(value, bool):
            numbers[_digest_token(_number_kind(value), name)] = value if isinstance(value, int) else _float_rank(value)
            tokens.add(_digest_token(_number_kind(value), name))
        texts = [one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, str)]
        if texts:
            ends = {"single": texts[0]} if isinstance(value, str) else {"high": max(texts), "low": min(texts)}
            for key, text in ((_digest_token(end, name), text) for end, text in ends.items()):
                numbers |= zip(_beginning_keys(key), _beginning(text), strict=True)
                tokens.add(key)
            if not all(map(_is_all_in_beginning, texts)):
                tokens.add(_digest_token("cut", name))
    return {TOKENS: sorted(tokens), FIELDS: json.dumps(fields), **numbers}


def fields_of(metadata: Mapping[str, Anything]) -> dict[str, MetaValue]:
    """Return the fields of which `metadata_of` was made."""
    read = cast("dict[str, str | int | float | bool | list[str]]", json.loads(metadata[FIELDS]))
    return {name: tuple(value) if isinstance(value, list) else value for name, value in read.items()}


def compile_filter(where: Filter, read: Read, *, passes: bool = True) -> Where:
    """Compile a filter to what Chroma takes; not `passes`: to what the filter does not let through.

    `read` is asked for texts that begin as one that is compared by order does.

    Raises:
        UnsaidError: it is more than Chroma can be asked.
    """
    match where:
        case Compare():
            tests = _compare_tests(where, read, passes=passes)
            return _join_where("$or" if passes else "$and", tests)
        case Not(part):
            return compile_filter(part, read, passes=not passes)
        case All(parts):
            return _join_where(
                "$and" if passes else "$or", [compile_filter(part, read, passes=passes) for part in parts]
            )
        case Any(parts):
            return _join_where(
                "$or" if passes else "$and", [compile_filter(part, read, passes=passes) for part in parts]
            )
        case _:
            message = f"Unknown filter node {where!r}."
            raise TypeError(message)


def _join_where(word: str, parts: list[Where]) -> Where:
    """All of the parts ("$and"), or one of them ("$or")."""
    decides = word == "$or"
    if any(part is decides for part in parts):
        return decides
    asked = [part for part in parts if not isinstance(part, bool)]
    if not asked:
        return not decides
    return asked[0] if len(asked) == 1 else {word: asked}


def _compare_tests(where: Compare, read: Read, *, passes: bool) -> list[Where]:
    """Conditions of which one must hold; where not `passes`, all those that say the opposite."""
    name, op, value = where.name, where.op, where.value
    if op == "exists":
        return [_token_test(_digest_token("there", name), passes)]
    if isinstance(value, tuple) != (op == "in"):
        return []
    if isinstance(value, tuple):
        if len(value) > MOST_VALUES:
            raise UnsaidError
        return [_token_test(_scalar_token(name, one), passes) for one in value]
    if op == "==":
        return [_token_test(_scalar_token(name, value), passes)]
    if isinstance(value, bool):
        return [_token_test(_scalar_token(name, one), passes) for one in (False, True) if COMPARE[op](one, value)]
    if isinstance(value, str):
        return _tests_of_text(name, op, value, read, passes=passes)
    bounds = (_whole_bound(op, value), _float_bound(op, value))
    return [_bound_test(_digest_token(kind, name), bound, passes) for kind, bound in zip("if", bounds, strict=True)]


def _tests_of_text(name: str, op: str, value: str, read: Read, *, passes: bool) -> list[Where]:
    """Chunks whose text begins with other bytes, on the right side; and each text that begins alike and passes."""
    keys = [_digest_token(end, name) for end in ("single", "high" if op[0] == ">" else "low")]
    alike = _join_where("$or", [_beginning_test(key, "$eq", value) for key in keys])
    if _is_all_in_beginning(value):  # no other text that is short begins so
        alike = _join_where("$and", [alike, _token_test(_digest_token("cut", name), passes=True)])
    texts = {value} if op.endswith("=") else set[str]()
    for fields in read(alike):
        kept = fields[name]
        texts |= {one for one in (kept if isinstance(kept, tuple) else (kept,)) if isinstance(one, str)}
    texts = {one for one in texts if _beginning(one) == _beginning(value) and COMPARE[op](one, value)}
    if len(texts) > MOST_VALUES:
        raise UnsaidError
    said = OPS[op[0]] if passes else OPS[TURNED[op[0]]]
    beyond = [_beginning_test(key, said, value) for key in keys]
    if not passes:
        beyond = [
            _join_where("$or", [test, _token_test(key, passes=False)]) for test, key in zip(beyond, keys, strict=True)
        ]
    return [*beyond, *(_token_test(_scalar_token(name, one), passes) for one in sorted(texts))]


def _beginning_test(key: str, said: str, value: str) -> Where:
    """Both numbers of a text's beginning, compared with those of a value: "$eq", "$gt", "$lt", "$gte" or "$lte"."""
    (first, second), (a, b) = _beginning_keys(key), _beginning(value)
    same = {"$and": [{first: {"$eq": a}}, {second: {said: b}}]}
    return same if said == "$eq" else {"$or": [{first: {said.removesuffix("e"): a}}, same]}


def _beginning_keys(key: str) -> tuple[str, str]:
    return f"{key}1", f"{key}2"


def _beginning(text: str) -> tuple[int, int]:
    """The first 16 bytes of a text, as two whole numbers that are in the order of texts.

    >>> _beginning("2024-05-01") < _beginning("2024-05-01T10:30") < _beginning("2024-05-02") < _beginning("日")
    True
    """
    first, second = BEGINNING.unpack(
        text.encode("utf-8", "surrogatepass")[: BEGINNING.size].ljust(BEGINNING.size, b"\0")
    )
    return first + SMALLEST, second + SMALLEST


def _is_all_in_beginning(text: str) -> bool:
    """Whether its beginning is all of it, and that of no other text that is short."""
    return "\0" not in text and len(text.encode("utf-8", "surrogatepass")) <= BEGINNING.size


def _token_test(token: str, passes: bool) -> Where:
    return {TOKENS: {"$contains" if passes else "$not_contains": token}}


def _bound_test(key: str, bound: tuple[str, int] | bool, passes: bool) -> Where:
    """A number under this key that is in order with a bound; True: any there is, False: none."""
    if bound is False:
        return not passes
    if bound is True:
        return _token_test(key, passes)
    op, number = bound
    if passes:
        return {key: {OPS[op]: number}}
    return {"$or": [{key: {OPS[TURNED[op]]: number}}, _token_test(key, passes=False)]}


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
    return op, _float_rank(near)


def _float_rank(value: float) -> int:
    """A whole number of 64 bits that is in the order of floats, whose last digits Chroma does not compare.

    >>> sorted([2.0**53, -1.5, 0.0, -inf, 5e-324, -2.0], key=_float_rank)
    [-inf, -2.0, -1.5, 0.0, 5e-324, 9007199254740992.0]
    """
    (bits,) = RANK.unpack(FLOAT.pack(value + 0.0))  # -0.0 is 0.0
    return bits if bits >= 0 else -(bits & LARGEST)


def _number_kind(value: float) -> str:
    return "i" if isinstance(value, int) else "f"


@lru_cache(16_384, typed=True)
def _scalar_token(name: str, value: Scalar) -> str:
    """The token of a field's value; numbers that are equal have the same."""
    if isinstance(value, bool):
        return _digest_token("bool", name, str(value))
    if isinstance(value, str):
        return _digest_token("text", name, value)
    whole = isinstance(value, int) or (isfinite(value) and value.is_integer())
    return _digest_token("number", name, hex(int(value)) if whole else repr(value))


@lru_cache(16_384)
def _digest_token(*parts: str) -> str:
    whole = json.dumps(parts).encode()
    return f"{parts[0][0]}{sha256(whole).hexdigest()[:31]}"

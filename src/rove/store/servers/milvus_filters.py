"""Fields in Milvus: a list of tokens and a map of sort keys for each row, and filters compiled to its expressions.

`tokens` has the places at which the row has a value (see `sort_keys`), and for each value a token of its own, which
answers == and in. `keys` has what comparisons by order need: the key at each place; of a list the highest and the
lowest.

Milvus' versions differ in what `not` makes of a row without the field. So it is taken down to the comparisons, and
each is written so that it is true or false of every row: `tokens` is never missing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b

from rove.records import Filter
from rove.records.filter import All, Any, Compare, Not
from rove.records.source import MetaValue
from rove.store.servers.sort_keys import KeyTest, field_keys, tests_of

TOKEN_LENGTH = 33
MOST_TOKENS = 4_096
"""How many tokens a row can have: Milvus' own limit."""
OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
ALWAYS, NEVER = 'chunk_id != ""', 'chunk_id == ""'


def columns_of(fields: Mapping[str, MetaValue]) -> dict[str, object]:
    """What a row's fields are kept as."""
    found = sorted(field_keys(fields))
    keys: dict[str, str] = {}
    for place, key in found:  # in the order of keys: of a list the first is the lowest, the last the highest
        keys.setdefault(_sort_key_place(place, "<"), key)
        keys[_sort_key_place(place, ">")] = key
    tokens = {place for place, _ in found} | {_place_value_token(place, key) for place, key in found}
    return {"tokens": sorted(tokens), "keys": keys}


def expression_of(where: Filter, *, holds: bool = True) -> str:
    """Compile a filter, or where it does not hold its opposite, to an expression of Milvus."""
    match where:
        case Compare():
            tests = [_test(test, holds=holds) for test in tests_of(where)]
            return _join_expressions(tests, any_of=holds)
        case Not(part):
            return expression_of(part, holds=not holds)
        case All(parts):
            return _join_expressions([expression_of(part, holds=holds) for part in parts], any_of=not holds)
        case Any(parts):
            return _join_expressions([expression_of(part, holds=holds) for part in parts], any_of=holds)
        case _:
            message = f"Unknown filter node {where!r}."
            raise TypeError(message)


def _join_expressions(parts: list[str], *, any_of: bool) -> str:
    if not parts:
        return NEVER if any_of else ALWAYS
    return f"({(' or ' if any_of else ' and ').join(parts)})"


def _test(test: KeyTest, *, holds: bool) -> str:
    if test.op in OPPOSITE:
        key = f'keys["{_sort_key_place(test.place, test.op)}"]'
        if holds:
            return f'{key} {test.op} "{test.keys[0]}"'
        return f'(not array_contains(tokens, "{test.place}") or {key} {OPPOSITE[test.op]} "{test.keys[0]}")'
    tokens = [test.place] if test.op == "exists" else sorted({_place_value_token(test.place, key) for key in test.keys})
    found = f"array_contains_any(tokens, {json.dumps(tokens)})"
    return found if holds else f"(not {found})"


def _sort_key_place(place: str, op: str) -> str:
    """Where the key is that is compared: a list passes if its highest text, or its lowest, does."""
    if place[0] != "e":
        return place
    return f"{place}{'h' if op in {'>', '>='} else 'l'}"


def _place_value_token(place: str, key: str) -> str:
    return f"={blake2b(f'{place}{key}'.encode(), digest_size=16).hexdigest()}"

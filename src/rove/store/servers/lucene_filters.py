"""Metadata in Elasticsearch and OpenSearch: every value is a token of one keyword field, and filters are queries on it.

A token is the hash of the field's name, a letter for the kind of value (b true/false, n number, s text, e: the field is
there) and the value, written so that tokens of one kind are ordered as their values are. One field for all: a base with
thousands of names needs no more mapping than one with three, and numbers of two types compare exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import inf
from typing import Any as AnyType

from rove.records import Filter, content_hash
from rove.records.filter import All, Any, Compare, Not, Scalar
from rove.records.source import MetaValue
from rove.store.catalog_rows import slices

Query = dict[str, AnyType]
FIELD = "facts"
"""The keyword field that holds the tokens."""
LONGEST_BYTES = 12_000
"""Bytes of a text that are in its token as they are, in hexadecimal; Lucene has no token above 32,766 bytes."""
MOST_TERMS = 60_000
"""Values in one `terms` query: the engines refuse more than 65,536."""
MIDDLE = 0x8000
BEYOND = 1_100
"""An exponent above that of every float and every whole number of 64 bits."""
NOTHING: Query = {"match_none": {}}
EVERYTHING: Query = {"match_all": {}}
BOUNDS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}


def tokens_of(fields: Mapping[str, MetaValue]) -> list[str]:
    """Return the tokens of a chunk's fields, each once."""
    return sorted({token for name, value in fields.items() for token in _field_tokens(name, value)})


def _field_tokens(name: str, value: MetaValue) -> Iterable[str]:
    yield f"{_field(name)}e"
    for item in value if isinstance(value, tuple) else (value,):
        if token := token_of(name, item):
            yield token


def token_of(name: str, value: Scalar) -> str:
    """Return the token of one value; "" for NaN, which nothing compares with.

    >>> token_of("year", 2)[32:] < token_of("year", 2.5)[32:] < token_of("year", 10**30)[32:]
    True
    >>> token_of("year", 2) == token_of("year", 2.0), token_of("flag", True) == token_of("flag", 1)
    (True, False)
    """
    match value:
        case bool():
            written = f"b{value:d}"
        case str():
            written = f"s{_sortable_text(value)}"
        case _:
            written = "" if value != value else f"n{_sortable_number(value)}"  # noqa: PLR0124 - NaN alone is not itself
    return written and _field(name) + written


def compile_filter(where: Filter) -> Query:
    """Compile a filter to a query that passes what `Filter.matches` does."""
    match where:
        case Compare(name, op, value):
            return _comparison_query(name, op, value)
        case Not(part):
            return {"bool": {"must_not": [compile_filter(part)]}}
        case All(parts):
            return {"bool": {"filter": [compile_filter(part) for part in parts]}} if parts else EVERYTHING
        case Any(parts):
            return any_of([compile_filter(part) for part in parts])
        case _:
            message = f"Unknown filter node {where!r}."
            raise TypeError(message)


def any_of(queries: list[Query]) -> Query:
    """Return a query that one of these must pass."""
    if len(queries) < 2:  # noqa: PLR2004 - none, or one
        return queries[0] if queries else NOTHING
    return {"bool": {"should": queries, "minimum_should_match": 1}}


def _comparison_query(name: str, op: str, value: Scalar | tuple[Scalar, ...]) -> Query:
    if op == "exists":
        return {"term": {FIELD: f"{_field(name)}e"}}
    if isinstance(value, tuple):
        tokens = [token for item in value if (token := token_of(name, item))] if op == "in" else []
        return any_of([{"terms": {FIELD: list(part)}} for part in slices(tokens, MOST_TERMS)])
    token = token_of(name, value)
    if op == "in" or not token:
        return NOTHING
    if op == "==":
        return {"term": {FIELD: token}}
    kind = token[: len(_field(name)) + 1]
    least, most = {"gte": kind}, {"lt": kind[:-1] + chr(ord(kind[-1]) + 1)}
    return {"range": {FIELD: {**(most if op in {">", ">="} else least), BOUNDS[op]: token}}}


@lru_cache(4_096)
def _field(name: str) -> str:
    return content_hash(name)


def _sortable_text(value: str) -> str:
    """Write a text so that texts are ordered by code point, whatever they hold.

    Of a longer one the first `LONGEST_BYTES` are written and a hash of it: two that begin alike so far are unequal
    still, but their order is any.
    """
    encoded = value.encode("utf-8", "surrogatepass")
    if len(encoded) <= LONGEST_BYTES:
        return encoded.hex()
    return encoded[:LONGEST_BYTES].hex() + content_hash(value)


def _sortable_number(value: float) -> str:
    """Write a number exactly: its sign, the exponent of its highest bit, and its bits from there on.

    The bits are at least 64, those of all that is kept; of a negative number all digits are turned round.
    """
    if not value:
        return "1"
    if value in {inf, -inf}:
        exponent, bits = BEYOND + 1, 1
    else:
        bits, under = abs(value).as_integer_ratio()
        exponent = bits.bit_length() - under.bit_length()  # `under` is a power of two
        if exponent >= BEYOND:
            exponent, bits = BEYOND, 1
    bits <<= max(0, 64 - bits.bit_length())
    bits <<= -bits.bit_length() % 4
    written = f"{MIDDLE + exponent:04x}{bits:x}".rstrip("0").ljust(20, "0")
    if value > 0:
        return f"2{written}"
    return "0" + "".join(f"{15 - int(digit, 16):x}" for digit in written) + "g"

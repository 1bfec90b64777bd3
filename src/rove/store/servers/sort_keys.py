"""Values of fields as plain ASCII texts that sort as filters compare, for engines whose own types compare otherwise.

A place is a field's name and the kind of its value: s text, n numbers (whole ones and floats are compared with each
other), b true/false, e each text of a list, l that there is a list. A value has a key at its place. Keys of one place
sort, byte by byte, as Python compares the values, whatever their size, their characters or their sign.

Of texts over 1,000 bytes (UTF-8) only these are sorted by, then a digest: equality is still that of the whole.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite, isnan, nextafter

from rove.records.filter import Compare, Scalar
from rove.records.source import MetaValue

SORTED_BYTES = 1_000
KEY_LENGTH = 2 * SORTED_BYTES + 64
"""What a key has at most, in characters."""
KINDS = "snble"
MOST_ABOVE = 0xFFFF
"""What says how far a number lies above the float below it; no stored one lies 2,048 above."""


@dataclass(frozen=True, slots=True)
class KeyTest:
    """Holds of a row that has, at this place, a key that compares so. `op`: in > >= < <= exists."""

    place: str
    op: str
    keys: tuple[str, ...] = ()


@lru_cache(4_096)
def place_of(name: str, kind: str) -> str:
    """The place of a field's values of one kind, in 32 characters that are safe everywhere.

    >>> place_of("year", "n")
    'n34ef6379ad214900899ee3189f63e58'
    """
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{kind}{digest[:31]}"


def field_keys(fields: Mapping[str, MetaValue]) -> set[tuple[str, str]]:
    """Every place at which these fields have a value, with its key there."""
    found = set[tuple[str, str]]()
    for name, value in fields.items():
        if isinstance(value, tuple):
            found.add((place_of(name, "l"), ""))
            found.update((place_of(name, "e"), text_key(item)) for item in value)
        else:
            kind, key = _kind_and_sort_key(value)
            found.add((place_of(name, kind), key))
    return found


def tests_of(comparison: Compare) -> list[KeyTest]:
    """The tests of which one must hold of a row for a comparison to hold; none: it holds of no row."""
    name, op, value = comparison.name, comparison.op, comparison.value
    if op == "exists":
        return [KeyTest(place_of(name, kind), op) for kind in KINDS if kind != "e"]
    values = value if isinstance(value, tuple) else (value,)
    if isinstance(value, tuple) != (op == "in"):
        return []
    by_place: dict[str, list[str]] = {}
    for item in values:
        if isinstance(item, float) and isnan(item):
            continue
        kind, key = _kind_and_sort_key(item)
        for one in ("s", "e") if kind == "s" else (kind,):
            by_place.setdefault(place_of(name, one), []).append(key)
    op = "in" if op == "==" else op
    return [KeyTest(place, op, tuple(keys)) for place, keys in by_place.items()]


def text_key(text: str) -> str:
    r"""The key of a text: its code points decide, as in Python.

    >>> text_key("a") < text_key("a\0") < text_key("b") < text_key("\ud800") < text_key("\U0001f600")
    True
    """
    whole = text.encode("utf-8", "surrogatepass")
    if len(whole) <= SORTED_BYTES:
        return whole.hex()
    return whole[:SORTED_BYTES].hex() + hashlib.sha256(whole).hexdigest()


def number_key(number: float) -> str:
    """The key of a number that is not NaN: the float below it, then how far it lies above.

    >>> number_key(-(10**400)) < number_key(-0.5) < number_key(0) < number_key(2**53) < number_key(2**53 + 1)
    True
    >>> number_key(2**53) == number_key(2.0**53), number_key(10**400) < number_key(float("inf"))
    (True, True)
    """
    below = _float_below(number)
    above = min(MOST_ABOVE, int(number) - int(below)) if isfinite(below) and isinstance(number, int) else 0
    above = MOST_ABOVE if below == -inf and number != -inf else above
    (bits,) = struct.unpack(">Q", struct.pack(">d", below + 0.0))
    return f"{bits ^ (0xFFFFFFFFFFFFFFFF if bits >> 63 else 1 << 63):016x}{above:04x}"


def _kind_and_sort_key(value: Scalar) -> tuple[str, str]:
    match value:
        case bool():
            return "b", str(int(value))
        case str():
            return "s", text_key(value)
        case _:
            return "n", number_key(value)


def _float_below(number: float) -> float:
    """The largest float that is not above a number."""
    try:
        near = float(number)
    except OverflowError:
        near = inf if number > 0 else -inf
    return near if near <= number else nextafter(near, -inf)


def kept_id(chunk_id: str) -> str:
    """A chunk's id as hexadecimal digits, which no language of queries reads otherwise; they sort as the ids do."""
    return chunk_id.encode("utf-8", "surrogatepass").hex()


def given_id(kept: str) -> str:
    """The id that was kept."""
    return bytes.fromhex(kept).decode("utf-8", "surrogatepass")

r"""Metadata: which values a document's fields may have, and what every other value becomes.

This is the one place where that is decided; whatever comes in passes `stored_fields` before anything is kept.

A field's value is a text, true/false, a whole number of 64 bits, a finite float, or a tuple of texts. Otherwise:

| given | kept |
|---|---|
| a whole number beyond 64 bits | its digits, as text |
| a date, time or datetime | ISO 8601 text; with a time zone in UTC ("+00:00"): the order of the texts is that of time |
| a map | a field for each value: `{"a": {"b": 1}}` is `a.b` = 1 |
| a list, tuple, set or array | a tuple of texts: numbers in digits, true/false as words, what is nested as JSON |
| `Decimal`, `Fraction` | the whole number or float that equals it, else its text |
| a scalar of numpy | the Python value |
| bytes | text, read as UTF-8 |
| an enum's member | its value |
| None, NaN, an infinite float | nothing: the field is not there |
| anything else (UUID, path …) | `str(value)` |

Texts and names lose NULs and lone surrogates, and their line ends are "\n". A name that is no text becomes one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from math import isfinite
from typing import Any, cast

from rove.records.source import MetaValue

SMALLEST, LARGEST = -(1 << 63), (1 << 63) - 1
"""What a whole number of 64 bits can be."""
PLAIN = {str, bool, int, float, list, tuple, type(None)}
DEEPEST = 16
"""Maps within maps, beyond which a map is written as text."""
SURROGATES = re.compile("[\ud800-\udfff]")


def stored_fields(fields: Mapping[Any, object]) -> dict[str, MetaValue]:
    """Return metadata as it is kept; see above. Never fails.

    >>> stored_fields({"a": {"b": 1, "c": None}, "tags": ["x", 2], "day": date(2024, 5, 1), "id": 2**64})
    {'a.b': 1, 'tags': ('x', '2'), 'day': '2024-05-01', 'id': '18446744073709551616'}
    """
    kept: dict[str, MetaValue] = {}
    for key, value in fields.items():
        if type(key) is str and type(value) is str:  # most are, and this runs for every document and every hit
            kept[clean(key)] = clean(value)
        elif type(key) is str and type(value) in PLAIN:
            if (found := _to_meta_value(value)) is not None:
                kept[clean(key)] = found
        else:
            kept.update(_flatten_metadata_fields({key: value}, "", 0))
    return kept


def comparable(value: object) -> str | int | float | bool:
    """Return what a filter compares with: as a stored value, but numbers of any size, NaN and infinities stay.

    >>> comparable(date(2024, 5, 1)), comparable(Decimal("0.5")), comparable(2**64)
    ('2024-05-01', 0.5, 18446744073709551616)

    Raises:
        TypeError: it is no text, number, true/false or date.
    """
    found = _to_builtin_scalar(value)
    if found is None:
        message = f"A filter compares with text, numbers, true/false or dates, and {value!r} is none of these."
        raise TypeError(message)
    return found


def clean(text: str) -> str:
    r"""Return `text` with "\n" as its line end and without what no store can keep: NULs and lone surrogates.

    >>> clean("a\r\nb\rc\0\ud800d")
    'a\nb\ncd'
    """
    if text.isascii() and text.isprintable():
        return text
    text = normal(text)
    return text if is_storable(text) else SURROGATES.sub("", text)


def normal(text: str) -> str:
    """As `clean`, for text that a codec made: no codec makes lone surrogates."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\0", "") if "\0" in text else text


def is_storable(text: str) -> bool:
    """Say whether `text` can be written as UTF-8: it holds no lone surrogate."""
    try:
        return text.isascii() or bool(text.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def _flatten_metadata_fields(fields: Mapping[Any, object], prefix: str, depth: int) -> Iterator[tuple[str, MetaValue]]:
    for key, value in fields.items():
        name = f"{prefix}{clean(key if isinstance(key, str) else str(key))}"
        if type(value) not in PLAIN and isinstance(value, Mapping):
            inner = cast("Mapping[Any, object]", value)
            if depth < DEEPEST:
                yield from _flatten_metadata_fields(inner, f"{name}.", depth + 1)
            else:
                yield name, _json_text_or_str(inner)
        elif (kept := _to_meta_value(value)) is not None:
            yield name, kept


def _to_meta_value(value: object) -> MetaValue | None:
    """Return a value, which is no map, as it is kept; None where there is none."""
    if type(value) is bool:
        return value
    if type(value) is int:
        return value if SMALLEST <= value <= LARGEST else _digits(value)
    if type(value) is float:
        return value if isfinite(value) else None
    value = _to_builtin_value(value)
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | tuple | Set):
        items = cast("Iterable[object]", value)
        texts = [text for item in items if (text := _list_item_text(item)) is not None]
        return tuple(sorted(texts) if isinstance(value, Set) else texts)
    found = _to_builtin_scalar(value)
    if isinstance(found, float):
        return found if isfinite(found) else None
    if isinstance(found, int) and not isinstance(found, bool) and not SMALLEST <= found <= LARGEST:
        return _digits(found)
    return clean(str(value)) if found is None and value is not None else found


def _to_builtin_value(value: object) -> object:
    """Return Python's own value for an enum's member, a scalar or an array of numpy, and bytes."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, Enum):
        return _to_builtin_value(value.value)
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "replace")
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        if type(value).__name__ == "datetime64":  # of nanoseconds it would give a number
            return str(value)
        return cast("Any", value).tolist()
    return value


def _to_builtin_scalar(value: object) -> str | int | float | bool | None:
    """Return a text, a number or true/false, of Python's own types; None for what is none."""
    value = _to_builtin_value(value)
    match value:
        case bool():
            return value
        case str():
            return str(value)
        case int():
            return int(value)
        case float():
            return float(value)
        case datetime() | date() | time():
            return _isoformat_in_utc(value)
        case Decimal() | Fraction():
            return _to_builtin_number(value)
        case _:
            return None


def _isoformat_in_utc(value: date | time) -> str:
    if isinstance(value, datetime) and value.tzinfo is not None:
        try:
            return value.astimezone(UTC).isoformat()
        except OverflowError:  # in year 1 or 9999
            return value.isoformat()
    return value.isoformat()


def _to_builtin_number(value: Decimal | Fraction) -> int | float | str:
    if isinstance(value, Decimal) and (not value.is_finite() or abs(value.adjusted()) > 400):
        return float("nan") if value.is_nan() else str(value)
    if value == int(value):
        return int(value)
    near = float(value)
    return (
        near
        if value == (Decimal(near) if isinstance(value, Decimal) else Fraction(near))
        else _float_or_exact_text(value, near)
    )


def _float_or_exact_text(value: Decimal | Fraction, near: float) -> float | str:
    """Return the float that is written as the decimal is (0.1), else the text."""
    return near if isinstance(value, Decimal) and Decimal(repr(near)) == value else str(value)


def _list_item_text(item: object) -> str | None:
    """Write an element of a list; None where it is no value."""
    if type(item) is str:
        return clean(item)
    item = _to_builtin_value(item)
    if isinstance(item, Mapping | list | tuple | Set):
        return _json_text_or_str(cast("object", item))
    kept = _to_meta_value(item)
    return kept if isinstance(kept, str) or kept is None else _json_text_or_str(kept)


def _json_text_or_str(value: object) -> str:
    """Write a value as JSON where it can be, else as Python does."""
    try:
        return clean(json.dumps(value, ensure_ascii=False, default=str))
    except (TypeError, ValueError, RecursionError):
        return clean(_str_or_type_name(value))


def _str_or_type_name(value: object) -> str:
    try:
        return str(value)
    except (ValueError, RecursionError):
        return type(value).__name__


def _digits(number: int) -> str:
    """Write a whole number; one that Python does not write in digits (over 4,300 of them) in hexadecimal."""
    try:
        return str(number)
    except ValueError:
        return hex(number)

"""Types of what steps give and take: the type of a part, and whether one fits where another is wanted."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache, reduce
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from rove.flow.reference import Part

NOTHING = type(None)
Type = Any
"""A class, or what `typing` makes of classes; `Any` is not known, and fits everywhere."""


def without_nothing(kind: Type) -> Type:
    """Return a type without None: what is not there is not given.

    >>> without_nothing(int | None)
    <class 'int'>
    """
    if not _is_union(kind):
        return kind
    return one_of([one for one in get_args(kind) if one is not NOTHING])


def one_of(kinds: Sequence[Type]) -> Type:
    """Return the type of what has one of these types.

    >>> one_of([int, str])
    int | str
    """
    return reduce(lambda left, right: left | right, kinds)


def part_type(kind: Type, path: Sequence[Part]) -> Type:
    """Return the type of a part. See `rove.flow.reference.part_of`.

    Raises:
        LookupError: there is no such part; the arguments are its name, what was looked at, and what that has.
    """
    for place, part in enumerate(path):
        kind = without_nothing(kind)
        item = _sequence_item_type(kind)
        if kind in (Any, object):
            return Any
        origin = _origin_class(kind)
        if origin is not None and issubclass(origin, Mapping):
            kind = get_args(kind)[1] if get_args(kind) else Any
        elif item is not None:
            if isinstance(part, str):
                return tuple[part_type(item, path[place:]), ...]
            kind = item
        else:
            kind = _member(kind, part)
    return kind


def fits_type(given: Type, wanted: Type) -> bool:
    """Say whether what has one type can be given where another is wanted; None apart, see `without_nothing`.

    >>> fits_type(tuple[int, ...], Sequence[float]), fits_type(str, int), fits_type(bool, str | bool)
    (True, False, True)
    """
    given, wanted = without_nothing(given), without_nothing(wanted)
    if given in (Any, object) or wanted in (Any, object):
        return True
    if _is_union(given):
        return all(fits_type(one, wanted) for one in get_args(given))
    if _is_union(wanted):
        return any(fits_type(given, one) for one in get_args(wanted))
    if get_origin(wanted) is Literal:
        return given is str or (get_origin(given) is Literal and set(get_args(given)) <= set(get_args(wanted)))
    if get_origin(given) is Literal:
        return fits_type(type(get_args(given)[0]), wanted)
    inner, outer = _sequence_item_type(given), _sequence_item_type(wanted)
    if inner is not None and outer is not None:
        return fits_type(inner, outer)
    return _class_fits(_origin_class(given) or given, _origin_class(wanted) or wanted)


def type_name(kind: Type) -> str:
    """Return how a type is called in a message.

    >>> type_name(tuple[str, ...]), type_name(int | None)
    ('list of str', 'int')
    """
    kind = without_nothing(kind)
    if _is_union(kind):
        return " or ".join(type_name(one) for one in get_args(kind))
    if get_origin(kind) is Literal:
        return " or ".join(map(repr, get_args(kind)))
    item = _sequence_item_type(kind)
    if item is not None:
        return f"list of {type_name(item)}"
    return getattr(kind, "__name__", str(kind))


def item_type(kind: Type) -> Type | None:
    """Return the type of a list's elements, None where it is no list."""
    kind = without_nothing(kind)
    return Any if kind in (Any, object) else _sequence_item_type(kind)


@cache
def parts_of(kind: type) -> dict[str, Type]:
    """Return the fields and properties of a class by name."""
    found: dict[str, Type] = {}
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        found = {field.name: hints[field.name] for field in fields(kind)}
    mro: tuple[type, ...] = inspect.getmro(cast("type[object]", kind))
    for owner in reversed(mro):
        for name, value in vars(owner).items():
            if isinstance(value, property) and value.fget and not name.startswith("_"):
                found[name] = get_type_hints(value.fget).get("return", Any)
    return found


def _member(kind: Type, part: Part) -> Type:
    kinds: Iterable[Type] = get_args(kind) if _is_union(kind) else (kind,)
    known = {name: one for each in kinds if isinstance(each, type) for name, one in parts_of(each).items()}
    if part not in known:
        raise LookupError(str(part), type_name(kind), tuple(known))
    return known[str(part)]


def _sequence_item_type(kind: Type) -> Type | None:
    origin = _origin_class(kind)
    if origin is None or not issubclass(origin, Sequence) or issubclass(origin, str):
        return None
    inner = [one for one in get_args(kind) if one is not ...]
    return inner[0] if inner and all(one == inner[0] for one in inner) else Any


def _origin_class(kind: Type) -> type | None:
    origin: object = get_origin(kind) or kind
    return origin if isinstance(origin, type) else None


def _is_union(kind: Type) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def _class_fits(given: Type, wanted: Type) -> bool:
    if not (isinstance(given, type) and isinstance(wanted, type)):
        return True
    return issubclass(given, wanted) or (wanted is float and given is int)

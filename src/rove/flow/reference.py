"""References of a flow's file: "$step.field.0 | $other", the first of them that is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

Part = str | int
_REFERENCE = re.compile(r"\$([a-z][a-z0-9_]*)((?:\.(?:[a-z][a-z0-9_]*|\d+))*)")
ESCAPED = "$$"


@dataclass(frozen=True, slots=True)
class Reference:
    """What a step gave, or a part of it: a field by its name, an element by its number from 0."""

    root: str
    path: tuple[Part, ...] = ()

    def __str__(self) -> str:
        return "$" + ".".join(map(str, (self.root, *self.path)))


@dataclass(frozen=True, slots=True)
class Choice:
    """The first of several references that is there."""

    references: tuple[Reference, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.references))


ValueOf = Callable[[Reference], object]


def parsed(value: object) -> object:
    """Put a `Choice` in the place of each reference of a value, within lists and tables too; "$$…" is the text "$…".

    Raises:
        ValueError: a text begins with "$" and is no reference.

    >>> str(parsed("$found.hits.0 | $stored"))
    '$found.hits.0 | $stored'
    >>> parsed(["$$5", 3])
    ('$5', 3)
    """
    if isinstance(value, str):
        return _text_or_choice(value)
    if isinstance(value, Mapping):
        return {str(name): parsed(one) for name, one in cast("Mapping[object, object]", value).items()}
    if isinstance(value, Sequence):
        return tuple(parsed(one) for one in cast("Sequence[object]", value))
    return value


def choices(value: object) -> Iterator[Choice]:
    """Every `Choice` in a parsed value."""
    if isinstance(value, Choice):
        yield value
    elif isinstance(value, Mapping):
        for one in cast("Mapping[str, object]", value).values():
            yield from choices(one)
    elif isinstance(value, tuple):
        for one in cast("tuple[object, ...]", value):
            yield from choices(one)


def resolved(value: object, value_of: ValueOf) -> object:
    """Put what references stand for in their place; in a list, what is not there is left out."""
    if isinstance(value, Choice):
        return next((one for one in map(value_of, value.references) if one is not None), None)
    if isinstance(value, Mapping):
        return {name: resolved(one, value_of) for name, one in cast("Mapping[str, object]", value).items()}
    if isinstance(value, tuple):
        found = [resolved(one, value_of) for one in cast("tuple[object, ...]", value)]
        return tuple(one for one in found if one is not None)
    return value


def part_of(value: object, path: Sequence[Part]) -> object:
    """Return the part of a value at a path, None where there is none; a field of a list is that of each element."""
    for place, part in enumerate(path):
        if value is None:
            return None
        if isinstance(value, Mapping):
            value = cast("Mapping[object, object]", value).get(str(part))
        elif isinstance(value, Sequence) and not isinstance(value, str):
            items = cast("Sequence[object]", value)
            if isinstance(part, str):
                return tuple(part_of(one, path[place:]) for one in items)
            value = items[part] if part < len(items) else None
        else:
            value = getattr(value, str(part), None)
    return value


def _text_or_choice(value: str) -> object:
    if value.startswith(ESCAPED):
        return value[1:]
    if not value.startswith("$"):
        return value
    found = [_REFERENCE.fullmatch(one.strip()) for one in value.split("|")]
    if not all(found):
        message = f"{value!r} is not a reference"
        raise ValueError(message)
    return Choice(tuple(_reference_from_text(match[1], match[2]) for match in found if match))


def _reference_from_text(root: str, rest: str) -> Reference:
    return Reference(root, tuple(int(part) if part.isdigit() else part for part in rest.split(".")[1:]))

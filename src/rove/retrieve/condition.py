"""Filters as a person writes them, on a command line or in a grid: "year>=2020", "topic=hr", "draft!=true", "tag"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isfinite

from rove.errors import InputError
from rove.records import Filter, field
from rove.records.filter import All, Scalar

CONDITION = re.compile(r"\s*([^\s=!<>]+)\s*(==|=|!=|>=|<=|>|<)\s*(.*?)\s*", re.S)


def parse_where(conditions: Sequence[str]) -> Filter | None:
    """Read conditions, which must all hold; None where there are none. "tag" alone: the field is there.

    >>> parse_where(("year>=2020",))
    All(parts=(Compare(name='year', op='>=', value=2020),))
    """
    return All(tuple(_condition(text) for text in conditions)) if conditions else None


def _condition(text: str) -> Filter:
    found = CONDITION.fullmatch(text)
    if not found:
        if re.fullmatch(r"[^\s=!<>]+", text):
            return field(text).exists()
        message = f"{text!r} is not a condition."
        raise InputError(message, cure="Write NAME=VALUE, NAME!=VALUE, NAME>=VALUE … or NAME.")
    name, op, value = found[1], found[2], _scalar(found[3])
    named = field(name)
    made: dict[str, Callable[[], Filter]] = {
        "=": lambda: named == value,
        "==": lambda: named == value,
        "!=": lambda: named != value,
        ">": lambda: named > value,
        ">=": lambda: named >= value,
        "<": lambda: named < value,
        "<=": lambda: named <= value,
    }
    return made[op]()


def _scalar(text: str) -> Scalar:
    if text in {"true", "false"}:
        return text == "true"
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    for number in (int, float):
        try:
            found = number(text)
        except ValueError:
            continue
        return found if number is int or isfinite(found) else text
    return text

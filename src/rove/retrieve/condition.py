"""Filters as a person writes them, on a command line or in a grid: "year>=2020", "topic=hr", "draft!=true", "tag"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isfinite

from rove.errors import InputError, check_question_length
from rove.language.dictionary import Dictionary
from rove.records import Filter, field
from rove.records.filter import AccessFilter, All, Any, Compare, Not, Scalar

CONDITION = re.compile(r"([^\s=!<>]++)\s*+(==|=|!=|>=|<=|>|<)\s*+(.*)", re.S)


def parse_where(conditions: Sequence[str]) -> Filter | None:
    """Read conditions, which must all hold; None where there are none. "tag" alone: the field is there.

    >>> parse_where(("year>=2020",))
    All(parts=(Compare(name='year', op='>=', value=2020),))
    """
    return All(tuple(_condition(text) for text in conditions)) if conditions else None


def widened(where: Filter | None, words: Dictionary) -> Filter | None:
    """Return a filter that takes each word of the user's dictionary for all that stand for it, where it is a value.

    What an access filter names is a label and no word.

    >>> widened(field("team") == "HR", Dictionary({"Human Resources": ("HR",)}))
    Compare(name='team', op='in', value=('HR', 'Human Resources'))
    """
    match where:
        case AccessFilter():
            return where
        case Not(part):
            return Not(widened(part, words) or part)
        case All(parts):
            return All(tuple(widened(part, words) or part for part in parts))
        case Any(parts):
            return Any(tuple(widened(part, words) or part for part in parts))
        case Compare(name, "==" | "in", value):
            given = value if isinstance(value, tuple) else (value,)
            others = [one for word in given if isinstance(word, str) for one in words.names_of(word)]
            every = tuple(dict.fromkeys([*given, *others]))
            return Compare(name, "in", every) if len(every) > len(dict.fromkeys(given)) else where
        case _:
            return where


def _condition(text: str) -> Filter:
    check_question_length(text, "condition")
    found = CONDITION.fullmatch(text.strip())
    if not found:
        if re.fullmatch(r"[^\s=!<>]+", text):
            return field(text).exists()
        message = f"{text!r} is not a condition."
        raise InputError(message, cure="Write NAME=VALUE, NAME!=VALUE, NAME>=VALUE … or NAME.")
    name, op, value = found[1], found[2], _parse_condition_value(found[3])
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


def _parse_condition_value(text: str) -> Scalar:
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

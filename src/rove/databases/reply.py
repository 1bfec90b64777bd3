"""What is said of a result: a sentence in the question's language, whose numbers and texts are of the result alone."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import regex

from rove.databases.targets import Result
from rove.language.detect import detect
from rove.load.data.database_schema import cell_text

SHOWN_ROWS = 5
"""Rows whose first value the sentence names."""
_COUNT = regex.compile(r"(?i)\Acount(?:_star)?\s*\((?:\*|)\)\Z")


def rows_as_text(result: Result) -> tuple[tuple[str, ...], ...]:
    """The rows as people read them: NULL is "", a whole number has no ".0".

    >>> rows_as_text(Result(("a",), ((2.0,), (None,), (1.25,))))
    (('2',), ('',), ('1.25',))
    """
    return tuple(tuple(_result_value_text(value) for value in row) for row in result.rows)


def sentence(result: Result, language: str, table: str) -> str:
    """Say what came out.

    >>> sentence(Result(("COUNT(*)",), ((4,),)), "en", "singer"), sentence(Result(("name",), ()), "de", "singer")
    ('number: 4.', 'In singer passt nichts.')
    """
    rows = rows_as_text(result)
    if not rows or (len(rows) == 1 and not any(rows[0])):
        return phrase("nothing", language, table=table)
    if len(rows) == 1:
        named = [(heading(name, language), value) for name, value in zip(result.columns, rows[0], strict=True) if value]
        return phrase("one", language, value="; ".join(f"{name}: {value}" for name, value in named))
    shown = [", ".join(filter(None, row[:2])) for row in rows[:SHOWN_ROWS]]
    more = " …" if len(rows) > SHOWN_ROWS or result.cut else ""
    count = phrase("at_least", language, count=str(len(rows))) if result.cut else str(len(rows))
    return phrase("many", language, count=count, value="; ".join(shown) + more)


def asker_language(question: str, language: str) -> str:
    """Return the question's language, if results are told in it; else the one that it was read in.

    >>> asker_language("Hoeveel klanten hebben we in Utrecht?", "en"), asker_language("Umsatz 2024", "de")
    ('nl', 'de')
    """
    found = detect(question)
    return found if found in _load_reply_templates()["refused"] else language


def phrase(name: str, language: str, **slots: str) -> str:
    """Return a phrase in a language, in English where it is not known."""
    known = _load_reply_templates()[name]
    template = known.get(language, known["en"])
    return regex.sub(r"\{(\w+)\}", lambda slot: slots.get(slot[1], slot[0]), template)


def heading(name: str, language: str) -> str:
    """What a column of a result is called: a count by its word."""
    return phrase("count", language) if _COUNT.match(name) else name.replace('"', "")


def headings(columns: Sequence[str], language: str) -> tuple[str, ...]:
    """See `heading`."""
    return tuple(heading(name, language) for name in columns)


def _result_value_text(value: object) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, float):
        return f"{value:.10g}"
    return cell_text(value)


@cache
def _load_reply_templates() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8"))

"""Digits that name something and count nothing: part numbers, versions, telephone numbers, "§ 12", file names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import regex

from rove.language.quantities.dates import any_of, date_words
from rove.language.quantities.digits import lower
from rove.language.quantities.spelled import magnitudes
from rove.language.quantities.units import CURRENCY, unit_at, units_named
from rove.records.document import Span

LONGEST = 80
"""Characters of a label; a longer run of letters and digits is none, or one that nobody reads."""
_TOKEN = regex.compile(r"(?V1)(?:[\p{L}--[\p{Han}\p{Hiragana}\p{Katakana}]]|[\d_.@%+/#:-])++")
_ENDING = "pdf|docx?|xlsx?|csv|txt|zip|gz|tar|json|xml|html?|md|png|jpe?g|log|sql|parquet|py|toml|ya?ml|mp[34]"
_FILE = rf"[\w.-]*\d[\w.-]*\.(?:{_ENDING})"
_SHAPES = regex.compile(
    rf"""
      [\w.%+-]+@[\w.-]+                                   # a mail address
    | (?:https?://|www\.).+
    | {_FILE}
    | \p{{L}}*(?:_[\p{{L}}\d-]*)+                         # report_2024, x_12
    | [vV]?\d+(?:\.\d+){{2,}}(?:-?[a-z]+\d*)?             # 2.1.3 and 192.168.0.1, unless thousands are grouped
    | [vV]\d+(?:\.\d+)*
    | \d+(?:-\d+){{2,}}                                   # 978-3-16-148410-0
    | (?:\p{{L}}+-)+\d[\p{{L}}\d]*(?:[-/.][\p{{L}}\d]+)*  # AX-200, COVID-19
    | \p{{L}}+\d[\p{{L}}\d]*(?:[-/.][\p{{L}}\d]+)*        # mp3, A4, B2C
    | \d+(?:[-/]\p{{L}}+\d+)+                             # 12-A4
    | \#\d+(?:[.-]\d+)*
    """,
    regex.VERBOSE,
)
_PHONE = regex.compile(
    r"\+\d{1,3}(?:[ \u00a0./-]?\(?\d{1,4}\)?){2,6}(?!\d)"
    r"|(?<![\w.,])(?<!\d[ \u00a0-])\(?0\d{1,5}\)?[ \u00a0/-]\d{2,4}(?:[ \u00a0/-]?\d{2,4}){0,3}(?![\w.,]\d)"
)
_GROUPED = regex.compile(r"\d{1,3}(?:\.\d{3}){2,}")
_HEADED = regex.compile(r"(?m)^[ \t#*]*(\d{1,2}(?:\.\d{1,2}){1,3})\.?[ \u00a0]+(?=\p{Lu}[\p{L} ]*\p{Ll})")
_WORD = regex.compile(r"\p{L}+")
_ORDERED = regex.compile(r"第\s?(\d+|[〇零一二三四五六七八九十百千]+)")


def label_spans(text: str, language: str) -> Iterator[Span]:
    """Yield where labels stand in a text as `fold` returns it."""
    for found in _TOKEN.finditer(text):
        shown = found[0].rstrip(".-/:%")
        if len(shown) <= LONGEST and _is_label(shown):
            yield found.start(), found.start() + len(shown)
    for found in _PHONE.finditer(text):
        yield found.span()
    for found in _HEADED.finditer(text):
        word = _WORD.match(text, found.end())
        if not (word and lower(word[0]) in magnitudes(language)) and not unit_at(text, found.end(), language):
            yield found.span(1)
    for found in _label_word_first_pattern().finditer(text):
        yield found.span(1)
    for found in _label_word_last_pattern().finditer(text):
        yield found.span(1)
    for found in _telephone().finditer(text):
        yield found.span(1)


def _is_label(token: str) -> bool:
    if token.isalpha() or not any(map(str.isdigit, token)) or not _SHAPES.fullmatch(token):
        return False
    letters = token.rstrip("0123456789.")
    is_money = letters.isalpha() and bool(units_named(letters)) and units_named(letters)[0].kind.startswith(CURRENCY)
    return not (is_money or _GROUPED.fullmatch(token) or units_named(token))


def ordinal_spans(text: str) -> Iterator[Span]:
    """Yield where 第3 and its like stand: the number alone."""
    for found in _ORDERED.finditer(text):
        yield found.span(1)


@cache
def _label_word_first_pattern() -> regex.Pattern[str]:
    words = any_of(date_words()["numbered"]["words"].split())
    return regex.compile(
        rf"(?i)(?<!\w)(?:{words})\.?[ \u00a0]?"
        r"(\d{1,9}(?:[.-]\d{1,9}){0,8}+(?:[ \u00a0]?\(\d{1,4}\))?(?:[a-z](?!\w))?)"
        r"(?![\d]|[.,]\d|[ \u00a0]?%)"
    )


@cache
def _label_word_last_pattern() -> regex.Pattern[str]:
    words = any_of(date_words()["numbered"]["behind"].split())
    return regex.compile(rf"(?i)(?<![\d.,])(\d{{1,9}}(?:\.\d{{1,9}}){{0,8}}+)\.?[ \u00a0](?:{words})(?!\w)")


@cache
def _telephone() -> regex.Pattern[str]:
    words = any_of(date_words()["numbered"]["phone"].split())
    return regex.compile(rf"(?i)(?<!\w)(?:{words})\.?:?[ \u00a0]?(\+?\(?\d[\d \u00a0()/-]{{4,30}}\d)")

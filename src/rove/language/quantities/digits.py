"""Digits as places write them: grouping and decimal marks by language, and the digits of other scripts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import regex

COMMA_DECIMAL = frozenset(
    [
        "az",
        "bg",
        "ca",
        "cs",
        "da",
        "de",
        "el",
        "es",
        "et",
        "eu",
        "fi",
        "fr",
        "gl",
        "hr",
        "hu",
        "hy",
        "id",
        "is",
        "it",
        "ka",
        "kk",
        "lt",
        "lv",
        "mk",
        "nb",
        "nl",
        "nn",
        "no",
        "pl",
        "pt",
        "ro",
        "ru",
        "sk",
        "sl",
        "sq",
        "sr",
        "sv",
        "tr",
        "uk",
        "vi",
    ]
)
"""Languages that write 1,5 for one and a half, by CLDR."""
POINT_DECIMAL = frozenset(
    [
        "en",
        "zh",
        "ja",
        "ko",
        "th",
        "he",
        "hi",
        "bn",
        "ur",
        "ta",
        "te",
        "ml",
        "mr",
        "gu",
        "pa",
        "ne",
        "si",
        "my",
        "km",
        "lo",
        "ms",
        "tl",
        "sw",
        "cy",
        "ga",
        "mt",
    ]
)
LONGEST = 40
"""Digits of a number; what has more, as π written out, counts nothing."""
EXACT = 12
"""Significant digits of a product: what a float holds without showing its rounding."""
HARD_SPACE = "\u00a0"

_GROUPED = r"\d{1,3}(?P<mark>[.,'’٬ \u00a0])\d{3}(?:(?P=mark)\d{3}){0,12}(?:(?!(?P=mark))[.,]\d+)?(?!\d)"
_INDIAN = r"\d{1,2}(?:,\d{2}){1,8},\d{3}(?:\.\d+)?(?!\d)"
NUMBER = rf"(?:{_GROUPED}|{_INDIAN}|\d+(?:[.,]\d+)?|(?<![\w.,])\.\d+)"
"""A number in digits, of a text as `fold` returns it. Its group is named "mark"."""
_SPACES = regex.compile(r"['’٬\s]")
_ONE_MARK = regex.compile(r"(\d{1,3})([.,])(\d{3})")
_THREES = regex.compile(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3}){1,12}+|\d{1,2}(?:(,)\d{2}){1,12},\d{3}")
_POINT_SHOWN = regex.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+\.\d+(?![\d.,]*\d)|(?<![\d.,])\d{1,3}(?:,\d{3}){2,}(?!\d)")
_COMMA_SHOWN = regex.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+,\d+(?![\d.,]*\d)|(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?!\d)")
_POINT_LIKELY = regex.compile(r"(?<![\d.,])\d+\.(?:\d{1,2}|\d{4,})(?![\d.,]*\d)")
_COMMA_LIKELY = regex.compile(r"(?<![\d.,])\d+,(?:\d{1,2}|\d{4,})(?![\d.,]*\d)")
_FOREIGN = regex.compile(r"[^\P{Nd}0-9]|[\uff01-\uff5e\u2007-\u200a\u202f\u3000]")
UNKNOWN_DIGIT = "\ufffd"
"""Stands for a digit that Unicode has got since this Python was made; `regex` may know it already."""
_LIKE_SPACE = frozenset("\u2007\u2008\u2009\u200a\u202f")


def fold(text: str) -> str:
    """Return a text of the same length, its digits and the full-width characters as ASCII, hard spaces as one.

    >>> fold("１，２３４円 ٣٤٥"), len(fold("１，２３４円"))
    ('1,234円 345', 6)
    """
    return text if text.isascii() else _FOREIGN.sub(lambda found: _normalize_foreign_letter(found[0]), text)


def lower(text: str) -> str:
    """Return a text of the same length in lower case."""
    made = text.lower()
    return made if len(made) == len(text) else "".join(one.lower() if len(one.lower()) == 1 else one for one in text)


def decimal_mark(language: str) -> str:
    """Return the mark before the fraction in a language; "" where it is not known."""
    return "," if language in COMMA_DECIMAL else "." if language in POINT_DECIMAL else ""


def decimal_mark_in(texts: Iterable[str], language: str = "", *, is_column: bool = False) -> str:
    """Return the decimal mark that texts show; else that of the language.

    `is_column`: they are the cells of a column, where "12.5" in one says how "3.125" in another is meant.

    >>> decimal_mark_in(["1.250,00", "1,234"], "en"), decimal_mark_in(["1,234"], "de"), decimal_mark_in(["1,234"])
    (',', ',', '')
    """
    point = comma = likely_point = likely_comma = 0
    for text in texts:
        if "." not in text and "," not in text:
            continue
        point, comma = point + len(_POINT_SHOWN.findall(text)), comma + len(_COMMA_SHOWN.findall(text))
        if is_column or not language:
            likely_point += len(_POINT_LIKELY.findall(text))
            likely_comma += len(_COMMA_LIKELY.findall(text))
    if point != comma:
        return "." if point > comma else ","
    if bool(likely_point) != bool(likely_comma):
        return "." if likely_point else ","
    return decimal_mark(language)


def digit_values(written: str, mark: str) -> tuple[float, ...]:
    """Return what digits stand for, without a sign; two values where both are possible, grouped first.

    `mark`: the decimal mark, "" where it is not known.

    >>> digit_values("1,234", "."), digit_values("1,234", ","), digit_values("1,234", "")
    ((1234.0,), (1.234,), (1234.0, 1.234))
    >>> digit_values("1'234.50", ","), digit_values("12 000", ","), digit_values("0.125", ",")
    ((1234.5,), (12000.0,), (0.125,))
    """
    bare = _SPACES.sub("", written)
    whole = bare.replace(".", "").replace(",", "")
    if whole == bare:
        return (float(bare),)
    last = "." if bare.rfind(".") > bare.rfind(",") else ","
    if ("." in bare and "," in bare) or bare != written:
        head, _, tail = bare.rpartition(last)
        return (float(f"{head.replace('.', '').replace(',', '') or '0'}.{tail}"),)
    if _THREES.fullmatch(bare):
        return (float(whole),)
    single = _ONE_MARK.fullmatch(bare)
    decimal = float(bare.replace(",", ".")) if bare.count(last) == 1 else float(whole)
    if single is None or single[1].startswith("0") or mark == last:
        return (decimal,)
    return (float(whole),) if mark else (float(whole), decimal)


def exact(value: float) -> float:
    """Return a product without the rounding that a float shows: 1.1 × 10,000 is 11,000."""
    return float(f"{value:.{EXACT}g}") if abs(value) < 10**EXACT else value


def _normalize_foreign_letter(letter: str) -> str:
    if letter in _LIKE_SPACE:
        return HARD_SPACE
    if letter == "\u3000":
        return " "
    if "\uff01" <= letter <= "\uff5e":
        return chr(ord(letter) - 0xFEE0)
    return str(unicodedata.decimal(letter, UNKNOWN_DIGIT))

"""Number formats of spreadsheets (ECMA-376 §18.8.31): a cell's number as a person sees it.

Dates are the exception: the parts that the format shows, in the order of ISO 8601, since 03/04 is April in one country
and March in the next.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from math import isfinite

# Ids of the formats that a file need not spell out (§18.8.30); those that are missing are "General".
BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 14: "yyyy-mm-dd",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm", 19: "h:mm:ss", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", 37: "#,##0;-#,##0", 38: "#,##0;-#,##0", 39: "#,##0.00;-#,##0.00", 40: "#,##0.00;-#,##0.00",
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss", 48: "0.0E+0",
}  # fmt: skip
EPOCH, EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)  # noqa: DTZ001 - a sheet knows no time zone
MAX_DAYS = 2_958_466  # 9999-12-31
LONGEST_CODE = 500
MAX_DECIMALS = 9
LARGEST = 1e15  # more digits than a spreadsheet keeps
LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)(?:-[^\]]*)?\]|(_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\])', re.I)
SECTION_END = re.compile(r';(?=(?:[^"]*"[^"]*")*[^"]*$)')
CONDITION = re.compile(r"\[(<=|>=|<>|=|<|>)(-?[\d.]+)\]")
DATE_PART = re.compile(r"\[(?:h+|m+|s+)\]|am/pm|a/p|y+|m+|d+|h+|s+|e+(?![+-])", re.IGNORECASE)
MINUTES = re.compile(r"h+[^dy]*?m+|m+[^dmy]*?s", re.IGNORECASE)
DIGITS = re.compile(r"[0#?][0#?,]*(?:\.([0#?]*))?,*(?:[eE][+-]0+)?")
COMPARE = {
    "<": float.__lt__, "<=": float.__le__, ">": float.__gt__, ">=": float.__ge__, "=": float.__eq__, "<>": float.__ne__,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FormatSection:
    """One part of a code, for one range of numbers: literals around a pattern of digits, or the parts of a date."""

    before: str = ""
    after: str = ""
    places: int = 0
    decimals: int = -1
    grouped: bool = False
    percent: int = 0
    thousands: int = 0
    exponent: bool = False
    date: str = ""
    condition: str = ""
    limit: float = 0.0


def format_value(value: float, code: str, *, epoch_1904: bool = False) -> str:
    """Return `value` as `code` shows it; dates are days since the workbook's epoch.

    >>> format_value(0.256, "0.0%"), format_value(-1234.5, '#,##0.00 "Ft"')
    ('25.6%', '-1,234.50 Ft')
    >>> format_value(45382, "dd.mm.yyyy"), format_value(3.0, "General")
    ('2024-03-31', '3')
    """
    if not code or not abs(value) < LARGEST:
        return general(value) if isfinite(value) else str(value)
    sections = _parse_format_sections(code[:LONGEST_CODE])
    section = _choose(sections, value)
    if section.date:
        return _format_cell_date(value, section.date, EPOCH_1904 if epoch_1904 else EPOCH) or general(value)
    if section.decimals < 0:
        # a section without digits is a literal; a code without a section is "General"
        return f"{section.before}{section.after}" if section.before.strip() else general(value)
    signed = value < 0 and section is sections[0]
    return ("-" if signed else "") + _format_cell_number(abs(value), section)


def general(value: float) -> str:
    """Return a number without a format: whole ones in full, others by 10 significant digits.

    >>> general(4012345678901.0), general(0.1 + 0.2), general(1e20)
    ('4012345678901', '0.3', '1e+20')
    """
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.10g}"


@lru_cache(maxsize=1024)
def iso_layout(code: str) -> str:
    """Return how `datetime.strftime` writes the parts that a date code shows, in the order of ISO 8601.

    >>> iso_layout("d.m.yyyy hh:mm"), iso_layout("mmm-yy"), iso_layout("mm:ss")
    ('%Y-%m-%d %H:%M', '%Y-%m', '%H:%M:%S')
    """
    code = MINUTES.sub(lambda found: found[0].lower().replace("m", "n"), code)  # "m" is a month from here on
    parts = {part[0].lower() for part in DATE_PART.findall(code)}
    day = "%Y-%m-%d" if "d" in parts else "%Y-%m" if "m" in parts else "%Y" if parts & {"y", "e"} else ""
    clock = "%H:%M:%S" if "s" in parts else "%H:%M" if "h" in parts else ""
    return f"{day} {clock}".strip()


@lru_cache(maxsize=1024)
def _parse_format_sections(code: str) -> tuple[FormatSection, ...]:
    return (*map(_parse_format_section, SECTION_END.split(code)[:4]),)


def _parse_format_section(code: str) -> FormatSection:
    found = CONDITION.search(code)
    condition, limit = (found[1], _as_float(found[2])) if found else ("", 0.0)
    bare = LITERAL.sub("", code)
    if bare.strip().lower() in {"", "general", "@", "standard"}:
        return FormatSection(before=_literals(code) if not bare.strip() else "", condition=condition, limit=limit)
    if not DIGITS.search(bare) and DATE_PART.search(bare) or re.search(r"[yd]|h+:|:s", bare, re.IGNORECASE):
        return FormatSection(date=bare, condition=condition, limit=limit)
    marked = LITERAL.sub(lambda m: "".join(map(_private, m[1] or m[2] or m[3] or "")), code)
    digits = DIGITS.search(marked)
    if digits is None or "/" in bare or DIGITS.search(marked, digits.end()):  # a fraction, a telephone number
        return FormatSection(condition=condition, limit=limit)
    whole = digits[0].partition(".")[0]
    return FormatSection(
        before=_restore_literal_chars(marked[: digits.start()]),
        after=_restore_literal_chars(marked[digits.end() :]),
        places=len(whole.replace("#", "").replace("?", "").rstrip(",").replace(",", "")),
        decimals=min(len(digits[1] or ""), MAX_DECIMALS),
        grouped="," in whole.rstrip(","),
        percent=marked.count("%"),
        thousands=len(digits[0]) - len(digits[0].rstrip(",")),
        exponent="e" in digits[0].lower(),
        condition=condition,
        limit=limit,
    )


def _choose(sections: tuple[FormatSection, ...], value: float) -> FormatSection:
    first = sections[0]
    if len(sections) == 1 and not first.condition:
        return first
    if conditioned := [s for s in sections if s.condition]:
        return next((s for s in conditioned if COMPARE[s.condition](float(value), s.limit)), sections[-1])
    if value < 0 and len(sections) > 1:
        return sections[1]
    return sections[2] if value == 0 and len(sections) > 2 else first


def _format_cell_number(value: float, section: FormatSection) -> str:
    exact = Decimal(repr(value)).scaleb(2 * min(section.percent, 2) - 3 * min(section.thousands, 4))
    if section.exponent:
        digits = f"{exact:.{section.decimals}E}"
    else:  # halves go up, as in every spreadsheet; Python's own rounding takes them to the even digit
        digits = (
            f"{exact.quantize(Decimal((0, (1,), -section.decimals)), ROUND_HALF_UP):{',' if section.grouped else ''}f}"
        )
    missing = 0 if section.grouped else section.places - len(digits.partition(".")[0])
    return f"{section.before}{'0' * missing}{digits}{section.after}".strip()


def _format_cell_date(value: float, code: str, epoch: datetime) -> str:
    if not 0 <= value < MAX_DAYS:
        return ""
    if "[" in code:  # elapsed time
        seconds = round(value * 86_400)
        return f"{seconds // 3600}:{seconds // 60 % 60:02}" + (f":{seconds % 60:02}" if "s" in code.lower() else "")
    return (epoch + timedelta(seconds=round(value * 86_400))).strftime(iso_layout(code))


def _literals(code: str) -> str:
    return "".join(m[1] or m[2] or m[3] or "" for m in LITERAL.finditer(code))


def _private(char: str) -> str:
    """A literal's digits and marks are hidden from the search for the number's pattern."""
    return chr(0xF000 + ord(char)) if ord(char) < 128 else char


def _restore_literal_chars(text: str) -> str:
    return "".join(chr(ord(c) - 0xF000) if 0xF000 <= ord(c) < 0xF080 else c for c in text)


def _as_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0

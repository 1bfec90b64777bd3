"""Numbers in Chinese characters, alone or with digits, as Chinese and Japanese write them."""

from __future__ import annotations

import regex

from rove.language.quantities.digits import digit_values, exact

DIGITS = {
    character: value
    for value, row in enumerate(("〇零", "一壱", "二两兩弐", "三参", "四", "五", "六", "七", "八", "九"))
    for character in row
}
UNITS = {"十": 10, "百": 100, "千": 1_000}
LARGE = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
NUMERALS = "".join((*DIGITS, *UNITS, *LARGE))
"""Every character of such a number: safe inside the brackets of a regular expression."""
LONGEST = 24
"""Characters of a number; what is longer, as the digits of π, is none, and Python would not write it."""
_NUMERAL = f"(?!兆[字瓦赫欧])[{NUMERALS}]"  # 兆 is a million before these
MIXED = regex.compile(
    rf"(?:(?<![\d,])\d[\d,]{{0,39}}+(?:\.\d{{1,20}})?\s?(?={_NUMERAL})|{_NUMERAL})(?:\d[\d,]*+(?:\.\d+)?|{_NUMERAL})*"
)
"""Where a number of digits and numerals may stand."""
_PARTS = regex.compile(rf"\d[\d,]*(?:\.\d+)?|[{NUMERALS}]")


def han_number(text: str) -> int:
    """Read a number of one or more `NUMERALS`, by units or digit by digit; of more than `LONGEST`, the first ones.

    >>> han_number("一万二千零三"), han_number("十五"), han_number("二〇二四")
    (12003, 15, 2024)
    >>> han_number("三亿二千万"), han_number("一万二千億")
    (320000000, 1200000000000)
    """
    return int(mixed_number(text[:LONGEST]))


def mixed_number(text: str) -> float:
    """Read a number of digits and numerals.

    >>> mixed_number("2億5000万"), mixed_number("1.5亿"), mixed_number("3百万"), mixed_number("三百五十万")
    (250000000.0, 150000000.0, 3000000.0, 3500000.0)
    """
    parts = _PARTS.findall(text)
    if not any(part in UNITS or part in LARGE for part in parts):
        return float("".join(str(DIGITS.get(part, part)) for part in parts).replace(",", ""))
    total = section = digit = 0.0
    for part in parts:
        if part in UNITS:
            section, digit = section + (digit or 1) * UNITS[part], 0.0
        elif part in LARGE:
            size = LARGE[part]
            joined = total + section + digit if total < size else section + digit
            total = (joined or 1) * size + (0 if total < size else total)
            section = digit = 0.0
        else:
            digit = float(DIGITS[part]) if part in DIGITS else digit_values(part, ".")[0]
    return exact(total + section + digit)

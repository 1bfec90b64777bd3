"""Numbers in Chinese characters, as Chinese and Japanese write them."""

from __future__ import annotations

DIGITS = {
    character: value
    for value, row in enumerate(("〇零", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九"))
    for character in row
}
UNITS = {"十": 10, "百": 100, "千": 1_000}
LARGE = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
NUMERALS = "".join((*DIGITS, *UNITS, *LARGE))
"""Every character of such a number: safe inside the brackets of a regular expression."""
LONGEST = 24
"""Characters of a number; what is longer, as the digits of π, is none, and Python would not write it."""


def han_number(text: str) -> int:
    """Read a number of one or more `NUMERALS`, by units or digit by digit; of more than `LONGEST`, the first ones.

    >>> han_number("一万二千零三"), han_number("十五"), han_number("二〇二四")
    (12003, 15, 2024)
    >>> han_number("三亿二千万"), han_number("一万二千億")
    (320000000, 1200000000000)
    """
    text = text[:LONGEST]
    if not any(character in UNITS or character in LARGE for character in text):
        return int("".join(str(DIGITS[character]) for character in text))
    total = section = digit = 0
    for character in text:
        if character in DIGITS:
            digit = DIGITS[character]
            continue
        if character in UNITS:
            section += (digit or 1) * UNITS[character]
        elif total < LARGE[character]:
            total, section = (total + section + digit or 1) * LARGE[character], 0
        else:
            total, section = total + (section + digit or 1) * LARGE[character], 0
        digit = 0
    return total + section + digit

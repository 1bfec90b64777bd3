"""Numbers as lists and headings print them: digits, letters, Roman, Chinese and Japanese."""

from __future__ import annotations

DIGITS = "〇一二三四五六七八九"
STEMS = "甲乙丙丁戊己庚辛壬癸"
ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
         (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
COUNTING = {
    "chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCounting",
    "taiwaneseCountingThousand", "koreanCounting", "ideographDigital", "japaneseDigitalTenThousand",
}  # fmt: skip


def format_numeral(number: int, kind: str) -> str:
    """Return a number as Word writes it in that format.

    >>> kinds = "decimal", "upperRoman", "lowerLetter", "chineseCounting", "decimalZero"
    >>> [format_numeral(14, kind) for kind in kinds]
    ['14', 'XIV', 'n', '十四', '14']
    """
    lower = kind[:5].replace("upper", "lower") + kind[5:]
    if lower == "lowerLetter" and 0 < number <= 26 * 5:  # after z comes aa, then bb
        text = chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)
    elif lower == "lowerRoman" and 0 < number < 4000:
        text = _roman(number)
    elif kind in COUNTING and 0 < number < 100:
        text = _to_han_numeral(number)
    elif kind == "decimalEnclosedCircle" and 0 < number <= 20:
        text = chr(0x245F + number)
    elif kind in ("ideographTraditional", "ideographZodiac") and 0 < number <= len(STEMS):
        text = STEMS[number - 1]
    else:
        text = f"{number:02}" if kind == "decimalZero" else str(number)
    return text.upper() if kind.startswith("upper") else text


def _roman(number: int) -> str:
    out = ""
    for size, letters in ROMAN:
        out += letters * (number // size)
        number %= size
    return out


def _to_han_numeral(number: int) -> str:
    tens, ones = divmod(number, 10)
    head = "" if tens == 0 else "十" if tens == 1 else f"{DIGITS[tens]}十"
    return head + (DIGITS[ones] if ones else "")

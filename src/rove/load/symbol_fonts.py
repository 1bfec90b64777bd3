"""Signs of the fonts Symbol and Wingdings: which character stands for each of their codes.

Source: the encodings that Adobe and Unicode publish for Symbol (`VENDORS/ADOBE/symbol.txt`), Unicode's names for the
signs of Wingdings. Word writes them as U+F020 to U+F0FF, as `w:sym`, or as plain letters that are set in the font.
"""

from __future__ import annotations

import re

PRIVATE_START = 0xF000
PRIVATE = re.compile("[\uf020-\uf0ff]")
_LOW = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"  # noqa: RUF001
_HIGH = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"  # noqa: RUF001
_END = "⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
SYMBOL = {
    **{0x20 + at: sign for at, sign in enumerate(_LOW)},
    **{0xA0 + at: sign for at, sign in enumerate(_HIGH)},
    **{0xF1 + at: sign for at, sign in enumerate(_END)},
}
_DIGITS = {0x80 + at: sign for at, sign in enumerate("⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿")}
WINGDINGS = {
    **_DIGITS,
    **dict(zip(range(0xDF, 0xE7), "←→↑↓↖↗↙↘", strict=True)),
    **dict(zip(range(0xEF, 0xF3), "⇦⇨⇧⇩", strict=True)),
    0x22: "✂", 0x28: "☎", 0x29: "✆", 0x2A: "✉", 0x46: "☞", 0x4A: "☺", 0x4C: "☹", 0x4E: "☠", 0x6C: "●", 0x6E: "■",
    0x6F: "☐", 0x71: "❑", 0x72: "❒", 0x76: "❖", 0x9F: "•", 0xA7: "▪", 0xA8: "☐", 0xAB: "★", 0xD8: "➢", 0xE8: "➔",
    0xFB: "☒", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
WINGDINGS_2 = {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0xA3: "☐"}
WINGDINGS_3 = {0x66: "←", 0x67: "→", 0x68: "↑", 0x69: "↓", 0x70: "▲", 0x71: "▼", 0x74: "◀", 0x75: "▶"}
FONTS = {"symbol": SYMBOL, "wingdings": WINGDINGS, "wingdings 2": WINGDINGS_2, "wingdings 3": WINGDINGS_3}
# What a code means where no font is named: a sign of Symbol, but for those that are ticks and boxes far more often.
UNNAMED = {**SYMBOL, **{code: WINGDINGS[code] for code in (0x6F, 0xA7, 0xA8, 0xE0, 0xFB, 0xFC, 0xFD, 0xFE)}}


def is_symbol_font(font: str) -> bool:
    """Say whether the letters of a font of this name are signs."""
    return _font_lookup_key(font) in FONTS


def symbol(code: int, font: str = "") -> str:
    """Return the character for a code of a font of signs; "" for an ornament. Codes from U+F000 up are the same ones.

    >>> symbol(0xF06D, "Symbol"), symbol(0xFC, "Wingdings"), symbol(0xF0B0), symbol(0x3B1, "Symbol")
    ('μ', '✓', '°', 'α')
    """
    code = code - PRIVATE_START if PRIVATE_START <= code < PRIVATE_START + 0x100 else code
    if code >= 0x100:
        return chr(code) if code < 0xD800 else ""
    return FONTS.get(_font_lookup_key(font), UNNAMED).get(code, "")


def with_symbols(text: str, font: str = "") -> str:
    r"""Return text of a font as the characters that are seen.

    >>> with_symbols("25 \uf06dm"), with_symbols("m", "Symbol"), with_symbols("m", "Arial")
    ('25 μm', 'μ', 'm')
    """
    if is_symbol_font(font):
        return "".join(symbol(ord(sign), font) for sign in text)
    return PRIVATE.sub(lambda found: symbol(ord(found[0])), text)


def _font_lookup_key(font: str) -> str:
    return font.strip(" '\"").casefold()

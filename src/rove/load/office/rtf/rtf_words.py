"""The words of Rich Text Format: braces, control words, bytes of text. Source: RTF specification 1.9.1."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

TOKEN = re.compile(
    r"\\([A-Za-z]{1,32})(-?\d{1,10})? ?|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z'])|([{}])|([^\\{}]+)|\\", re.DOTALL
)
# A font's character set → the code page of its bytes.
CHARSETS = {0: 1252, 77: 10000, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258,
            177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850}  # fmt: skip
SYMBOL_CHARSET = 2
CODECS = {936: "gb18030", 949: "cp949", 950: "big5", 1361: "johab", 10000: "mac_roman", 65001: "utf-8"}
WIDE = {932, 936, 949, 950}


@dataclass(frozen=True, slots=True)
class Token:
    r"""One word: `kind` is "{", "}", "word", "sign" (a control sign as `\~`), "byte" (`\'e4`) or "text".

    `text` is the control word, the sign, or characters of which each stands for one byte; `number` is the control
    word's, or the byte; None where it has none.
    """

    kind: str
    text: str = ""
    number: int | None = None


def rtf_tokens(data: str) -> Iterator[Token]:
    r"""Yield the words of RTF, each of whose bytes is a character of `data`; binary data is left out.

    >>> [(t.kind, t.text, t.number) for t in rtf_tokens("{\\b1 a\\'e4}")]
    [('{', '', None), ('word', 'b', 1), ('text', 'a', None), ('byte', '', 228), ('}', '', None)]
    """
    at = 0
    while found := TOKEN.match(data, at):
        at = found.end()
        word, number, byte, sign, brace, text = found.groups()
        if word == "bin":
            at += max(int(number or 0), 0)
        elif word:
            yield Token("word", word, int(number) if number else None)
        elif text:
            yield Token("text", text.replace("\r", "").replace("\n", ""))
        elif byte:
            yield Token("byte", number=int(byte, 16))
        elif brace:
            yield Token(brace)
        elif sign:
            yield Token("sign", sign)


def codec_of(page: int) -> str:
    """Return the name of Python's codec for a Windows code page; that of 1252 where there is none."""
    name = CODECS.get(page, f"cp{page}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"

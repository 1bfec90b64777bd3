"""Bytes of Rich Text Format as text: code pages by font, Unicode with its stand-ins, and what is being collected."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rove.load.office.rtf.rtf_words import CHARSETS, SYMBOL_CHARSET, WIDE, codec_of
from rove.load.symbol_fonts import is_symbol_font, with_symbols

SYMBOL = "symbol:"
"""Before the name of a font of signs: its bytes are in no code page."""
SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@dataclass(slots=True)
class Collected:
    """Text that is being collected, as pieces of text and, at the end, bytes of one code page."""

    parts: list[str] = field(default_factory=list[str])
    waiting: bytearray = field(default_factory=bytearray)
    codec: str = "cp1252"

    def add_bytes(self, data: bytes, codec: str) -> None:
        """Add bytes; a character of two bytes may come in two calls."""
        if self.waiting and codec != self.codec:
            self.settle()
        self.codec = codec
        self.waiting += data

    def add(self, text: str) -> None:
        """Add characters."""
        self.settle()
        self.parts.append(text)

    def settle(self) -> None:
        """Decode the bytes that wait."""
        if not self.waiting:
            return
        if self.codec.startswith(SYMBOL):
            text = with_symbols(self.waiting.decode("latin-1"), self.codec.removeprefix(SYMBOL))
        else:
            text = self.waiting.decode(self.codec, "replace")
        self.parts.append(text)
        self.waiting.clear()

    def take(self) -> str:
        """Return all, and begin anew."""
        self.settle()
        text = "".join(self.parts)
        self.parts.clear()
        return SURROGATE_PAIR.sub(_decode_surrogate_pair, text)

    def position(self) -> int:
        """Return where the next text comes to stand among the parts."""
        self.settle()
        return len(self.parts)

    def cut(self, position: int) -> str:
        """Take away and return what was added since `position`."""
        self.settle()
        text = "".join(self.parts[position:])
        del self.parts[position:]
        return text


class Fonts:
    """The code pages of a file's fonts."""

    def __init__(self) -> None:
        self.page = 1252
        self.charsets: dict[int, int] = {}
        self.names: dict[int, str] = {}
        self.codecs: dict[int, str] = {}

    def codec(self, font: int) -> str:
        """Return the codec of the bytes that are set in `font`."""
        if font not in self.codecs:
            charset = self.charsets.get(font, 1)
            page = CHARSETS.get(charset, self.page)
            # programs of China, Japan and Korea call a font "ANSI" and mean their own code page by it
            page = self.page if self.page in WIDE and charset == 0 else page
            name = self.symbol_font(font)
            self.codecs[font] = f"{SYMBOL}{name}" if name else codec_of(page)
        return self.codecs[font]

    def symbol_font(self, font: int) -> str:
        """Return the name of a font of signs, "" of any other."""
        name = self.names.get(font, "").split(";")[0].strip()
        is_signs = is_symbol_font(name) or self.charsets.get(font, 1) == SYMBOL_CHARSET
        return (name or "Symbol") if is_signs else ""


def _decode_surrogate_pair(pair: re.Match[str]) -> str:
    high, low = map(ord, pair[0])
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))

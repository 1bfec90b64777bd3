"""The words of a PDF's page with their places and fonts, as PDFium finds them."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

import pypdfium2
import pypdfium2.raw as pdfium

from rove.load.layout.printed import RTL_RANGES, Area, PrintedLine, Word, around, line_of
from rove.load.pdf.right_to_left import STRAY_STOP, in_shares, words_as_read
from rove.load.text import clean

WORD = re.compile("[^\\s\ufffe\x02]+[\ufffe\x02]?")
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\u200b\ufeff]")
UNMAPPED = re.compile("[\ue000-\uf8ff\ufffd\x00-\x08\x0e-\x1f]")
TRAILING_NUMBER = re.compile(r"(?<=\D)\d{1,3}$")
LEADING_NUMBER = re.compile(r"\d{1,3}(?=[^\W\d])")
RAISED = 0.85  # of the letters beside it: a number that is no higher, and stands above their feet, is raised
FIXED_PITCH, FORCE_BOLD = 1, 1 << 18
MONO_NAME = re.compile(r"mono|courier|consol|typewriter|cmtt|menlo", re.IGNORECASE)
BOLD_NAME = re.compile(r"bold|black|heavy|cmbx|cmssbx|medi\b|-bd|semibd|,b\b", re.IGNORECASE)
RTL_LETTER = re.compile(f"[{''.join(f'{first}-{last}' for first, last in RTL_RANGES)}]")
MARKS_OF_DIRECTION = "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
THIN_SPACE = 0.05  # of the letters' size
SAMPLES = 24  # characters whose direction is looked at
MIN_UNMAPPED = 0.3  # of the characters: a font that does not say which letters it draws
SOFT_HYPHENS = "\ufffe\x02"
SIDEWAYS = 1.8  # a word of three letters that is so much higher than wide runs up or down


_Found = list[tuple[int, int, str]]  # the words of a line: the first and the last character's index, and the text
Handle = object
"""What PDFium gives for a page, an object on it, a note."""


@dataclass(frozen=True, slots=True)
class PageFrame:
    """How a page's own coordinates become those of the page as it is read: by its box, and by quarter turns.

    `turns` to the right set the text upright; a viewer makes `shown` of them.
    """

    left: float
    bottom: float
    width: float
    height: float
    turns: int
    shown: int

    @property
    def upright(self) -> Area:
        """The page as it is read."""
        turned = self.turns % 2
        return Area(0.0, 0.0, self.height if turned else self.width, self.width if turned else self.height)

    @property
    def top(self) -> float:
        """Its own upper edge."""
        return self.bottom + self.height

    def area(self, left: float, bottom: float, right: float, top: float) -> Area:
        """Turn a rectangle of the page's own coordinates; the edges may come in any order."""
        if left > right:
            left, right = right, left
        if bottom > top:
            bottom, top = top, bottom
        x0, x1 = left - self.left, right - self.left
        y0, y1 = self.height - (top - self.bottom), self.height - (bottom - self.bottom)
        if self.turns == 1:
            return Area(self.height - y1, x0, self.height - y0, x1)
        if self.turns == 2:
            return Area(self.width - x1, self.height - y1, self.width - x0, self.height - y0)
        if self.turns == 3:
            return Area(y0, self.width - x1, y1, self.width - x0)
        return Area(x0, y0, x1, y1)


@dataclass(frozen=True, slots=True)
class PageText:
    """The words of a page, and the lines that run another way than most; `readable` if the letters are known."""

    frame: PageFrame
    words: tuple[Word, ...]
    aside: tuple[PrintedLine, ...]
    readable: bool


@dataclass(frozen=True, slots=True)
class _Font:
    """How letters look; `size` is that of the em, in points as they are printed."""

    size: float
    bold: bool
    mono: bool


def measured_words(page: pypdfium2.PdfPage) -> PageText:
    """Return the words of a page with their places: two characters of each are measured, its first and last."""
    text_page = page.get_textpage()
    try:
        text = text_page.get_text_range(errors="replace")
        frame = _pdf_page_frame(page, text_page.raw, len(text))
        words, aside = _WordReader(text_page.raw, text, frame).read()
    finally:
        text_page.close()
    readable = len(UNMAPPED.findall(text)) < MIN_UNMAPPED * max(1, len(text))
    return PageText(frame, tuple(words), tuple(aside), readable)


def _pdf_page_frame(page: pypdfium2.PdfPage, text_page: Handle, chars: int) -> PageFrame:
    left, bottom, right, top = cast("tuple[float, float, float, float]", page.get_bbox())  # pyright: ignore[reportUnknownMemberType]
    size = max(right - left, 1.0), max(top - bottom, 1.0)
    shown = page.get_rotation() // 90
    return PageFrame(left, bottom, *size, turns=_text_turns(text_page, chars, shown), shown=shown)


def _text_turns(text_page: Handle, chars: int, shown: int) -> int:
    """Return how many quarter turns to the right set most of the text upright; `shown` where there is no text."""
    angles = [pdfium.FPDFText_GetCharAngle(text_page, index) for index in range(0, chars, chars // SAMPLES + 1)]
    turns = Counter(-round(2 * angle / math.pi) % 4 for angle in angles if angle >= 0)
    return turns.most_common(1)[0][0] if turns else shown


class _WordReader:
    """Reads the words of one page; what a font's name says is looked up once."""

    def __init__(self, text_page: Handle, text: str, frame: PageFrame) -> None:
        self.text_page, self.text, self.frame = text_page, text, frame
        self.box = pdfium.FS_RECTF()
        self.box_at = ctypes.byref(self.box)
        self.shift = pdfium.FPDFText_CountChars(text_page) != len(text)
        self.fonts: dict[bytes, _Font] = {}
        self.matrix = pdfium.FS_MATRIX()
        self.name = ctypes.create_string_buffer(128)
        self.flags = ctypes.c_int()

    def read(self) -> tuple[list[Word], list[PrintedLine]]:
        """Return the words, and the lines that run another way."""
        lines: list[tuple[_Found, list[Word]]] = []
        aside: list[PrintedLine] = []
        start = 0
        for raw in self.text.split("\r\n"):
            found = [(start + m.start(), start + m.end() - 1, m[0]) for m in WORD.finditer(raw)]
            line = [*self._line(found)] if found else []
            sideways = [word for word in line if _is_sideways(word)]
            if sideways:
                aside.append(line_of(sideways))
                line = [word for word in line if not _is_sideways(word)]
            lines.append((found, line))
            start += len(raw) + 2
        if not self.text.isascii() and RTL_LETTER.search(self.text):
            return self._turned(lines), aside
        return [word for _, line in lines for word in line], aside

    def _turned(self, lines: list[tuple[_Found, list[Word]]]) -> list[Word]:
        """Return the words, those of lines with right-to-left letters made anew from where each character stands."""
        bands = [around(line) for _, line in lines if any(RTL_LETTER.search(word.text) for word in line)]
        words: list[Word] = []
        chars: list[Word] = []
        for found, line in lines:
            middle = (line[0].top + line[0].bottom) / 2 if line else 0.0
            beside = line and any(band.top < middle < band.bottom for band in bands)
            if beside or (line and STRAY_STOP.match(line[0].text) and 2 * len(bands) > len(lines)):
                chars += self._characters(found)
            else:
                words += line
        return [*words, *words_as_read(chars)]

    def _characters(self, found: _Found) -> Iterator[Word]:
        """Yield each character of a line by itself, the spaces that the file has too; a ligature's share its place."""
        alike: list[Word] = []
        font = self._font(found[0][0])
        for index in range(found[0][0], found[-1][1] + 1):
            kept = clean(CONTROL.sub("", self.text[index])).strip(MARKS_OF_DIRECTION)
            if kept.isspace() and pdfium.FPDFText_IsGenerated(self.text_page, self._at(index)):
                continue
            font = self._font(index) if kept and not kept.isspace() else font
            char = self._word(index, index, kept, font)
            if kept.isspace() and char.width < THIN_SPACE * char.size:  # a mark of a run's end, not where it stands
                continue
            if alike and (char.left, char.right) != (alike[0].left, alike[0].right):
                yield from in_shares(alike)
                alike = []
            alike += [char] if kept else []
        yield from in_shares(alike)

    def _line(self, found: list[tuple[int, int, str]]) -> Iterator[Word]:
        """Yield the words of one line; where its first and its last are in one font, so are those between."""
        first, last = self._font(found[0][0]), self._font(found[-1][0])
        for start, end, text in found:
            font = first if first is last else self._font(start)
            if not (text.isascii() and text.isprintable()):
                broken = text[-1] in SOFT_HYPHENS
                text = clean(CONTROL.sub("", text)) + ("\u00ad" if broken else "")  # noqa: PLW2901
            if text[-1:].isdecimal() or text[:1].isdecimal():
                yield from self._numbered(start, end, text, font)
            elif text:
                yield self._word(start, end, text, font)

    def _numbered(self, start: int, end: int, text: str, font: _Font) -> Iterator[Word]:
        """Yield one word, or two where a raised number stands at its beginning or end."""
        if found := TRAILING_NUMBER.search(text):
            word = self._word(start, end - len(found[0]), text[: found.start()], font)
            number = self._word(end - len(found[0]) + 1, end, found[0], font)
            if _is_raised(number, word):
                yield word
                yield replace(number, note=True)
                return
        elif found := LEADING_NUMBER.match(text):
            number = self._word(start, start + len(found[0]) - 1, found[0], font)
            word = self._word(start + len(found[0]), end, text[found.end() :], font)
            if _is_raised(number, word):
                yield replace(number, note=True)
                yield word
                return
        yield self._word(start, end, text, font)

    def _word(self, start: int, end: int, text: str, font: _Font) -> Word:
        """Make a word by the boxes of its first and last character, which are as high as the font."""
        box, frame = self.box, self.frame
        self._measure(start)
        left, bottom, right, top = box.left, box.bottom, box.right, box.top
        if end != start:
            self._measure(end)
            left, right = box.left if box.left < left else left, box.right if box.right > right else right
            bottom, top = box.bottom if box.bottom < bottom else bottom, box.top if box.top > top else top
        if frame.turns:
            area = frame.area(left, bottom, right, top)
            left, top, right, bottom = area.left, area.top, area.right, area.bottom
        else:
            left, right = left - frame.left, right - frame.left
            top, bottom = frame.top - top, frame.top - bottom
        return Word(left, top, right, bottom, text, font.size or bottom - top, font.bold, font.mono)

    def _measure(self, index: int) -> None:
        index = self._at(index)
        pdfium.FPDFText_GetLooseCharBox(self.text_page, index, self.box_at)

    def _at(self, index: int) -> int:
        return pdfium.FPDFText_GetCharIndexFromTextIndex(self.text_page, index) if self.shift else index

    def _font(self, index: int) -> _Font:
        index = self._at(index)
        length = pdfium.FPDFText_GetFontInfo(self.text_page, index, self.name, len(self.name), self.flags)
        name = self.name.value if length else b""
        pdfium.FPDFText_GetMatrix(self.text_page, index, self.matrix)
        scale = math.hypot(self.matrix.c, self.matrix.d)
        size = round(scale * pdfium.FPDFText_GetFontSize(self.text_page, index), 1)
        key = name + b"%.1f" % size
        font = self.fonts.get(key)
        if font is None:
            text = name.decode("utf-8", "replace")
            bold = bool(BOLD_NAME.search(text)) or bool(self.flags.value & FORCE_BOLD)
            font = _Font(size, bold, bool(MONO_NAME.search(text)) or bool(self.flags.value & FIXED_PITCH))
            self.fonts[key] = font
        return font


def _is_raised(number: Area, beside: Area) -> bool:
    return number.height < RAISED * beside.height and number.bottom < beside.bottom - 0.1 * beside.height


def _is_sideways(word: Word) -> bool:
    return word.bottom - word.top > SIDEWAYS * (word.right - word.left) and len(word.text) >= 3

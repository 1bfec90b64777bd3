"""From the lines of printed pages to paragraphs: headings, page furniture, wrapped lines and hyphens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

HEADING_RATIO = 1.15  # a heading's letters are at least this much higher than the body's
MAX_HEADING_CHARS = 120
MAX_HEADING_SHARE = 0.25  # where more of the text is "large" than this, size says nothing
PARAGRAPH_GAP = 1.25  # a paragraph begins after a gap this much larger than the usual line pitch
EDGE = 0.12  # headers and footers stand within this share of the page's height from its edge
MIN_REPEATS = 3
SENTENCE_END = (".", "!", "?", ":", ";", "…", "。", "！", "？", "：")
LIST_ITEM = re.compile(r"(?:[-•◦▪–*·‣]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s")
FORM_FIELD = re.compile(r"[\w][^.:]{0,24}: ?\S")
NUMBER = re.compile(r"\d+")
ALNUM = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line; lengths in points, from the page's lower left corner; `level` is its heading level or 0.

    A line that was mended at a hyphen spans two printed ones: `top` and `bottom` are the base lines of its first and
    last. `place` is where it stands on the page: 0.0 the lower edge, 1.0 the upper.
    """

    text: str
    left: float = 0.0
    right: float = 0.0
    top: float = 0.0
    bottom: float = 0.0
    height: float = 0.0
    place: float = 0.5
    level: int = 0


Lines = tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the document's own outline: level from 1, page as counted from 0."""

    title: str
    level: int
    page: int


def without_furniture(pages: Sequence[Lines]) -> list[Lines]:
    """Drop headers, footers and page numbers: lines at the edge that 3 pages or more, and a quarter of all, repeat.

    Digits count as alike, so that "Page 3 of 9" repeats.
    """
    seen = Counter(key for lines in pages for key in {_furniture_key(line) for line in lines})
    enough = max(MIN_REPEATS, len(pages) / 4)
    kept = [tuple(ln for ln in lines if not (k := _furniture_key(ln)) or seen[k] < enough) for lines in pages]
    return kept if any(kept) else list(pages)


def with_headings(pages: Sequence[Lines], outline: Sequence[Bookmark]) -> list[Lines]:
    """Mark the lines that are headings: those that the outline names on their page, else those in larger letters."""
    marked = [list(lines) for lines in pages]
    found = 0
    for mark in outline:
        wanted = _letters(mark.title)
        lines = marked[mark.page] if 0 <= mark.page < len(marked) else []
        for number, line in enumerate(lines):
            if wanted and line.level == 0 and _is_title(_letters(line.text), wanted):
                lines[number] = replace(line, level=min(mark.level, 6))
                found += 1
                break
    return [tuple(lines) for lines in marked] if found else _headings_by_size(pages)


def page_text(lines: Sequence[Line]) -> str:
    r"""Return a page as paragraphs: a blank line between them, a space where a line was only wrapped, else "\n"."""
    pitches = sorted(a.bottom - b.top for a, b in pairwise(lines) if a.bottom - b.top > b.height / 2)
    usual = pitches[len(pitches) // 4] if pitches else 0.0  # the lower quarter: gaps are larger, lines are the most
    blocks: list[list[Line]] = []
    for line in lines:
        if blocks and _same_block(blocks[-1][-1], line, usual):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return "\n\n".join(text for block in blocks if (text := _block_text(block)))


def _furniture_key(line: Line) -> str:
    """What makes two lines at the edge alike; "" for a line that cannot be furniture."""
    if EDGE < line.place < 1 - EDGE or len(line.text) > MAX_HEADING_CHARS:
        return ""
    return ("^" if line.place > 0.5 else "_") + NUMBER.sub("#", line.text.strip().casefold())


def _letters(text: str) -> str:
    return ALNUM.sub("", text).casefold()


def _is_title(line: str, wanted: str) -> bool:
    """A heading may carry a number before the outline's words."""
    return line == wanted or (line.endswith(wanted) and line[: -len(wanted)].isdigit())


def _headings_by_size(pages: Sequence[Lines]) -> list[Lines]:
    chars = Counter[float]()
    for lines in pages:
        for line in lines:
            chars[_size(line)] += len(line.text)
    body = max(chars, key=lambda size: (chars[size], -size), default=0.0)
    large = Counter[float]()
    for lines in pages:
        for line in lines:
            if _looks_like_heading(line, body):
                large[_size(line)] += len(line.text)
    if body <= 0 or not large or large.total() > MAX_HEADING_SHARE * chars.total():
        return list(pages)
    levels = {size: min(rank, 4) for rank, size in enumerate(sorted(large, reverse=True), 1)}
    return [
        tuple(replace(ln, level=levels[_size(ln)]) if _looks_like_heading(ln, body) else ln for ln in lines)
        for lines in pages
    ]


def _looks_like_heading(line: Line, body: float) -> bool:
    text = line.text
    return (
        _size(line) >= HEADING_RATIO * body
        and len(text) <= MAX_HEADING_CHARS
        and sum(map(str.isalpha, text)) >= 2
        and not text.endswith((".", ",", ";", "。"))
    )


def _size(line: Line) -> float:
    return round(line.height * 2) / 2


def _same_block(before: Line, line: Line, usual: float) -> bool:
    if before.level or line.level:  # a long heading wraps; it stays one heading
        alike = before.level == line.level and _size(before) == _size(line)
        return alike and 0 < before.bottom - line.top < 1.6 * line.height
    pitch = before.bottom - line.top
    if pitch < -usual:  # up again: the next column goes on with the sentence, or begins another text
        return _goes_on(before.text, line.text)
    return pitch <= PARAGRAPH_GAP * usual


def _goes_on(before: str, text: str) -> bool:
    return text[:1].islower() and not before.endswith(SENTENCE_END)


def _block_text(block: Sequence[Line]) -> str:
    right, out = max(line.right for line in block), block[0].text
    for before, line in pairwise(block):
        if block[0].level or _is_wrapped(before, line, right):
            out += ("" if _is_cjk(out[-1:]) and _is_cjk(line.text[:1]) else " ") + line.text
        else:
            out += "\n" + line.text
    return f"{'#' * block[0].level} {out}" if block[0].level else out


def _is_wrapped(before: Line, line: Line, right: float) -> bool:
    """A line was wrapped where the next one's first word had no room on it."""
    if LIST_ITEM.match(line.text) or not line.text:
        return False
    if _goes_on(before.text, line.text):
        return True
    cjk = _is_cjk(line.text[0])
    word = 2 if cjk else len(line.text.split(maxsplit=1)[0]) + 1
    width = word * (line.right - line.left) / len(line.text)
    return before.right + width > right and len(before.text) >= (10 if cjk else 40) and not FORM_FIELD.match(line.text)


def _is_cjk(char: str) -> bool:
    """Chinese and Japanese write no space between words; Korean does."""
    return "\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef" or "\U00020000" <= char <= "\U0003ffff"

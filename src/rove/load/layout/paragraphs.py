"""Lines into paragraphs: which lines belong together, and whether a line's end is a space, a line break or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rove.load.layout.printed import Item, PrintedLine, is_rtl

PARAGRAPH_GAP = 1.25  # a paragraph begins after a gap this much larger than the usual line pitch
HEADING_PITCH = 1.8  # of the letters' size: a heading's next line is no farther
INDENT, MAX_INDENT = 0.7, 5.0  # of the letters' size
MIN_WRAPPED, MIN_WRAPPED_CJK = 40, 10  # characters: a shorter line was not wrapped, it ended
SENTENCE_END = (".", "!", "?", ":", ";", "…", "。", "！", "？", "：")
LIST_ITEM = re.compile(r"(?:[-•◦▪–*·‣●○■□➢✓]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s")
FORM_FIELD = re.compile(r"[\w][^.:]{0,24}: ?\S")
LEADER = re.compile(r"(?<![ .·…_‥]) *+[.·…_‥][ .·…_‥]{3,}+\d{1,4}$")  # the end of a line in a table of contents
SOFT_HYPHEN = "\u00ad"


def usual_pitch(items: Sequence[Item]) -> float:
    """Return how far one line is from the next in most paragraphs of a page."""
    lines = [item for item in items if isinstance(item, PrintedLine)]
    pitches = sorted(b.bottom - a.bottom for a, b in pairwise(lines) if b.bottom - a.bottom > b.size / 2)
    return pitches[len(pitches) // 4] if pitches else 0.0  # the lower quarter: gaps are larger, lines are the most


def blocks_of(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Yield the blocks of a page: the lines of one paragraph, heading or listing, or one table or figure."""
    usual = usual_pitch(items)
    block: list[Item] = []
    for item in items:
        if block and not _same_block(block[-1], item, usual):
            yield block
            block = []
        block.append(item)
    if block:
        yield block


def separator(before: PrintedLine, line: PrintedLine, right: float) -> str:
    r"""Return what stands between two lines of a block whose right edge is `right`: "", " " or "\n"."""
    last, first = before.text[-1:], line.text[:1]
    if not (line.level or _is_line_wrapped(before, line, right)):
        return "\n"
    return "" if last == SOFT_HYPHEN or (is_cjk(last) and is_cjk(first)) else " "


def mended(text: str, following: str) -> str:
    """Return a line's text without the hyphen that only breaks a word, which a capital or digit after it makes its own.

    >>> mended("infor\u00ad", "mation"), mended("Süd\u00ad", "Ost"), mended("one", "two")
    ('infor', 'Süd-', 'one')
    """
    if text.endswith(SOFT_HYPHEN):
        return text[:-1] if following[:1].islower() else f"{text[:-1]}-"
    return text


def is_cjk(char: str) -> bool:
    """Say whether a character is of a script without spaces: Chinese and Japanese, not Korean."""
    return "\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef" or "\U00020000" <= char <= "\U0003ffff"


def _same_block(before: Item, line: Item, usual: float) -> bool:
    if not isinstance(before, PrintedLine) or not isinstance(line, PrintedLine) or line.label:
        return False
    pitch = line.bottom - before.bottom
    if before.level or line.level:  # a long heading wraps; it stays one heading
        alike = before.level == line.level and abs(before.size - line.size) < 1
        return alike and 0 < pitch < HEADING_PITCH * line.size
    if before.mono != line.mono and min(len(before.words), len(line.words)) > 1:
        return False
    if pitch < -usual:  # up again: the next column goes on with the sentence, or begins another text
        return _is_text_continued(before.text, line.text)
    if (
        not line.mono
        and INDENT < (line.left - before.left) / max(line.size, 1.0) < MAX_INDENT
        and before.text.endswith(SENTENCE_END)
    ):
        return False  # a paragraph's first line, set in
    return pitch <= PARAGRAPH_GAP * usual


def _is_text_continued(before: str, text: str) -> bool:
    return (text[:1].islower() and not before.endswith(SENTENCE_END)) or before.endswith(SOFT_HYPHEN)


def _is_line_wrapped(before: PrintedLine, line: PrintedLine, right: float) -> bool:
    """A line was wrapped where the next one's first word had no room on it."""
    text = line.text
    if LIST_ITEM.match(text) or not text or LEADER.search(before.text):
        return False
    if _is_text_continued(before.text, text) or is_rtl(text):
        return True
    cjk = is_cjk(text[0])
    word = 2 if cjk else len(text.split(maxsplit=1)[0]) + 1
    width = word * line.width / len(text)
    long = len(before.text) >= (MIN_WRAPPED_CJK if cjk else MIN_WRAPPED)
    return before.right + width > right and long and not FORM_FIELD.match(text)

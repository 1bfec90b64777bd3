"""Running headers, footers and page numbers: what the edges of many pages say again is left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rove.load.layout.printed import Item, OrderedPage, PrintedLine, all_lines

EDGE = 0.12  # headers and footers stand within this share of the page's height from its edge
NUMBER_EDGE = 0.2  # and page numbers within this
MAX_CHARS = 120
MIN_REPEATS = 3
MOST = 0.6  # of all pages: large letters that repeat on fewer are no header or footer
LARGE = 1.15  # times the body's letters: larger ones are a heading's
MAX_DIGITS = 5
MIN_NUMBERED = 2  # a number that runs with the pages is a page number, be there only two
STEP = 4.0  # points: what repeats at one place stands no farther off
NUMBER = re.compile(r"\d+")
PAGE_NUMBER = re.compile(r"\W*(?:\w+\W+)?(\d{1,5})(?:\W+(?:\w+\W+)?\d{1,5})?\W*")

Key = str
""""w…" for words, "p…" for what stands at one height, "t…" for large letters, "n…" for page numbers."""


@dataclass(frozen=True, slots=True)
class _Repeats:
    """On how many of the pages each key is found."""

    seen: Counter[Key]
    pages: int

    def rest(self, sheet: OrderedPage, keys: Sequence[set[Key]]) -> OrderedPage:
        """Return the sheet without what repeats."""
        kept = (item for item, own in zip(sheet.items, keys, strict=True) if not any(map(self._many, own)))
        return replace(sheet, items=tuple(kept))

    def numbers(self) -> _Repeats:
        """Return the page numbers alone."""
        return _Repeats(Counter({key: count for key, count in self.seen.items() if key[0] == "n"}), self.pages)

    def _many(self, key: Key) -> bool:
        least = {"n": MIN_NUMBERED, "p": MIN_REPEATS, "t": max(MIN_REPEATS, self.pages * MOST)}
        return self.seen[key] >= least.get(key[0], max(MIN_REPEATS, self.pages / 4))


def without_furniture(sheets: Sequence[OrderedPage]) -> list[OrderedPage]:
    """Drop the lines at a page's edge that other pages repeat; digits count as alike.

    Repeated is what 3 pages have, at one height or on a quarter of all pages, and a number that runs with the pages;
    large letters are a slide's title unless most pages have them. A page tells what is furniture only if it says more
    than what repeats, and one of which nothing would be left keeps all but its number.
    """
    large = LARGE * body_size(sheets)
    pages = [[set(_repetition_keys(item, sheet, large)) for item in sheet.items] for sheet in sheets]
    every = _Repeats(_count_pages_by_key(pages), len(pages))
    full = [
        keys
        for sheet, keys in zip(sheets, pages, strict=True)
        if 2 * _count_page_chars(every.rest(sheet, keys)) > _count_page_chars(sheet)
    ]
    told = _Repeats(_count_pages_by_key(full) | every.numbers().seen, len(pages))
    kept: list[OrderedPage] = []
    for sheet, keys in zip(sheets, pages, strict=True):
        rest = told.rest(sheet, keys)
        kept.append(rest if _count_page_chars(rest) else told.numbers().rest(sheet, keys))
    return kept if any(sheet.items for sheet in kept) else list(sheets)


def body_size(sheets: Sequence[OrderedPage]) -> float:
    """Return the size of most letters, to half a point; 0 where there are none."""
    chars = Counter[float]()
    for line in all_lines(sheets):
        chars[round(line.size * 2) / 2] += len(line.text)
    return max(chars, key=lambda size: (chars[size], -size), default=0.0)


def _count_pages_by_key(pages: Iterable[Sequence[set[Key]]]) -> Counter[Key]:
    return Counter(key for page in pages for key in set[Key]().union(*page))


def _count_page_chars(sheet: OrderedPage) -> int:
    return sum(len(line.text) for line in all_lines([sheet]))


def _repetition_keys(item: Item, sheet: OrderedPage, large: float) -> Iterator[Key]:
    """Yield what makes lines of several pages alike: the words, the words at this height, the number's distance.

    Large letters are a heading's, whose number counts chapters: they have to repeat to the letter.
    """
    middle = (item.top + item.bottom) / 2 / max(sheet.height, 1.0)
    from_edge = min(middle, 1 - middle)
    if not isinstance(item, PrintedLine) or from_edge > NUMBER_EDGE or len(item.text) > MAX_CHARS:
        return
    text = item.text.casefold()
    edge, height = "^" if middle < 0.5 else "_", round(item.top / STEP)
    words = text if item.size > large else NUMBER.sub("#", text)
    if from_edge <= EDGE and item.size > large:
        yield f"t{edge}{words}"
    elif from_edge <= EDGE:
        yield f"w{edge}{words}"
        yield f"p{edge}{words}@{height}"
    numbers = NUMBER.findall(text)
    if item.size > large or not numbers or len(numbers[-1]) > MAX_DIGITS:
        return
    if found := PAGE_NUMBER.fullmatch(text):
        yield f"n{edge}{words}{int(found[1]) - sheet.number}@{height}"
    elif from_edge <= EDGE:
        yield f"p{edge}{int(numbers[-1]) - sheet.number}@{height}"

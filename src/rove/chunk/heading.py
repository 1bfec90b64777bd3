"""Lines that are headings though nothing marks them as such: numbered, named, in capitals or in bold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rove.chunk.block import Blocks
from rove.records import Section
from rove.records.document import Span

MAX_CHARS = 120
LEVELS = 6
CONTENTS_RUN = 4
"""So many headings of one depth without a text between them are a list, or a page of contents."""

_ROMAN = r"[IVXLC]+"
_HAN = "[一二三四五六七八九十百〇零0-9０-９]+"
_NAMES = (  # highest first: what stands before its number, what stands after it, what encloses it
    (r"part|teil|book|buch|partie|parte|часть", r"rész", r"[部編编卷篇]"),
    (r"chapter|kapitel|chapitre|capítulo|capitolo|глава|appendix|anhang|annex|anlage", r"fejezet|melléklet", r"章"),
    (r"section|abschnitt|sección|sezione|раздел", r"szakasz", r"[節节]"),
    (r"article|artikel|artículo|articolo|art\.|статья|paragraph|§§?", r"cikk|§", r"[条條款]"),
)
_NAMED = tuple(
    re.compile(
        rf"(?:(?i:{before})(?:\s+|(?<=[§.])\s*)(?:\d+[a-z]?|{_ROMAN}|[A-Z])(?:[.:\s–—-]|$)|(?:\d+|{_ROMAN})\.?\s*(?i:{after})(?:[.:\s–—-]|$)"
        rf"|第\s*{_HAN}\s*{wide})"
    )
    for before, after, wide in _NAMES
)
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})[.)]?[ \t\u3000]+(?=[^\W\d_])(?![a-z])")
_MARKED = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(?:(?!\1).)+(?<=\S)\1[:：]?")
_LEADER = re.compile(r"(?:(?:[.·…_]\s?){3}\s*+|\t[^\S\t]*+|\s{3})\d+$")
_SENTENCE_END = (".", "!", "?", ";", ",", "。", "！", "？", "；", "，", "、", "…")
# Ranks in the order of height; the gap at 10 holds the depths of numbers.
_CAPITALS_ABOVE, _NUMBERS, _CAPITALS_BELOW, _IN_BOLD = 9, 10, 30, 31
_MARKS = -10


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that is a heading: `level` 1 is the highest; `number` is the 1.2 that it begins with."""

    title: str
    level: int
    span: Span
    number: tuple[int, ...] = ()


def find_headings(text: str, blocks: Blocks) -> list[Heading]:
    """Return the lines of the text that are headings, in order; those of a contents page are none. Linear."""
    lines = list(_candidate_headings(text, blocks))
    first_capital = next((h.span[0] for h in lines if h.level == _CAPITALS_ABOVE), len(text))
    first_number = next((h.span[0] for h in lines if h.number), len(text))
    if first_number < first_capital:
        lines = [replace(h, level=_CAPITALS_BELOW) if h.level == _CAPITALS_ABOVE else h for h in lines]
    kept = _in_sequence(_without_lists(text, lines))
    levels = {rank: min(place, LEVELS) for place, rank in enumerate(sorted({h.level for h in kept}), 1)}
    return [replace(h, level=levels[h.level]) for h in kept]


def sections_of(headings: Sequence[Heading], end: int) -> tuple[Section, ...]:
    """Return a section for each heading: to the next one of its level or above, or to the end.

    >>> sections_of([Heading("A", 1, (0, 1)), Heading("B", 2, (5, 6)), Heading("C", 1, (9, 10))], 20)[0].span
    (0, 9)
    """
    found: list[Section] = []
    ends = [end] * (LEVELS + 1)
    for heading in reversed(headings):
        level = min(heading.level, LEVELS)
        found.append(Section(heading.title, level, (heading.span[0], ends[level])))
        ends[level:] = [heading.span[0]] * (LEVELS + 1 - level)
    return tuple(reversed(found))


def _candidate_headings(text: str, blocks: Blocks) -> Iterator[Heading]:
    """Yield the lines that look like headings; `level` is their rank. A heading has a blank line or a heading above."""
    start, open_above = 0, True
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        bare = line.strip()
        rank = _heading_line_rank(bare) if open_above and 2 <= len(bare) <= MAX_CHARS else None
        if rank is not None and _is_outside_blocks(blocks, start):
            at = start + line.index(bare[0])
            numbered = _NUMBERED.match(bare)
            number = tuple(map(int, numbered[1].split("."))) if numbered and rank >= _NUMBERS else ()
            yield Heading(_bare_heading_title(bare), rank, (at, at + len(bare)), number)
        open_above = not bare or rank is not None
        start = end


def _is_outside_blocks(blocks: Blocks, offset: int) -> bool:
    index = blocks.around(offset + 1)
    return index is None or not blocks.blocks[index].span[0] <= offset < blocks.blocks[index].span[1]


def _heading_line_rank(line: str) -> int | None:
    if _LEADER.search(line) or line.startswith("|"):
        return None
    if marked := _MARKED.match(line):
        return _MARKS + len(marked[1])
    plain = line.strip("*_ ")
    for rank, named in enumerate(_NAMED):
        if named.match(plain):
            return None if line.endswith(_SENTENCE_END) and len(line) > 40 else rank
    if line.endswith(_SENTENCE_END):
        return None
    if numbered := _NUMBERED.match(plain):
        return _NUMBERS + numbered[1].count(".")
    if _is_capitals(line):
        return _CAPITALS_ABOVE
    return _IN_BOLD if _BOLD.fullmatch(line) else None


def _is_capitals(line: str) -> bool:
    letters = [c for c in line if c.isalpha()]
    return len(letters) >= 4 and line.upper() == line and line.lower() != line and len(letters) * 2 > len(line)


def _bare_heading_title(line: str) -> str:
    return " ".join(line.lstrip("#").strip(" *_:：").split())


def _without_lists(text: str, headings: Sequence[Heading]) -> list[Heading]:
    """Drop the entries of lists and contents pages: runs of one depth with no text between, and what comes again."""
    runs: list[list[Heading]] = []
    for heading in headings:
        if runs and not text[runs[-1][-1].span[1] : heading.span[0]].strip():
            runs[-1].append(heading)
        else:
            runs.append([heading])
    later = Counter(h.title.casefold() for h in headings)
    seen: set[str] = set()
    kept: list[Heading] = []
    for run in runs:
        depths = Counter(h.level for h in run)
        for heading in run:
            title = heading.title.casefold()
            later[title] -= 1
            listed = depths[heading.level] >= CONTENTS_RUN
            opens_text = heading is run[-1] and (not listed or title in seen)
            if heading.level < 0 or opens_text or (heading is not run[-1] and not listed and not later[title]):
                kept.append(heading)
            seen.add(title)
    return kept


def _in_sequence(headings: list[Heading]) -> list[Heading]:
    """Keep of the numbered lines those that count on: 1, 1.1, 1.2, 2; others are years, amounts and list items."""
    reached: tuple[int, ...] = ()
    kept: list[Heading] = []
    for heading in headings:
        number = heading.number
        if number:
            if not _is_next_number(reached, number):
                continue
            reached = number
        kept.append(heading)
    return kept


def _is_next_number(reached: tuple[int, ...], number: tuple[int, ...]) -> bool:
    """Say whether a number can come after another: up to two further on at its depth, or the first below it."""
    if not reached:
        return number[-1] <= 1 or len(number) == 1 and number[0] <= 2
    depth = len(number)
    if depth > len(reached):
        return depth == len(reached) + 1 and number[:-1] == reached and number[-1] <= 1
    return number[:-1] == reached[: depth - 1] and 1 <= number[-1] - reached[depth - 1] <= 2

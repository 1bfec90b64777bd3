"""Tables of contents: lines that name what stands elsewhere and on which page; they lead there, and answer nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from rove.records.document import Span

MIN_LINES = 3
MIN_NAMED = 0.5  # of the lines name a line that follows in the text: a price list's do not
MAX_LINE_CHARS = 200
_PAGE = re.compile(r"(?<=[ \t.·…_‥])(\d{1,4})[ \t]*(?=\n|\Z)")
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_HEADING = re.compile(r"#{1,6} [^\n]{1,80}\n\s*\Z")


def contents_spans(text: str) -> Iterator[Span]:
    r"""Yield the spans of the tables of contents in a text, each with the heading right over it.

    >>> text = "# Contents\n\nPumps ... 2\nPipes ... 3\nValves ... 5\n\n# Pumps\n\nA.\n\n# Pipes\n\nB.\n\n# Valves\n"
    >>> [text[start:end] for start, end in contents_spans(text)]
    ['# Contents\n\nPumps ... 2\nPipes ... 3\nValves ... 5']
    """
    if text.count("\n") < MIN_LINES:
        return
    lines = [(text.rfind("\n", 0, found.start()) + 1, found.end(), int(found[1])) for found in _PAGE.finditer(text)]
    run = lines[:1]
    for before, line in pairwise([*lines, (len(text) + 1, len(text) + 1, 0)]):
        if text[before[1] : line[0]].strip() or before[2] > line[2] or line[0] > len(text):
            if len(run) >= MIN_LINES and _names_what_follows(text, run):
                yield _with_heading(text, run[0][0]), run[-1][1]
            run = []
        run.append(line)


def _names_what_follows(text: str, run: list[tuple[int, int, int]]) -> bool:
    titles = [_line_letters(text[start:end]) for start, end, _ in run if end - start <= MAX_LINE_CHARS]
    following = {_line_letters(line) for line in text[run[-1][1] :].splitlines() if len(line) <= MAX_LINE_CHARS}
    return sum(bool(title) and title in following for title in titles) >= max(2, MIN_NAMED * len(run))


def _line_letters(line: str) -> str:
    return _NOT_LETTERS.sub("", line).casefold()


def _with_heading(text: str, start: int) -> int:
    floor = max(0, start - MAX_LINE_CHARS)
    found = _HEADING.search(text, floor, start)
    return found.start() if found else start

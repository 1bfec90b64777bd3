"""Program text is cut between its functions, sections and blocks, as its indentation shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from rove.records.document import Span

MIN_LINES = 8
MIN_INDENTED = 0.3  # of the lines: with fewer it is no program text
MAX_SENTENCES = 0.2  # of the lines end as sentences do
_LINE = re.compile(r"^([ \t]*)(\S[^\n]*)$", re.MULTILINE)
_GOES_ON = re.compile(r"[)\]}>]|```|~~~|(?:end|fi|done|esac|else|elif|elsif|except|catch|finally|rescue)\b")
_SENTENCE_END = (".", "!", "?", "。")


def is_program_text(text: str) -> bool:
    r"""Say whether most of a text's lines are laid out as programs and settings are, not written in sentences.

    >>> is_program_text("def f():\n    return 1\n\n" * 5), is_program_text("It rained.\n  It poured.\n" * 5)
    (True, False)
    """
    lines = [(found[1], found[2]) for found in _LINE.finditer(text)]
    if len(lines) < MIN_LINES:
        return False
    indented = sum(len(indent.expandtabs(4)) > 1 for indent, _ in lines)
    sentences = sum(line.rstrip().endswith(_SENTENCE_END) for _, line in lines)
    return indented >= MIN_INDENTED * len(lines) and sentences <= MAX_SENTENCES * len(lines)


def program_pieces(text: str, start: int, end: int, size: int) -> Iterator[Span]:
    """Yield pieces of text[start:end] of whole units, as many as fit in `size`; a unit that is longer stays one piece.

    A unit longer than the size is cut between the units within it, where it has any.
    """
    begin = start
    for unit, after in pairwise([*_finer(text, start, end, -1, size), end]):
        if after - begin > size and unit > begin:
            yield begin, unit
            begin = unit
    yield begin, end


def _finer(text: str, start: int, end: int, above: int, size: int) -> Iterator[int]:
    """Yield where the units of a stretch begin, those within a long one too; `above`: how deep it is set in itself."""
    yield start
    if end - start <= size:
        return
    least, starts = _unit_starts(text, start, end, above)
    for first, after in pairwise([start, *starts, end]):
        within = _finer(text, first, after, least, size) if least > above else iter((first,))
        yield from (place for place in within if place > start)


def _unit_starts(text: str, start: int, end: int, above: int) -> tuple[int, list[int]]:
    """Return the least indentation that is greater than `above`, and where lines so far in begin a unit."""
    lines = [(found.start(), len(found[1].expandtabs(4)), found[2]) for found in _LINE.finditer(text, start, end)]
    least = min((indent for _, indent, _ in lines if indent > above), default=above)
    starts: list[int] = []
    for (place, before, _), (at, indent, line) in pairwise(lines):
        apart = before > least or text.count("\n", place, at) > 1
        if indent == least and before >= least and apart and not _GOES_ON.match(line):
            starts.append(at)
    return least, starts

"""Markdown tables and fenced code: what should be cut last, and has a kind of its own."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_TABLE = re.compile(r"^\|[^\n]*\n\|[ \t:|-]+(?=\n|\Z)(?:\n\|[^\n]*)*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Blocks:
    """The tables and fences of one text, in order and apart: block i is starts[i]..ends[i], of kinds[i]."""

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()

    def around(self, offset: int) -> int | None:
        """Return the index of the block that a cut at `offset` would part; None where none is."""
        index = bisect_right(self.starts, offset) - 1
        return index if index >= 0 and self.starts[index] < offset < self.ends[index] else None

    def kind_of(self, start: int, end: int) -> str:
        """Return "table" or "code" where the span lies wholly in such a block, else "text"."""
        index = bisect_right(self.starts, start) - 1
        return self.kinds[index] if index >= 0 and end <= self.ends[index] else "text"


NONE = Blocks()


def find_blocks(text: str) -> Blocks:
    r"""Find closed code fences and the tables outside them; linear in the text.

    >>> find_blocks("a\n\n|b|c|\n|-|-|\n|1|2|\n")
    Blocks(starts=(3,), ends=(20,), kinds=('table',))
    """
    if "|" not in text and "```" not in text and "~~~" not in text:
        return NONE
    fences = _fences(text) if "```" in text or "~~~" in text else []
    fenced = Blocks(tuple(f[0] for f in fences), tuple(f[1] for f in fences), ("code",) * len(fences))
    tables: list[tuple[int, int]] = []
    if text.startswith("|") or "\n|" in text:
        tables = [m.span() for m in _TABLE.finditer(text) if fenced.around(m.start()) is None]
    found = sorted([(*span, "code") for span in fences] + [(*span, "table") for span in tables])
    return Blocks(tuple(f[0] for f in found), tuple(f[1] for f in found), tuple(f[2] for f in found))


def _fences(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for match in _FENCE.finditer(text):
        mark, rest = match.group(1), match.group(2)
        if opened is None:
            if mark[0] == "~" or "`" not in rest:  # else it is code within a line: ```x```
                opened = (match.start(1), mark)
        elif mark.startswith(opened[1]) and not rest.strip():
            found.append((opened[0], match.end(1)))
            opened = None
    return found

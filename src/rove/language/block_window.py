"""A window of a long text as blocks: cut between blocks, or between the rows or lines of one that is long itself."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rove.language.block_tree import BlockNode, block_tree
from rove.records.document import Span

LONGEST = 200_000
"""Characters of a window: what is asked for beyond is left to the next one."""
_BLOCK_CHARS = 8_000  # a block that is longer may be cut
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_BETWEEN = re.compile(r"\n[ \t]*\n+(?=\S)")
_RULE = re.compile(r"\|[ \t:|]*-[ \t:|-]*")


@dataclass(frozen=True, slots=True)
class Window:
    """The blocks of a text at a span, which begins and ends between lines.

    `continues`: the first block goes on with one that began before, whose header it repeats.
    """

    span: Span
    blocks: tuple[BlockNode, ...]
    continues: bool = False


Edge = Literal["start", "end"]


def window(text: str, start: int, end: int, *, exact: Edge | None = None) -> Window:
    r"""Return the blocks of a text from `start` to `end`, and what is needed beside for whole ones.

    `exact`: at this edge another window lies, so that it is cut just there.

    >>> shown = window("One.\n\nTwo *is* it.\n\nThree.", 8, 10)
    >>> shown.span, [run.text for block in shown.blocks for run in block.runs()]
    ((6, 20), ['Two ', 'is', ' it.'])
    """
    start = max(0, min(start, len(text)))
    end = min(max(end, start + 1), start + LONGEST, len(text))
    fences = _fence_spans(text)
    begin = start if exact == "start" else _block_break_before(text, start, fences)
    after = end if exact == "end" else _block_break_after(text, end, fences)
    head, first = _head(text, begin, fences)
    blocks = block_tree(text[head[0] : head[1]] + text[begin:after])
    size = head[1] - head[0]
    moved = (_shift_block(block, head[0], size, begin) for block in blocks)
    tables = (_with_first_row_number(block, first) if n == 0 and first else block for n, block in enumerate(moved))
    return Window((begin, after), tuple(tables), continues=size > 0)


def _block_break_before(text: str, start: int, fences: Sequence[Span]) -> int:
    """The last place between blocks that is not after `start`; within a long block, the beginning of a line."""
    floor = max(0, start - _BLOCK_CHARS)
    places = [found.end() for found in _BETWEEN.finditer(text, floor, min(len(text), start + 2))]
    free = [place for place in places if place <= start and not _fence_around(place, fences)]
    if free or not floor:
        return free[-1] if free else 0
    line = text.rfind("\n", floor, start) + 1
    return line or start


def _block_break_after(text: str, end: int, fences: Sequence[Span]) -> int:
    """The first place between blocks that is not before `end`; within a long block, the end of a line."""
    ceiling = min(len(text), end + _BLOCK_CHARS)
    for found in _BETWEEN.finditer(text, max(0, end - 2), ceiling):
        if found.end() >= end and not _fence_around(found.end(), fences):
            return found.end()
    if ceiling == len(text):
        return ceiling
    line = text.find("\n", end, ceiling) + 1
    return line or end


def _head(text: str, begin: int, fences: Sequence[Span]) -> tuple[Span, int]:
    """What has to stand before a piece that begins within a table or a fence, and the number of its first row."""
    if inside := _fence_around(begin, fences):
        opened = text.find("\n", inside[0]) + 1
        return ((inside[0], opened), 0) if opened <= begin else ((begin, begin), 0)
    lines = _rows_before(text, begin)
    if not lines or not text.startswith("|", begin):
        return (begin, begin), 0
    top, second = lines[-1], lines[-2] if len(lines) > 1 else begin
    headed = bool(_RULE.fullmatch(text[second : text.find("\n", second)].strip())) and second < begin
    if not headed:
        return (begin, begin), len(lines) + 1
    body = text.find("\n", second) + 1
    return (top, body), len(lines) - 1


def _rows_before(text: str, begin: int) -> list[int]:
    """Where the rows begin that stand right before a place, the nearest first."""
    found: list[int] = []
    at = begin
    while at > 0:
        line = text.rfind("\n", 0, at - 1) + 1
        if not text.startswith("|", line):
            break
        found.append(line)
        at = line
    return found


def _fence_spans(text: str) -> list[Span]:
    """The spans of code between fences, these included."""
    found: list[Span] = []
    opened: tuple[int, str] | None = None
    for fence in _FENCE.finditer(text) if "```" in text or "~~~" in text else ():
        marks = fence[1]
        if opened is None:
            opened = (fence.start(), marks)
        elif marks[0] == opened[1][0] and len(marks) >= len(opened[1]) and fence[0].strip() == marks:
            found.append((opened[0], fence.end()))
            opened = None
    return [*found, (opened[0], len(text))] if opened else found


def _fence_around(place: int, fences: Sequence[Span]) -> Span | None:
    """The fence that a place lies in."""
    at = bisect_right(fences, (place, 0)) - 1
    return fences[at] if at >= 0 and fences[at][0] < place < fences[at][1] else None


def _shift_block(node: BlockNode, head: int, size: int, begin: int) -> BlockNode:
    """A node with its places in the whole text: the head stood at `head`, and what follows it at `begin`."""

    def placed(at: int, end: bool) -> int:
        return head + at if at < size or (end and at == size) else begin + at - size

    span = (placed(node.span[0], False), placed(node.span[1], True))
    return replace(node, span=span, children=tuple(_shift_block(child, head, size, begin) for child in node.children))


def _with_first_row_number(node: BlockNode, first: int) -> BlockNode:
    return replace(node, level=first) if node.kind == "table" else node

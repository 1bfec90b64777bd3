"""Tables, images, code, formulas, contents: what is cut last, has its own kind, and takes its caption along."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rove.chunk.caption import reach
from rove.chunk.contents import contents_spans
from rove.records import Block, Document
from rove.records.chunk import CONTENTS
from rove.records.document import Span

LEAST_CHARS = {"code": 40, "formula": 40}
"""A block without a caption that is shorter than this, with what leads in to it, stays in the prose around it."""

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_TABLE = re.compile(r"^\|[^\n]*\n\|[ \t:|-]+(?=\n|\Z)(?:\n\|[^\n]*)*", re.MULTILINE)
_FORMULA = re.compile(r"^\$\$[^$]+\$\$[ \t]*$", re.MULTILINE)
_IMAGE = re.compile(r"^!\[([^\]\n]*)\]\([^)\n]*\)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of one text, in order and apart; with what belongs to it, block i reaches from starts[i] to ends[i].

    `own[i]` says whether it is to be a piece of its own.
    """

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    blocks: tuple[Block, ...] = ()
    own: tuple[bool, ...] = ()

    def around(self, offset: int) -> int | None:
        """Return the index of the block that a cut at `offset` would part; None where none is."""
        index = bisect_right(self.starts, offset) - 1
        return index if index >= 0 and self.starts[index] < offset < self.ends[index] else None

    def of(self, start: int, end: int) -> Block | None:
        """Return the block that the span is, or is a piece of, beside its caption and lead-in at most."""
        index = bisect_right(self.starts, start) - 1
        if index < 0 or end > self.ends[index]:
            return None
        block = self.blocks[index]
        return block if start < block.span[1] and block.span[0] < end else None

    def stretches(self, start: int, end: int) -> Iterator[tuple[Span, Block | None]]:
        """Yield start..end in parts: the blocks that are pieces of their own, and what stands between them (None)."""
        first = bisect_left(self.starts, start)
        for index in range(first, bisect_right(self.starts, end)):
            if self.own[index] and self.ends[index] <= end:
                yield (start, self.starts[index]), None
                yield (self.starts[index], self.ends[index]), self.blocks[index]
                start = self.ends[index]
        yield (start, end), None


NONE = Blocks()


def find_blocks(document: Document) -> Blocks:
    r"""Return the blocks that the loader knows and those that the text marks; linear in the text.

    Marked are closed code fences, and outside them pipe tables, images alone on their line, and formulas between `$$`.

    >>> found = find_blocks(Document("d", "s", "text", "a\n\nTable 1: b\n\n|b|c|\n|-|-|\n|1|2|\n"))
    >>> found.starts, found.blocks
    ((3,), (Block(kind='table', span=(15, 32), caption='Table 1: b'),))
    """
    text = document.text
    contents = tuple(Block(CONTENTS, span) for span in contents_spans(text))
    known = (*document.blocks, *contents)
    if not ("|" in text or "`" in text or "~" in text or "[" in text or "$" in text or known):
        return NONE  # most texts end here, and looking for one character takes a tenth of the time of three
    blocks = _merge_known_blocks(known, _markdown_blocks(text))
    if not blocks:
        return NONE
    spans: list[Span] = []
    found: list[Block] = []
    for index, block in enumerate(blocks):
        floor = spans[-1][1] if spans else 0
        ceiling = blocks[index + 1].span[0] if index + 1 < len(blocks) else len(text)
        span, caption = reach(text, block, floor, ceiling)
        spans.append(span)
        found.append(replace(block, caption=caption))
    own = tuple(_is_own(text, *pair) for pair in zip(found, spans, strict=True))
    return Blocks(tuple(s for s, _ in spans), tuple(e for _, e in spans), tuple(found), own)


def _markdown_blocks(text: str) -> list[Block]:
    fences = [Block("code", span) for span in _fence_block_spans(text)] if "```" in text or "~~~" in text else []
    starts, ends = [f.span[0] for f in fences], [f.span[1] for f in fences]
    found: list[Block] = []
    for kind, sign, pattern in (("table", "|", _TABLE), ("image", "![", _IMAGE), ("formula", "$$", _FORMULA)):
        if sign in text:
            found += [Block(kind, match.span()) for match in pattern.finditer(text)]
    outside = [b for b in found if (i := bisect_right(starts, b.span[0]) - 1) < 0 or ends[i] <= b.span[0]]
    return sorted([*fences, *outside], key=lambda b: b.span)


def _merge_known_blocks(known: tuple[Block, ...], marked: list[Block]) -> list[Block]:
    """Join both lists; a marked block that overlaps one that the loader knows is that one."""
    if not known:
        return _drop_block_overlaps(marked)
    ordered = _drop_block_overlaps(sorted((b for b in known if b.span[0] < b.span[1]), key=lambda b: b.span))
    starts = [b.span[0] for b in ordered]
    free = [b for b in marked if (i := bisect_left(starts, b.span[1]) - 1) < 0 or ordered[i].span[1] <= b.span[0]]
    return sorted([*ordered, *free], key=lambda b: b.span)


def _drop_block_overlaps(blocks: list[Block]) -> list[Block]:
    kept: list[Block] = []
    for block in blocks:
        if not kept or kept[-1].span[1] <= block.span[0]:
            kept.append(block)
    return kept


def _is_own(text: str, block: Block, reached: Span) -> bool:
    if block.kind == "image" and not block.caption:
        alternative = _IMAGE.match(text, *block.span)
        return bool(alternative and alternative[1].strip())
    return bool(block.caption) or reached[1] - reached[0] >= LEAST_CHARS.get(block.kind, 0)


def _fence_block_spans(text: str) -> list[Span]:
    found: list[Span] = []
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

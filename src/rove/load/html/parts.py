"""Canonical text put together from its parts, with the places of those that have a caption."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rove.records import Block


@dataclass(frozen=True, slots=True)
class TextPart:
    """A paragraph, a heading, an item of a list or a block; `kind` and `caption` as of `Block`, "" for prose.

    An item stands under the item before it, all else after a blank line.
    """

    text: str
    kind: str = ""
    caption: str = ""
    item: bool = False


@dataclass(frozen=True, slots=True)
class Canonical:
    """A canonical text, and its blocks with a caption."""

    text: str
    blocks: tuple[Block, ...] = ()


def join(parts: Iterable[TextPart]) -> Canonical:
    r"""Write the parts that hold text one under the other.

    >>> join([TextPart("- a", item=True), TextPart("- b", item=True), TextPart("| x |", "table", "Tab. 1")])
    Canonical(text='- a\n- b\n\n| x |\n', blocks=(Block(kind='table', span=(9, 14), caption='Tab. 1'),))
    """
    out: list[str] = []
    blocks: list[Block] = []
    length, after_item = 0, False
    for part in parts:
        if not part.text.strip():
            continue
        gap = "" if not out else "\n" if part.item and after_item else "\n\n"
        start = length + len(gap)
        length, after_item = start + len(part.text), part.item
        out += (gap, part.text)
        if part.kind and part.caption:
            blocks.append(Block(part.kind, (start, length), part.caption))
    return Canonical("".join(out) + "\n" if out else "", tuple(blocks))

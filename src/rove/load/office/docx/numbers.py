"""Word's automatic numbers: what a list item or a heading is numbered with, worked out as Word does."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rove.load.office.docx.styles import Numbered, W, WordStyle, value
from rove.load.office.numerals import format_numeral
from rove.load.xmltree import Node, integer

LEVELS = 9


@dataclass(frozen=True, slots=True)
class Level:
    """How one depth of a list is numbered: `template` holds `%1` to `%9` for the numbers of the depths."""

    kind: str = "decimal"
    template: str = ""
    start: int = 1
    plain: bool = False


class Numbering:
    """The lists of `word/numbering.xml`, and how far each has been counted."""

    def __init__(self, root: Node | None, styles: dict[str, WordStyle]) -> None:
        self.abstract = (
            {n.get(f"{W}abstractNumId", ""): n for n in root.findall(f"{W}abstractNum")} if root is not None else {}
        )
        self.lists = {n.get(f"{W}numId", ""): n for n in root.findall(f"{W}num")} if root is not None else {}
        self.styles = styles
        self.levels: dict[str, list[Level]] = {}
        self.counts: dict[str, list[int]] = {}
        self.begun: set[str] = set()

    def label(self, numbered: Numbered) -> str:
        """Count one paragraph on; return its number as printed, "" for a bullet."""
        if numbered.list_id not in self.lists:
            return ""
        levels = self._levels(numbered.list_id)
        depth = min(max(numbered.depth, 0), LEVELS - 1)
        counts = self._count(numbered.list_id, levels, depth)
        level = levels[depth]
        if level.kind in ("bullet", "none"):
            return ""

        def number(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            return format_numeral(counts[at], "decimal" if level.plain else levels[at].kind)

        return re.sub(r"%([1-9])", number, level.template).strip()

    def _count(self, list_id: str, levels: list[Level], depth: int) -> list[int]:
        """Lists that share one definition are counted on together, until one of them says where it starts."""
        shared = value(self.lists[list_id], "abstractNumId")
        counts = self.counts.setdefault(shared, [level.start - 1 for level in levels])
        if list_id not in self.begun:
            self.begun.add(list_id)
            for override in self.lists[list_id].findall(f"{W}lvlOverride"):
                at = integer(override.get(f"{W}ilvl", ""))
                if override.find(f"{W}startOverride") is not None and 0 <= at < LEVELS:
                    counts[at] = levels[at].start - 1
        for above in range(depth):
            counts[above] = max(counts[above], levels[above].start)  # 1.1 without a 1 before it
        counts[depth] += 1
        for below in range(depth + 1, LEVELS):
            counts[below] = levels[below].start - 1
        return counts

    def _levels(self, list_id: str) -> list[Level]:
        if list_id not in self.levels:
            own = self.lists[list_id]
            found = [Level()] * LEVELS
            for node in self._definition(own):
                if node.tag == f"{W}lvl" and 0 <= (at := integer(node.get(f"{W}ilvl", ""))) < LEVELS:
                    found[at] = _parse_numbering_level(node)
            for override in own.findall(f"{W}lvlOverride"):
                at, node, start = (
                    integer(override.get(f"{W}ilvl", "")),
                    override.find(f"{W}lvl"),
                    value(override, "startOverride"),
                )
                if 0 <= at < LEVELS:
                    level = _parse_numbering_level(node) if node is not None else found[at]
                    found[at] = Level(level.kind, level.template, integer(start, level.start), level.plain)
            self.levels[list_id] = found
        return self.levels[list_id]

    def _definition(self, own: Node) -> list[Node]:
        abstract = self.abstract.get(value(own, "abstractNumId"))
        if abstract is None:
            return []
        # a list can be defined by a style, which is itself a list elsewhere
        style = self.styles.get(value(abstract, "numStyleLink"))
        linked = self.lists.get(style.numbered.list_id) if style else None
        named = self.abstract.get(value(linked, "abstractNumId")) if linked is not None else None
        return list(named if named is not None else abstract)


def _parse_numbering_level(node: Node) -> Level:
    return Level(
        kind=value(node, "numFmt") or "decimal",
        template=value(node, "lvlText")[:64],
        start=integer(value(node, "start"), 1),
        plain=node.find(f"{W}isLgl") is not None,
    )

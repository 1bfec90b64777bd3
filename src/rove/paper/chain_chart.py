"""A picture of what leads to what: boxes in columns, arrows from the left to the right."""

from __future__ import annotations

import re
from collections import defaultdict

from rove.markup import Markup, join_markup, tag
from rove.paper.figure import CHAR, Data, figure, text
from rove.records.paper import Chain, ChainNode

WIDE, BOX_H, GAP_X, GAP_Y, TOP, MOST_WIDE = 860.0, 82.0, 30.0, 16.0, 10.0, 200.0
LINES, LINE_H, PAD = 2, 15.0, 9.0
FIRST_WIDE, WIDE_CHAR = 0x2E80, 12.5
"""Letters of Chinese and Japanese, which are as wide as they are high."""


def chain(name: str, given: Chain, numbers: str) -> Markup:
    """Draw a chain. `name`: an id; `numbers`: what the table behind it is called."""
    columns: dict[int, list[ChainNode]] = defaultdict(list)
    for node in given.nodes:
        columns[node.level].append(node)
    most = max((len(column) for column in columns.values()), default=1)
    wide = min((WIDE - GAP_X * max(len(columns) - 1, 0)) / max(len(columns), 1), MOST_WIDE)
    height = TOP * 2 + most * (BOX_H + GAP_Y)
    spots: dict[str, tuple[float, float]] = {}
    for place, level in enumerate(sorted(columns)):
        rows = columns[level]
        free = (height - len(rows) * (BOX_H + GAP_Y)) / 2
        for row, node in enumerate(rows):
            spots[node.key] = (place * (wide + GAP_X), free + row * (BOX_H + GAP_Y) + GAP_Y / 2)
    drawn = [
        _arrow(spots[edge.source], spots[edge.target], wide, strong=edge.strong)
        for edge in sorted(given.edges, key=lambda edge: edge.strong)
        if {edge.source, edge.target} <= spots.keys()
    ]
    drawn += [_draw_node_box(node, *spots[node.key], wide) for node in given.nodes]
    titles = {node.key: f"{node.key} {node.title}" for node in given.nodes}
    rows = [
        (titles[one.source], titles[one.target]) for one in given.edges if {one.source, one.target} <= titles.keys()
    ]
    return figure(name, given.title, given.caption, join_markup(drawn), height, Data(["", "→"], rows), numbers=numbers)


def _draw_node_box(node: ChainNode, x: float, y: float, wide: float) -> Markup:
    left, room = x + PAD, wide - 2 * PAD
    return tag(
        "g",
        tag("title", f"{node.key} {node.title}: {node.note}"),
        tag("rect", x=x + 0.75, y=y, width=wide - 1.5, height=BOX_H, rx=8, class_="box"),
        text(left, y + 19, node.key, style="group", room=room),
        *(text(left, y + 36 + place * LINE_H, line) for place, line in enumerate(_wrap_node_title(node.title, room))),
        text(left, y + BOX_H - 9, node.note, style="tick", room=room),
        class_=f"node {node.tone}".strip(),
    )


def _wrap_node_title(words: str, room: float) -> list[str]:
    """A title in so many lines, by words, and by letters where a script has no spaces; what is left is cut."""
    lines = [""]
    for piece in re.findall(r"[^\s\u2e80-\U0010ffff]+\s*|[\u2e80-\U0010ffff]\s*", words):
        if _width(lines[-1] + piece.rstrip()) > room and lines[-1]:
            lines.append("")
        lines[-1] += piece
    if len(lines) <= LINES:
        return lines
    return [*lines[: LINES - 1], f"{lines[LINES - 1].rstrip()}…"]


def _width(line: str) -> float:
    return sum(WIDE_CHAR if ord(letter) >= FIRST_WIDE else CHAR for letter in line)


def _arrow(start: tuple[float, float], end: tuple[float, float], wide: float, *, strong: bool) -> Markup:
    x1, y1, x2, y2 = start[0] + wide, start[1] + BOX_H / 2, end[0] - 1, end[1] + BOX_H / 2
    if x2 < x1:  # within a column, or back: from below to above
        x1, x2 = start[0] + wide / 2, end[0] + wide / 2
        y1, y2 = (start[1] + BOX_H, end[1] - 1) if start[1] < end[1] else (start[1], end[1] + BOX_H + 1)
        curve = f"M{x1:.1f} {y1:.1f} L{x2:.1f} {y2:.1f}"
    else:
        bend = (x2 - x1) / 2
        curve = f"M{x1:.1f} {y1:.1f} C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2 - 7:.1f} {y2:.1f}"
    head = f"M{x2 - 8:.1f} {y2 - 4:.1f} L{x2:.1f} {y2:.1f} L{x2 - 8:.1f} {y2 + 4:.1f} Z"
    return tag(
        "g",
        tag("path", d=curve, class_="edge"),
        tag("path", d=head, class_="head"),
        class_="strong" if strong else None,
    )

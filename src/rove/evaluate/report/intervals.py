"""Dots with their intervals, one a row: what a choice, or a configuration, is worth beside another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rove.evaluate.compare import PairedComparison
from rove.markup import Markup, join_markup, tag
from rove.paper.figure import CHAR, WIDTH, Data, across, figure, text
from rove.paper.scale import AxisScale, scale_of

ROW, TOP, BELOW = 24.0, 12.0, 48.0


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One row: a label, and a difference; without one it is what the others of its `group` are compared with."""

    group: str
    label: str
    beside: PairedComparison | None
    note: str = ""


def intervals(name: str, title: str, caption: str, rows: Sequence[IntervalRow], axis: str) -> Markup:
    """Draw differences from 0 with their intervals; those whose interval holds 0 are pale."""
    left = min(max([len(row.label) for row in rows] + [len(row.group) + 2 for row in rows]) * CHAR + 28, WIDTH * 0.42)
    bounds = [v for row in rows if row.beside for v in (row.beside.difference.low, row.beside.difference.high)]
    scale = scale_of(bounds, left + 10, WIDTH - 16, around=0.0)
    drawn: list[str] = []
    y, group = TOP, ""
    for row in rows:
        if row.group != group:
            group = row.group
            y += ROW * (0.9 if drawn else 0.4)
            drawn.append(text(4, y, group, style="group"))
            y += ROW * 0.2
        y += ROW * 0.8
        drawn.append(_interval_row_markup(row, scale, y, left))
        y += ROW * 0.2
    zero = tag("line", x1=scale.at(0), x2=scale.at(0), y1=TOP, y2=y + 6, class_="zero")
    inside = join_markup([across(scale, TOP, y + 6, axis), zero, *drawn])
    return figure(name, title, caption, inside, y + BELOW, _interval_data(rows))


def _interval_row_markup(row: IntervalRow, scale: AxisScale, y: float, left: float) -> Markup:
    label = text(16, y, row.label, room=left - 20)
    if row.beside is None:
        return join_markup([label, tag("circle", cx=scale.at(0), cy=y - 4, r=4, class_="hollow")])
    difference = row.beside.difference
    style = verdict(row.beside)
    tip = tag("title", f"{row.label}: {interval_text(row.beside)}")
    line = tag("line", x1=scale.at(difference.low), x2=scale.at(difference.high), y1=y - 4, y2=y - 4, class_="whisker")
    return join_markup(
        [label, tag("g", tip, line, tag("circle", cx=scale.at(difference.mean), cy=y - 4, r=5), class_=style)]
    )


def verdict(beside: PairedComparison | None) -> str:
    """Say by its interval whether a difference is better, worse or open."""
    if beside is None:
        return "open"
    return "better" if beside.difference.low > 0 else "worse" if beside.difference.high < 0 else "open"


def interval_text(beside: PairedComparison | None) -> str:
    """Write a difference with its interval and p-value."""
    if beside is None:
        return "–"
    d = beside.difference
    chance = "p < 0.001" if beside.p_value < 0.001 else f"p = {beside.p_value:.3f}"
    return f"{d.mean:+.3f} [{d.low:+.3f}, {d.high:+.3f}], {chance}".replace("-", "−")


def _interval_data(rows: Sequence[IntervalRow]) -> Data:
    return Data(
        ["", "of", "difference [95 % interval], p", "rests on"],
        [(row.label, row.group, interval_text(row.beside), row.note) for row in rows],
    )

"""What all plots have: a frame that can be scrolled on a narrow screen, a caption, and the same numbers as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rove.markup import Markup, join_markup, tag
from rove.paper.scale import AxisScale, tick_text

WIDTH = 860.0
CHAR = 6.6
"""Width of a character of the plots' labels, nearly."""
NUMBERS = "The numbers as a table"


@dataclass(frozen=True, slots=True)
class Data:
    """The numbers behind a plot, as a table for those who cannot see it or want the numbers."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


def figure(
    name: str, title: str, caption: str, drawing: Markup, height: float, data: Data, *, numbers: str = NUMBERS
) -> Markup:
    """Put a drawing of `WIDTH` by `height` into its frame.

    Args:
        name: an id that is unique on the page.
        title: what the plot shows; a screen reader says it.
        caption: how to read it.
        drawing: SVG elements.
        height: in the drawing's own units.
        data: the same numbers.
        numbers: what their table is called.
    """
    svg = tag(
        "svg",
        drawing,
        viewBox=f"0 0 {WIDTH:g} {height:g}",
        role="img",
        aria_labelledby=f"{name}-title",
        class_="plot",
    )
    return tag(
        "figure",
        tag("h3", title, id=f"{name}-title"),
        tag("div", svg, class_="frame"),
        tag("figcaption", caption),
        tag("details", tag("summary", numbers), tag("div", table(data), class_="frame")),
        id=name,
    )


def table(data: Data, **attributes: object) -> Markup:
    """Make a plain table; the first column heads its rows."""
    head = tag("thead", tag("tr", *(tag("th", heading, scope="col") for heading in data.headings)))
    body = [
        tag("tr", *(tag("th", cell, scope="row") if i == 0 else tag("td", cell) for i, cell in enumerate(row)))
        for row in data.rows
    ]
    return tag("table", head, tag("tbody", *body), **attributes)


def text(x: float, y: float, words: str, *, anchor: str = "start", style: str = "", room: float = 0.0) -> Markup:
    """Write words; those that are wider than `room` are cut, and whole in a tooltip."""
    most = int(room / CHAR) if room else len(words)
    cut = words if len(words) <= most else words[: max(most - 1, 1)] + "…"
    whole = tag("title", words) if cut != words else Markup("")
    return tag("text", whole, cut, x=x, y=y, text_anchor=anchor, class_=style or None)


def across(scale: AxisScale, top: float, bottom: float, label: str) -> Markup:
    """Draw a horizontal axis below, with a line up from each tick."""
    parts: list[str] = []
    for tick in scale.ticks():
        x = scale.at(tick)
        parts.append(tag("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid"))
        parts.append(text(x, bottom + 16, tick_text(tick), anchor="middle", style="tick"))
    parts.append(text((scale.start + scale.end) / 2, bottom + 36, label, anchor="middle", style="axis"))
    return join_markup(parts)


def upward(scale: AxisScale, left: float, right: float, label: str) -> Markup:
    """Draw a vertical axis at the left, with a line across from each tick."""
    parts: list[str] = []
    for tick in scale.ticks(5):
        y = scale.at(tick)
        parts.append(tag("line", x1=left, x2=right, y1=y, y2=y, class_="grid"))
        parts.append(text(left - 8, y + 4, tick_text(tick), anchor="end", style="tick"))
    parts.append(text(left, min(scale.start, scale.end) - 12, label, style="axis"))
    return join_markup(parts)

"""Charts over labels: lines for what goes on, bars for what stands side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rove.markup import Markup, join_markup, tag
from rove.paper.figure import CHAR, WIDTH, Data, figure, text, upward
from rove.paper.scale import AxisScale, scale_of, tick_text
from rove.records.paper import Chart, Series

LEFT, TOP, HEIGHT, BELOW, RIGHT = 66.0, 40.0, 230.0, 46.0, 150.0
MOST_LABELS, MOST_DOTS = 9, 12
STYLES = 4
"""Looks of series, which then come again."""


def chart(name: str, given: Chart, numbers: str) -> Markup:
    """Draw a chart. `name`: an id; `numbers`: what the table behind it is called."""
    values = [value for one in given.series for value in one.values if value is not None]
    if not values or not given.labels:
        return Markup("")
    held = [*values, *([given.limit] if given.limit is not None else [])]
    up = scale_of([*held, 0.0] if given.kind == "bars" or min(held) >= 0 else held, TOP + HEIGHT, TOP)
    if min(held) >= 0:
        up = AxisScale(0.0, up.high, up.start, up.end)
    right = WIDTH - RIGHT
    drawn = [upward(up, LEFT, right, given.unit), *_draw_limit_line(given, up, right), *_draw_axis_labels(given, right)]
    drawn += [*(_bars if given.kind == "bars" else _draw_series_lines)(given, up, right)]
    rows = [
        (label, *("" if one.values[place] is None else tick_text(one.values[place] or 0.0) for one in given.series))
        for place, label in enumerate(given.labels)
    ]
    data = Data(["", *(one.name for one in given.series)], rows)
    return figure(name, given.title, given.caption, join_markup(drawn), TOP + HEIGHT + BELOW, data, numbers=numbers)


def _label_spacing(given: Chart, right: float) -> float:
    return (right - LEFT) / max(len(given.labels), 1)


def _x(given: Chart, place: int, right: float) -> float:
    return LEFT + _label_spacing(given, right) * (place + 0.5)


def _draw_axis_labels(given: Chart, right: float) -> Iterator[Markup]:
    every = -(-len(given.labels) // MOST_LABELS)
    for place, label in enumerate(given.labels):
        if place % every == 0:
            yield text(_x(given, place, right), TOP + HEIGHT + 18, label, anchor="middle", style="tick")
    if given.mark in given.labels:
        x = _x(given, given.labels.index(given.mark), right)
        yield tag("line", x1=x, x2=x, y1=TOP - 8, y2=TOP + HEIGHT, class_="mark")
        room_left = x - LEFT > len(given.mark_name) * CHAR
        yield text(x + (-6 if room_left else 6), TOP + 4, given.mark_name, anchor="end" if room_left else "start",
                   style="name")  # fmt: skip


def _draw_limit_line(given: Chart, up: AxisScale, right: float) -> Iterator[Markup]:
    if given.limit is not None:
        y = up.at(given.limit)
        yield tag("line", x1=LEFT, x2=right, y1=y, y2=y, class_="limit")
        yield text(right + 8, y + 4, given.limit_name, style="tick", room=RIGHT - 8)


def _draw_series_lines(given: Chart, up: AxisScale, right: float) -> Iterator[Markup]:
    taken: list[float] = [up.at(given.limit)] if given.limit is not None else []
    for number, one in enumerate(given.series):
        spots = [(_x(given, place, right), up.at(value)) for place, value in enumerate(one.values) if value is not None]
        if not spots:
            continue
        path = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
        dots = [_draw_dot(given, one, place, up, right) for place, value in enumerate(one.values) if value is not None]
        if len(dots) > MOST_DOTS:
            dots = []
        y = _reserve_label_height(spots[-1][1], taken)
        end = text(right + 8, y + 4, one.name, style="name", room=RIGHT - 8)
        yield tag("g", tag("path", d=path, class_="line"), *dots, end, class_=f"s{number % STYLES}")


def _draw_dot(given: Chart, one: Series, place: int, up: AxisScale, right: float) -> Markup:
    value = one.values[place] or 0.0
    tip = tag("title", f"{one.name}, {given.labels[place]}: {tick_text(value)}")
    return tag("circle", tip, cx=_x(given, place, right), cy=up.at(value), r=4)


def _bars(given: Chart, up: AxisScale, right: float) -> Iterator[Markup]:
    count = len(given.series)
    width = _label_spacing(given, right) * 0.72 / count
    zero = up.at(max(up.low, 0.0) if up.low >= 0 else 0.0)
    for number, one in enumerate(given.series):
        drawn: list[Markup] = []
        for place, value in enumerate(one.values):
            if value is None:
                continue
            x = _x(given, place, right) + (number - count / 2) * width
            y = up.at(value)
            tip = tag("title", f"{one.name}, {given.labels[place]}: {tick_text(value)}")
            drawn.append(
                tag("g", tip, tag("rect", x=x + 1, y=min(y, zero), width=width - 2, height=abs(y - zero), rx=2))
            )
            if width > 5 * CHAR:
                drawn.append(text(x + width / 2, min(y, zero) - 5, tick_text(value), anchor="middle", style="tick"))
        key = TOP + 6 + number * 20
        drawn += [
            tag("rect", x=right + 10, y=key - 9, width=11, height=11, rx=2),
            text(right + 27, key, one.name, style="key", room=RIGHT - 30),
        ]
        yield tag("g", *drawn, class_=f"s{number % STYLES}")
    if up.low < 0:
        yield tag("line", x1=LEFT, x2=right, y1=zero, y2=zero, class_="zero")


def _reserve_label_height(y: float, taken: list[float]) -> float:
    """A height near `y` where no label stands yet; it is taken then."""
    place = next((y + shift for shift in _shifts() if all(abs(y + shift - one) >= 15 for one in taken)), y)
    taken.append(place)
    return place


def _shifts() -> Sequence[float]:
    return [sign * 15.0 * step for step in range(8) for sign in (1, -1)]

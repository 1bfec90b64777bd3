"""Two pictures for the page, as SVG: every number that they show stands in a table or in the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 70, 30, 40, 60
COLOURS = {"00": "#4c78a8", "10": "#f58518", "01": "#54a24b", "11": "#b279a2"}
NAMES = {"00": "no filter", "10": "no short questions", "01": "no submissions", "11": "neither"}


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of the scatter: its values, the prefilter that colours it, and what it is called."""

    x: float
    y: float
    kind: str
    title: str


def scatter(dots: Sequence[Dot], title: str, x_title: str, y_title: str) -> str:
    """Draw points with axes from just below the least to just above the greatest value."""
    xs, ys = _span([d.x for d in dots]), _span([d.y for d in dots])
    parts = [_text(WIDTH / 2, 22, title, size=15), *_axes(xs, ys, x_title, y_title)]
    for dot in dots:
        x, y = _place(dot.x, xs, LEFT, WIDTH - RIGHT), _place(dot.y, ys, HEIGHT - BOTTOM, TOP)
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{COLOURS[dot.kind]}" fill-opacity="0.75">'
            f"<title>{escape(dot.title)}: {dot.x:.3f}, {dot.y:.3f}</title></circle>"
        )
    for number, kind in enumerate(kind for kind in COLOURS if any(dot.kind == kind for dot in dots)):
        y = TOP + 14 + 18 * number
        parts.append(f'<circle cx="{LEFT + 16}" cy="{y - 4}" r="4" fill="{COLOURS[kind]}"/>')
        parts.append(_text(LEFT + 26, y, NAMES[kind], anchor="start"))
    return _svg(parts, HEIGHT)


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its group, its name and its value."""

    group: str
    name: str
    value: float


def bars(rows: Sequence[Bar], title: str) -> str:
    """Draw horizontal bars from 0, grouped; the value stands at the end of each."""
    step, longest = 24, max(row.value for row in rows)
    parts = [_text(WIDTH / 2, 22, title, size=15)]
    y, group = 44, ""
    for row in rows:
        y += step + (8 if row.group != group else 0)
        label = f"{row.group}: {row.name}"
        length = (WIDTH - 320) * row.value / longest
        group = row.group
        parts.append(_text(220, y, label, anchor="end"))
        parts.append(f'<rect x="230" y="{y - 12}" width="{length:.1f}" height="16" fill="#4c78a8"/>')
        parts.append(_text(236 + length, y, f"{row.value:.3f}", anchor="start"))
    return _svg(parts, y + 24)


def _span(values: Sequence[float]) -> tuple[float, float]:
    room = (max(values) - min(values)) * 0.06 or 0.05
    return min(values) - room, max(values) + room


def _place(value: float, span: tuple[float, float], start: float, end: float) -> float:
    return start + (value - span[0]) / (span[1] - span[0]) * (end - start)


def _axes(xs: tuple[float, float], ys: tuple[float, float], x_title: str, y_title: str) -> list[str]:
    floor, wall = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = [f'<path d="M{LEFT} {TOP}V{floor}H{wall}" fill="none" stroke="#888"/>']
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = LEFT + share * (wall - LEFT), floor - share * (floor - TOP)
        parts.append(_text(x, floor + 18, f"{xs[0] + share * (xs[1] - xs[0]):.2f}"))
        parts.append(_text(LEFT - 8, y + 4, f"{ys[0] + share * (ys[1] - ys[0]):.2f}", anchor="end"))
    parts.append(_text(WIDTH / 2, HEIGHT - 16, x_title))
    middle = HEIGHT / 2
    turned = f'transform="rotate(-90 18 {middle:.0f})"'
    parts.append(_text(18, middle, y_title, more=turned))
    return parts


def _text(x: float, y: float, text: str, *, anchor: str = "middle", size: int = 12, more: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" {more}>'.replace(" >", ">")
        + f"{escape(text)}</text>"
    )


def _svg(parts: Sequence[str], height: float) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" font-family="sans-serif">'
    return "\n".join([head, f'<rect width="{WIDTH}" height="{height:.0f}" fill="#fff"/>', *parts, "</svg>", ""])

"""Quality against what it costs: every configuration a point, and the line of those that none beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rove.evaluate.study import undominated
from rove.markup import Markup, join_markup, tag
from rove.paper.figure import CHAR, WIDTH, Data, across, figure, text, upward
from rove.paper.scale import AxisScale, scale_of

LEFT, TOP, HEIGHT = 62.0, 34.0, 330.0
MOST_LABELS = 9


@dataclass(frozen=True, slots=True)
class Point:
    """One configuration: `x` is a cost, which is better low, and above 0; `y` a quality, which is better high."""

    name: str
    x: float
    y: float
    style: str = ""


def scatter(name: str, title: str, caption: str, points: Sequence[Point], x_label: str, y_label: str) -> Markup:
    """Draw points on a logarithmic scale of costs, and the frontier as steps."""
    across_ = scale_of([p.x for p in points], LEFT, WIDTH - 20, logarithmic=True)
    up = scale_of([p.y for p in points], TOP + HEIGHT, TOP)
    best = set(undominated([(p.name, (p.y, -p.x)) for p in points]))
    frontier = sorted((p for p in points if p.name in best), key=lambda p: (p.x, p.y))
    drawn: list[str] = [across(across_, TOP, TOP + HEIGHT, x_label), upward(up, LEFT, WIDTH - 20, y_label)]
    if frontier:
        drawn.append(tag("path", d=_frontier_path(frontier, across_, up), class_="frontier"))
    for point in sorted(points, key=lambda p: p.name in best):
        style = f"{point.style} {'best' if point.name in best else 'other'}".strip()
        tip = tag("title", f"{point.name}: {y_label} {point.y:.3f}, {point.x:.3g} {x_label}")
        spot = {"cx": across_.at(point.x), "cy": up.at(point.y), "r": 6 if point.name in best else 4}
        drawn.append(tag("g", tip, tag("circle", **spot), class_=style))
    drawn += _frontier_labels(frontier, across_, up)
    rows = [(p.name, f"{p.y:.4f}", f"{p.x:.4g}", "yes" if p.name in best else "") for p in points]
    data = Data(["configuration", y_label, x_label, "on the frontier"], rows)
    return figure(name, title, caption, join_markup(drawn), TOP + HEIGHT + 48, data)


def _frontier_path(frontier: Sequence[Point], x: AxisScale, y: AxisScale) -> str:
    path = [f"M{x.at(frontier[0].x):.1f} {y.start:.1f} V{y.at(frontier[0].y):.1f}"]
    path += [f"H{x.at(point.x):.1f} V{y.at(point.y):.1f}" for point in frontier[1:]]
    return " ".join([*path, f"H{x.end:.1f}"])


def _frontier_labels(frontier: Sequence[Point], x: AxisScale, y: AxisScale) -> list[str]:
    """Name the points of the frontier where the names do not run into one another."""
    taken: list[tuple[float, float, float]] = []
    drawn: list[str] = []
    for point in sorted(frontier, key=lambda p: -p.y)[:MOST_LABELS]:
        at, height, width = x.at(point.x), y.at(point.y), len(point.name) * CHAR
        anchor = "end" if at + width > WIDTH - 20 else "start"
        start = at - width if anchor == "end" else at + 8
        for shift in (-10.0, 18.0, -26.0):
            if all(abs(height + shift - h) > 14 or start + width < a or start > b for a, b, h in taken):
                taken.append((start, start + width, height + shift))
                drawn.append(
                    text(at + (-8 if anchor == "end" else 8), height + shift, point.name, anchor=anchor, style="name")
                )
                break
    return drawn

"""Question by question: where the best configuration and the baseline differ most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rove.markup import Markup, join_markup, tag
from rove.paper.figure import WIDTH, Data, across, figure, text
from rove.paper.scale import AxisScale

ROW, TOP, BELOW = 22.0, 10.0, 50.0
LEFT = WIDTH * 0.52


@dataclass(frozen=True, slots=True)
class Pair:
    """One question: its value with the baseline, and with the other configuration; both 0 … 1 or a little above."""

    label: str
    before: float
    after: float


def dumbbells(name: str, title: str, caption: str, pairs: Sequence[Pair], axis: str) -> Markup:
    """Draw a hollow dot for the baseline, a full one for the other, and a line between them."""
    highest = max([1.0, *(max(pair.before, pair.after) for pair in pairs)])
    scale = AxisScale(0.0, highest, LEFT + 14, WIDTH - 16)
    bottom = TOP + ROW * len(pairs)
    drawn: list[str] = [across(scale, TOP, bottom, axis)]
    for place, pair in enumerate(pairs):
        y = TOP + ROW * (place + 0.5)
        a, b = scale.at(pair.before), scale.at(pair.after)
        style = "better" if pair.after > pair.before else "worse" if pair.after < pair.before else "open"
        drawn.append(text(4, y + 4, pair.label, room=LEFT - 4))
        tip = tag("title", f"{pair.label}: {pair.before:.3f} → {pair.after:.3f}")
        line = tag("line", x1=a, x2=b, y1=y, y2=y, class_="whisker")
        dots = (tag("circle", cx=a, cy=y, r=4.5, class_="hollow"), tag("circle", cx=b, cy=y, r=5))
        drawn.append(tag("g", tip, line, *dots, class_=style))
    rows = [(p.label, f"{p.before:.3f}", f"{p.after:.3f}", f"{p.after - p.before:+.3f}") for p in pairs]
    data = Data(["question", "baseline", "best", "difference"], rows)
    return figure(name, title, caption, join_markup(drawn), bottom + BELOW, data)

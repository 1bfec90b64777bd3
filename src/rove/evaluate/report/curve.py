"""The specification curve: all configurations from worst to best, and below each the choices that it is made of.

Source: Simonsohn, Simmons and Nelson, "Specification curve analysis" (Nature Human Behaviour, 2020).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rove.markup import Markup, join_markup, tag
from rove.paper.figure import CHAR, WIDTH, Data, figure, text, upward
from rove.paper.scale import scale_of

TOP, HEIGHT, ROW = 34.0, 200.0, 15.0


@dataclass(frozen=True, slots=True)
class Specification:
    """One configuration: its quality, what it is made of (factor → choice, as a reader knows them), and its colour."""

    name: str
    value: float
    choices: Mapping[str, str]
    style: str = ""


def curve(
    name: str,
    title: str,
    caption: str,
    factors: Mapping[str, Sequence[str]],
    specifications: Sequence[Specification],
    label: str,
) -> Markup:
    """Draw the curve. `factors`: factor → its choices, in the order in which they are shown."""
    ordered = sorted(specifications, key=lambda s: (s.value, s.name))
    names = [choice for choices in factors.values() for choice in choices]
    left = min(max([len(n) for n in names] + [8]) * CHAR + 24, WIDTH * 0.3)
    step = (WIDTH - 12 - left) / max(len(ordered), 1)
    up = scale_of([s.value for s in ordered], TOP + HEIGHT, TOP)
    drawn: list[str] = [upward(up, left, WIDTH - 12, label)]
    rows = _factor_row_positions(factors)
    for (factor, choice), y in rows.items():
        drawn.append(
            text(16 if choice else 4, y + 4, choice or factor, style="" if choice else "group", room=left - 22)
        )
        if choice:
            drawn.append(tag("line", x1=left, x2=WIDTH - 12, y1=y, y2=y, class_="grid"))
    for place, one in enumerate(ordered):
        drawn.append(_specification_column(one, left + (place + 0.5) * step, up.at(one.value), rows, step))
    data = Data(
        ["configuration", label, *factors],
        [(s.name, f"{s.value:.4f}", *(s.choices.get(f, "") for f in factors)) for s in reversed(ordered)],
    )
    bottom = max(rows.values(), default=TOP + HEIGHT) + ROW
    return figure(name, title, caption, join_markup(drawn), bottom, data)


def _factor_row_positions(factors: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], float]:
    """Where each factor's heading and each choice stands."""
    found: dict[tuple[str, str], float] = {}
    y = TOP + HEIGHT + 14
    for factor, choices in factors.items():
        y += ROW * 0.7
        found[factor, ""] = y
        for choice in choices:
            y += ROW
            found[factor, choice] = y
        y += ROW * 0.6
    return found


def _specification_column(
    one: Specification, x: float, y: float, rows: Mapping[tuple[str, str], float], step: float
) -> Markup:
    width = max(min(step * 0.62, 9.0), 1.0)
    said = ", ".join(f"{factor} {choice}" for factor, choice in one.choices.items())
    marks = [
        tag("rect", x=x - width / 2, y=rows[pair] - 4, width=width, height=8)
        for pair in one.choices.items()
        if pair in rows
    ]
    dot = tag("circle", cx=x, cy=y, r=min(max(step * 0.4, 1.8), 5.0))
    return tag(
        "g", tag("title", f"{one.name}: {one.value:.3f} ({said})"), dot, *marks, class_=f"spec {one.style}".strip()
    )

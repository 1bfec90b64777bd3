"""The analyst of the case as operators and a tool: what changed notably, and what an indicator is in a year."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from examples.financial_report.make_data import INDICATORS

from rove.errors import InputError
from rove.flow import FlowContext
from rove.records.figures import Computed, Figure

POINTS, TIMES = 2.0, 0.15
"""What is a notable change: of a share in points, of anything else by this part of it."""
WHY = {
    ("en", True): "Why did {name} rise in {year}?",
    ("en", False): "Why did {name} fall in {year}?",
    ("de", True): "Warum stieg {name} {year}?",
    ("de", False): "Warum sank {name} {year}?",
}
LABELS: Mapping[str, Sequence[str]] = {
    name: [one.casefold() for one in said]
    for name, said in tomllib.loads((Path(__file__).parent / "report.toml").read_text("utf-8"))["steps"]["figures"][
        "labels"
    ].items()
}
YEAR = re.compile(r"(?<!\d)20\d\d(?!\d)")


@dataclass(frozen=True, slots=True)
class Notable:
    """A ratio that changed by much. `question`: why, in the language of the report of that year; `year`: a filter."""

    now: Computed
    before: Computed
    question: str
    year: str
    weight: float


@dataclass(frozen=True, slots=True)
class Named:
    """The tool that a question surely asks for."""

    tool: str
    arguments: Mapping[str, str | int] = field(default_factory=dict[str, str | int])


async def indicators(context: FlowContext) -> list[dict[str, str]]:
    """Give the indicators that the case works out."""
    del context
    return [{key: one[key] for key in ("name", "title", "formula", "unit")} for one in INDICATORS]


async def notable(context: FlowContext, *, ratios: Sequence[Computed], most: int) -> list[Notable]:
    """Choose the ratios that changed most from one year to the next, and ask why; the latest year first.

    `most`: of each year.
    """
    by_place = {(one.name, one.period): one for one in ratios}
    languages = {str(one.fields.get("year", "")): one.language for one in await context.kb.documents()}
    found: list[Notable] = []
    for now in ratios:
        before = by_place.get((now.name, str(int(now.period) - 1)))
        if before is None or now.value is None or before.value is None:
            continue
        weight = _weight(now, before)
        if weight >= 1.0:
            language = languages.get(now.period, "en")
            rises = now.value > before.value
            question = WHY.get((language, rises), WHY["en", rises]).format(name=_name(now, language), year=now.period)
            found.append(Notable(now, before, question, f"year={now.period}", weight))
    found.sort(key=lambda one: -one.weight)
    years = sorted({one.now.period for one in found}, reverse=True)
    return [one for year in years for one in [each for each in found if each.now.period == year][:most]]


async def named_indicator(context: FlowContext, *, question: str) -> Named | None:
    """Say which tool is asked for: the question names an indicator or a figure, and a year, and does not ask why."""
    del context
    folded, year = question.casefold(), YEAR.search(question)
    if year is None or re.match(r"\s*(?:why|warum|weshalb|wieso)\b", folded):
        return None
    asked = {each: ("indicator", one["name"]) for one in INDICATORS for each in _called(one) if each in folded}
    asked = asked or {each: ("figure", name) for name, said in LABELS.items() for each in said if each in folded}
    if not asked:
        return None
    tool, name = asked[max(asked, key=len)]
    return Named(tool, {"name": name, "year": int(year[0])})


def _called(one: Mapping[str, str]) -> tuple[str, str]:
    """How an indicator is called in questions, without the article of its German name."""
    return one["title"].casefold(), one["de"].partition(" ")[2].casefold()


def indicator_tool(ratios: Sequence[Computed]) -> Callable[..., object]:
    """Make the tool of what was worked out."""
    by_place = {(one.name, one.period): one for one in ratios}

    def indicator(name: str, year: int) -> str:
        """Return a financial indicator of the company in a year, with its formula and the figures that it is made of.

        Args:
            name: Name of the indicator, like gross_margin or current_ratio.
            year: The year.
        """
        found = by_place.get((name, str(year)))
        if found is None:
            message = f"There is no {name} of {year}."
            raise InputError(message, cure=f"There are: {', '.join(sorted({one for one, _ in by_place}))}.")
        said = f"{found.title} of {found.period} is {shown(found)}."
        if found.value is None:
            missing = ", ".join(found.missing)
            why = f"the reports do not state {missing}" if missing else found.note
            said = f"{found.title} of {found.period} cannot be worked out: {why.rstrip('.')}."
        stated = "; ".join(f"{one.name} {one.period}: {one.value:,.0f} {one.unit}" for one in found.inputs)
        return "\n\n".join(filter(None, (said, f"It is worked out as {found.formula}.", stated)))

    return indicator


def figure_tool(figures: Sequence[Figure]) -> Callable[..., object]:
    """Make the tool of what the reports state."""
    by_place = {(one.name, one.period): one for one in figures}

    def figure(name: str, year: int) -> str:
        """Return a figure that the company's annual reports state for a year, and where.

        Args:
            name: Name of the figure, like revenue or borrowings.
            year: The year.
        """
        found, said = by_place.get((name, str(year))), f"{name.replace('_', ' ').capitalize()} of {year}"
        if found is None:
            return f"{said}: the reports do not state it."
        place = f"“{found.written}” in {found.citation.title}"
        return f"{said}: {found.value / 1e6:,.1f} million {found.unit}.\n\nIt stands as {place}."

    return figure


def shown(one: Computed, *, sign: bool = False) -> str:
    """Write a value with its unit.

    >>> shown(Computed("margin", "Margin", "a / b", "2025", "%", 41.0))
    '41.0 %'
    >>> shown(Computed("cash", "Cash", "a - b", "2025", "EUR", -7_700_000.0))
    '−7.7 million EUR'
    """
    if one.value is None:
        return "–"
    value = one.value / 1e6 if one.unit == "EUR" else one.value
    text = (f"{value:+,.1f}" if sign else f"{value:,.1f}") if one.unit != "x" else f"{value:,.2f}"
    unit = {"%": " %", "x": "", "EUR": " million EUR"}.get(one.unit, f" {one.unit}")
    return f"{text}{unit}".replace("-", "−")


def _weight(now: Computed, before: Computed) -> float:
    first, last = before.value or 0.0, now.value or 0.0
    if now.unit == "%":
        return abs(last - first) / POINTS / 2
    return abs(last - first) / max(abs(first), 1e-9) / TIMES / 2


def _name(one: Computed, language: str) -> str:
    told = next(each for each in INDICATORS if each["name"] == one.name)
    return told["de"] if language == "de" else f"the {told['title'].lower()}"

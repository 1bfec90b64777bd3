"""Make the data of the case: three annual reports of an invented company, and what belongs to them.

The figures stand in company.toml; sums are worked out here, so that the statements add up.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
COMPANY = tomllib.loads((HERE / "company.toml").read_text("utf-8"))
INDICATORS: Sequence[Mapping[str, str]] = tomllib.loads((HERE / "indicators.toml").read_text("utf-8"))["indicators"]
LANGUAGES = ("en", "de")


def make(folder: Path) -> Path:
    """Write the documents into a folder; returns it."""
    documents = folder / "documents"
    documents.mkdir(parents=True, exist_ok=True)
    for name, text in (*(report(one) for one in COMPANY["reports"]), *others()):
        (documents / name).write_text(text, "utf-8")
    return documents


def figures(year: str, *, restated: bool = False) -> dict[str, int]:
    """All figures of a year in thousands of EUR, the sums among them; one that no report states is not there."""
    told: dict[str, Any] = COMPANY["years"][year]
    found = {name: value for name, value in told.items() if isinstance(value, int)}
    if restated:
        found |= told.get("restated", {})
    found["gross_profit"] = found["revenue"] - found["cost_of_sales"]
    found["operating_profit"] = found["gross_profit"] - found["operating_costs"]
    found["net_profit"] = found["operating_profit"] - found["interest_expense"] - found["taxes"]
    found["total_assets"] = found["current_assets"] + found["non_current_assets"]
    owed = sum(found[name] for name in ("current_liabilities", "borrowings", "other_liabilities"))
    found["equity"] = found["total_assets"] - owed
    return found


def report(one: Mapping[str, Any]) -> tuple[str, str]:
    """One annual report: what happened in words, and the statements of two years as tables."""
    language, years = one["language"], one["years"]
    stated = {years[0]: figures(years[0]), years[1]: figures(years[1], restated=one.get("restated", False))}
    parts = [_front(layer="reports", year=years[0], language=language), f"# {one['title']}"]
    for heading, text in one["sections"]:
        parts += [f"## {heading}", text]
    for statement in COMPANY["statements"]:
        rows = [
            (label[1 + LANGUAGES.index(language)], *(_written(stated[year].get(label[0]), one) for year in years))
            for label in statement["lines"]
        ]
        caption = statement["caption"][language].format(unit=one["unit"])
        parts += [f"## {statement['heading'][language]}", caption, table(["", *years], rows)]
    return one["file"], "\n\n".join(parts) + "\n"


def others() -> Iterator[tuple[str, str]]:
    """What indicators mean, who belongs to whom, and a note that is not to be trusted."""
    rows = [(one["title"], one["formula"], one["unit"], one["about"]) for one in INDICATORS]
    parts = [_front(layer="indicators", language="en"), "# What the indicators mean"]
    parts.append(table(["Indicator", "Formula", "Unit", "What it says"], rows))
    for one in INDICATORS:
        parts += [f"## {one['title']}", f"{one['title']} is worked out as {one['formula']}. {one['about']}"]
    yield "indicators.md", "\n\n".join(parts) + "\n"
    group, note = COMPANY["group"], COMPANY["note"]
    front = _front(layer="group", language="en")
    yield group["file"], f"{front}\n\n# {group['title']}\n\n{table(group['columns'], group['rows'])}\n"
    false = table(["EUR million", "2025"], [("Revenue", "999.9")])
    yield note["file"], f"{_front(layer='notes', language='en')}\n\n# {note['title']}\n\n{note['text']}\n\n{false}\n"


def table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table of markdown."""
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def _written(thousands: int | None, one: Mapping[str, Any]) -> str:
    if thousands is None:
        return "n/a" if one["language"] == "en" else "k. A."
    text = f"{thousands:,}" if one["thousands"] == 1 else f"{thousands / one['thousands']:,.1f}"
    return text if one["language"] == "en" else text.replace(",", " ").replace(".", ",").replace(" ", ".")


def _front(**fields: str) -> str:
    return "---\n" + "".join(f"{name}: {value}\n" for name, value in fields.items()) + "---"

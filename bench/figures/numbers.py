"""Numbers of two sets: a table that the reader was built on, and one that CLDR and num2words have written."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from bench import ROOT
from bench.figures.outcomes import Case, Outcome
from rove.language.quantities.reader import read_quantities
from rove.language.quantities.units import units_by_name
from rove.records.quantity import Quantity

SEEN = ROOT / "tests" / "language" / "quantities.txt"
UNSEEN = Path(__file__).with_name("numbers_unseen.txt")
NAMES = {"date": "date", "clock": "clock", "ordinal": "ordinal", "calendar_year": "year"}
UNSURE = 0.5
"""A first reading of less certainty than that, or as much, is no figure that is said."""


def seen() -> Iterator[Case]:
    """Read the table of the tests; a case is right where every quantity of it is."""
    kind = ""
    for line in SEEN.read_text("utf-8").splitlines():
        if line.startswith("#"):
            kind = line.strip("# ") or kind
        elif line:
            language, text, wanted = line.split(" | ")
            found = [one for one in read_quantities(text, language) if one.kind != "label"]
            wants = [] if wanted == "-" else wanted.split("; ")
            same = len(found) == len(wants) and all(map(is_same, found, wants))
            yield Case(kind, language, "right" if same else "wrong" if found else "refused", f"{text} → {shown(found)}")


def unseen() -> Iterator[Case]:
    """Read what CLDR and num2words write: one quantity a line."""
    for line in UNSEEN.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, language, text, value, unit = line.split(" | ")
            found = [one for one in read_quantities(text, language) if one.kind != "label"]
            yield Case(kind, language, judged(found, f"{value} {unit}".strip()), f"{text} → {shown(found)}")


def judged(found: list[Quantity], wanted: str) -> Outcome:
    """Say what became of a text that holds one quantity."""
    if len(found) == 1 and is_same(found[0], wanted):
        return "right"
    sure = [one for one in found if one.certainty > UNSURE]
    return "wrong" if sure else "refused"


def is_same(found: Quantity, wanted: str) -> bool:
    """Say whether a quantity is what a case names: "14 day", "2024-03-03 date", "1234"."""
    value, _, name = wanted.partition(" ")
    if name == "date":
        return found.day is not None and found.day.iso == value
    if not found.readings:
        return False
    first = found.readings[0]
    if name in NAMES:
        return found.kind == NAMES[name] and first.value == float(value)
    unit = next((one for one in units_by_name().values() if one.name == name), None)
    if unit is None:
        same_name = (first.unit.name if first.unit else "") == name
        return found.kind in {"number", "year"} and same_name and math.isclose(first.value, float(value))
    amount = float(value) * unit.factor + unit.plus
    return first.kind == unit.kind and math.isclose(first.amount, amount, rel_tol=1e-8, abs_tol=1e-9)


def shown(found: list[Quantity]) -> str:
    """Write what was read."""
    parts = [
        one.day.iso if one.day else f"{one.value:.10g} {one.unit.name if one.unit else ''}".strip() for one in found
    ]
    return "; ".join(parts) or "nothing"

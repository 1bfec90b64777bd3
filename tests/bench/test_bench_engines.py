"""The page of engines has each that runs here, in each mode, and says what the how-to promises."""

from __future__ import annotations

from pathlib import Path

from bench.stores import ENGINE_FILTERS

import engines
from rove.retrieve import RETRIEVERS

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"
NOT_MEASURED = {"elasticsearch"}
"""No real node of it is at hand."""


def table(title: str) -> list[list[str]]:
    """The cells of a table of the page, its head first."""
    part = PAGE.read_text("utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows]


def test_each_engine_is_measured_in_each_way_and_finds_what_the_embedded_index_finds() -> None:
    head, *rows = table("Overlap@10 with the embedded index")
    assert head[1] == "embedded" and {*head[2:]} == {*engines.QUICK, *engines.SLOW} - NOT_MEASURED
    assert {row[0] for row in rows} == {*RETRIEVERS.table, *ENGINE_FILTERS}
    assert min(float(share) for row in rows for share in row[1:]) >= 0.98
    assert [row[0] for row in table("What each costs")[1:]] == head[1:]

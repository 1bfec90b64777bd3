"""Figures read from tables, and formulas worked out with them: units, scales, languages, what is missing or wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from flow.outside import ACCOUNTS
from rove import AsyncRove, ConfigError, Text, field
from rove.flow import FlowContext
from rove.flow.formula import Amount, Needed, read_formula
from rove.flow.operators.figures import compute, figures

LABELS = {"revenue": ["Revenue", "Umsatzerlöse", "营业收入"], "profit": ["Profit", "Gewinn", "净利润"]}
GERMAN = """# Abschluss

Tabelle 1: Gewinn- und Verlustrechnung (in TEUR), wie der Vorstand sie für das Jahr festgestellt hat

| Posten | 2025 | 2024 |
| --- | --- | --- |
| Umsatzerlöse | 493.700 | 419.000 |
| Gewinn | −1.250,5 | k. A. |
"""
CHINESE = """# 年度报告

利润表（单位：百万元）

| 项目 | 2025年 | 2024年 |
| --- | --- | --- |
| 营业收入 | 1,200 | 1,000 |
| 净利润 | 60 | 55 |
"""


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[AsyncRove]:
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as base:
        yield base


async def read(kb: AsyncRove, *texts: str) -> dict[tuple[str, str], tuple[float, str]]:
    await kb.add(*(Text(text, id=f"t{n}", title=f"T{n}", kind="markdown") for n, text in enumerate(texts)))
    found = await figures(FlowContext(kb), labels=LABELS)
    for one in found:
        text = await kb.text(one.citation.document_id)
        assert text[slice(*one.citation.span)] == one.citation.quote == one.written
        _, chunks = await kb.document(one.citation.document_id)
        assert one.citation.chunk_id in {chunk.chunk_id for chunk in chunks}
    return {(one.name, one.period): (one.value, one.unit) for one in found}


async def test_figures_are_whole_units_with_their_cell(kb: AsyncRove) -> None:
    assert await read(kb, ACCOUNTS) == {
        ("revenue", "2023"): (400_000_000.0, "EUR"),
        ("revenue", "2024"): (420_000_000.0, "EUR"),
        ("profit", "2023"): (30_000_000.0, "EUR"),
        ("profit", "2024"): (-21_000_000.0, "EUR"),
    }


async def test_german_numbers_and_thousands(kb: AsyncRove) -> None:
    found = await read(kb, GERMAN)
    assert found["revenue", "2025"] == (493_700_000.0, "EUR")
    assert found["profit", "2025"] == (-1_250_500.0, "EUR")
    assert ("profit", "2024") not in found


async def test_chinese_units_stand_without_spaces(kb: AsyncRove) -> None:
    assert (await read(kb, CHINESE))["revenue", "2025"] == (1_200_000_000.0, "CNY")


async def test_the_latest_document_counts_and_the_other_is_kept(kb: AsyncRove) -> None:
    await read(kb, ACCOUNTS, GERMAN)
    found = {(one.name, one.period): one for one in await figures(FlowContext(kb), labels=LABELS)}
    restated = found["revenue", "2024"]
    assert (restated.value, restated.citation.document_id) == (419_000_000.0, "t1")
    assert [(one.document_id, one.quote) for one in restated.others] == [("t0", "420.0")]
    assert found["profit", "2024"].others == ()


async def test_a_filter_of_the_run_and_of_the_step_both_hold(kb: AsyncRove) -> None:
    await read(kb, ACCOUNTS, GERMAN)
    context = FlowContext(kb, field("document_id") == "t0")
    assert {one.citation.document_id for one in await figures(context, labels=LABELS)} == {"t0"}
    assert await figures(context, labels=LABELS, where=["document_id=t1"]) == ()


async def ratio(kb: AsyncRove, formula: str, unit: str = "%") -> dict[str, tuple[float | None, str]]:
    await read(kb, ACCOUNTS)
    context = FlowContext(kb)
    declared = [{"name": "it", "formula": formula, "unit": unit}]
    found = await compute(context, formulas=declared, figures=await figures(context, labels=LABELS))
    return {one.period: (one.value, one.note) for one in found}


async def test_formulas_give_shares_amounts_and_growth(kb: AsyncRove) -> None:
    assert (await ratio(kb, "profit / revenue"))["2023"] == (7.5, "")
    assert (await ratio(kb, "revenue - profit", "EUR"))["2024"] == (441_000_000.0, "")
    assert (await ratio(kb, "(revenue - before(revenue)) / before(revenue)"))["2024"] == (pytest.approx(5.0), "")
    assert (await ratio(kb, "profit / mean(revenue)", "x"))["2024"] == (pytest.approx(-21 / 410), "")


async def test_what_is_missing_is_said_and_never_guessed(kb: AsyncRove) -> None:
    found = await ratio(kb, "revenue / before(revenue) - costs")
    assert found["2023"] == (None, "Not stated: revenue 2022, costs 2023.")


async def test_units_are_checked(kb: AsyncRove) -> None:
    assert (await ratio(kb, "revenue / profit + revenue"))["2024"][1] == (
        "It cannot be worked out: a plain number and EUR cannot be added."
    )
    assert (await ratio(kb, "revenue * profit"))["2024"] == (None, "It comes out in EUR^2, and not in '%'.")
    assert (await ratio(kb, "revenue", "USD"))["2024"] == (None, "It comes out in EUR, and not in 'USD'.")


def test_division_by_nothing_is_said() -> None:
    with pytest.raises(ValueError, match="divides by 0"):
        read_formula("1 / (a - a)").value(lambda one: Amount(2.0))


@pytest.mark.parametrize(
    "text",
    ["__import__('os')", "a.b", "a ** 2", "before(a + b)", "max(a, b)", "a if b else c", "'x' + a", "a +", "a" * 600],
)
async def test_only_arithmetic_is_a_formula(kb: AsyncRove, text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_formula(text)
    with pytest.raises(ConfigError, match="'it' is wrong"):
        await compute(FlowContext(kb), formulas=[{"name": "it", "formula": text}], figures=())


async def test_a_formula_that_is_declared_wrongly_is_refused(kb: AsyncRove) -> None:
    with pytest.raises(ConfigError, match="formula"):
        await compute(FlowContext(kb), formulas=[{"name": "it"}], figures=())


def test_needs_are_named_once() -> None:
    assert read_formula("a - before(a) + a").needs == (Needed("a"), Needed("a", before=True))

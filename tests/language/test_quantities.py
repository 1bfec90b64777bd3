"""Numbers are read as the language of their text writes them: a table of cases in many languages."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove.language.quantities.digits import decimal_mark_in
from rove.language.quantities.reader import parse_number, read_quantities, same_quantity
from rove.language.quantities.units import convert, unit_named, units_by_name
from rove.records.quantity import Quantity

TABLE = Path(__file__).with_name("quantities.txt")
UNITS = {unit.name: unit for unit in units_by_name().values()}


def cases() -> list[tuple[str, str, str]]:
    lines = [line.split(" | ") for line in TABLE.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return [(language, text, wanted) for language, text, wanted in lines]


def is_wanted(found: Quantity, wanted: str) -> bool:
    """Say whether a quantity is what a case of the table names: "14 day", "2024-03-03 date", "1234"."""
    value, _, name = wanted.partition(" ")
    if name == "date":
        return found.day is not None and found.day.iso == value
    if name in {"clock", "ordinal", "calendar_year"}:
        return found.kind == {"calendar_year": "year"}.get(name, name) and found.value == float(value)
    if found.kind != "number" or (found.unit is None) != (not name):
        return False
    unit = UNITS.get(name)
    if unit is None or found.unit is None:
        return math.isclose(found.value, float(value)) and (found.unit.name if found.unit else "") == name
    same = found.unit.kind == unit.kind
    return same and math.isclose(convert(found.value, found.unit, unit), float(value), rel_tol=1e-8, abs_tol=1e-9)


@pytest.mark.parametrize(("language", "text", "wanted"), cases())
def test_what_a_text_counts(language: str, text: str, wanted: str) -> None:
    found = [one for one in read_quantities(text, language) if one.kind != "label"]
    named = [] if wanted == "-" else wanted.split("; ")
    assert len(found) == len(named), found
    for one, name in zip(found, named, strict=True):
        assert is_wanted(one, name), (one, name)
        assert 0 <= one.span[0] <= one.number[0] < one.number[1] <= one.span[1] <= len(text)


def test_the_table_is_large_enough() -> None:
    assert len(cases()) >= 400
    assert len({language for language, _, _ in cases()}) >= 12


def test_two_readings_where_nothing_says_which_mark_is_meant() -> None:
    (unclear,) = read_quantities("1,234 km")
    assert [reading.value for reading in unclear.readings] == [1234.0, 1.234]
    assert unclear.certainty <= 0.5
    (german,), (english,) = read_quantities("1,234 km", "de"), read_quantities("1234 km", "en")
    assert not same_quantity(german, english)
    assert same_quantity(unclear, english)


def test_a_text_shows_its_own_marks() -> None:
    first, second = read_quantities("Paid 1.250,00 EUR of 2.500 EUR", "en")
    assert (first.value, second.value) == (1250.0, 2500.0)
    assert decimal_mark_in(["1,234", "2,500.75"], "de") == "."


@pytest.mark.parametrize(
    ("one", "language", "other", "spoken"),
    [
        ("EUR 2,460", "en", "2.460 €", "de"),
        ("2,460 euros", "en", "€2,460", "en"),
        ("two weeks", "en", "vierzehn Tage", "de"),
        ("másfél óra", "hu", "90 Minuten", "de"),
        ("三百五十万", "zh", "3.5 million", "en"),
        ("2 millió forint", "hu", "2,000,000 HUF", "en"),
        ("3 maja 2026", "pl", "2026-05-03", "en"),
    ],
)
def test_the_same_quantity_in_other_words(one: str, language: str, other: str, spoken: str) -> None:
    assert same_quantity(read_quantities(one, language)[0], read_quantities(other, spoken)[0])


@pytest.mark.parametrize(
    ("cell", "language", "value"),
    [
        ("(1,250.5)", "en", -1250.5),
        ("1.250,5", "de", 1250.5),
        ("△1,200", "ja", -1200.0),
        ("12 000 Ft", "hu", 12000.0),
        ("**7**", "en", 7.0),
        ("n/a", "en", None),
        ("7 of 9", "en", None),
        ("AX-200", "en", None),
    ],
)
def test_a_cell_is_one_number_or_none(cell: str, language: str, value: float | None) -> None:
    found = parse_number(cell, language)
    assert (found.value if found else None) == value


def test_a_unit_of_another_kind_is_no_target() -> None:
    kilo, euro = unit_named("kg"), unit_named("EUR")
    assert kilo
    assert euro
    with pytest.raises(ValueError, match="do not measure the same"):
        convert(1.0, kilo, euro)


@given(st.text(max_size=60), st.sampled_from(["en", "de", "hu", "zh", "ja", "fr", "it", "ru", "tr", "und", ""]))
def test_any_text_can_be_read(text: str, language: str) -> None:
    last = 0
    for one in read_quantities(text, language):
        assert last <= one.span[0] <= one.number[0] <= one.number[1] <= one.span[1] <= len(text)
        last = one.span[1]


@given(st.integers(0, 10**12))
def test_grouped_digits_are_the_number(number: int) -> None:
    for language, mark in (("en", ","), ("de", "."), ("fr", "\u202f"), ("hu", "\u00a0"), ("pl", " ")):
        (found,) = read_quantities(f"{number:,}".replace(",", mark), language)
        assert found.value == number

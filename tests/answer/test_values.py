"""Values are the same however they are written, in each language, and differ where the unit or the half-day does."""

from __future__ import annotations

import pytest

from rove.answer.cite import support
from rove.answer.claim import numbers
from rove.answer.values import holds_value, read_values, units_in

SAME = [
    ("It opens at 3 pm.", "en", "Es öffnet um 15 Uhr.", "de"),
    ("from 10 am to 3 pm", "en", "von 10 bis 15 Uhr", "de"),
    ("zwischen 10.00 und 15.00 Uhr", "de", "délelőtt 10 és délután 3 óra között", "hu"),
    ("下午两点半", "zh", "14時30分", "ja"),
    ("午後5時30分", "ja", "17:30", "de"),
    ("reggel 7 óra 40 perckor", "hu", "7:40-kor", "hu"),
    ("1 March 2024", "en", "01.03.2024", "de"),
    ("2024-03-01", "en", "2024年3月1日", "zh"),
    ("2025. február 11-én", "hu", "11. Februar 2025", "de"),
    ("October 8, 2015", "en", "8 de octubre de 2015", "es"),
    ("within a day", "en", "二十四小时", "zh"),
    ("after seven days", "en", "nach einer Woche", "de"),
    ("half an hour", "en", "30 perc", "hu"),
    ("half an hour", "en", "三十分钟", "zh"),
    ("24 months", "en", "zwei Jahre", "de"),
    ("24か月", "ja", "两年", "zh"),
    ("半年", "zh", "六个月", "zh"),
    ("1.86メートル", "ja", "186cm", "ja"),
    ("4,12 Megawattstunden", "de", "4.120 kWh", "de"),
    ("0,8 millió forint", "hu", "800 000 Ft", "hu"),
    ("hatezer forint", "hu", "6000 forints", "en"),
    ("€55 per day", "en", "napi 55 euró", "hu"),
    ("10.39亿美元", "zh", "1,039 million dollars", "en"),
    ("百分之一点八", "zh", "1.8 %", "de"),
    ("about 162.6 billion euros", "en", "162,584 million euros", "en"),
    ("十四文字", "ja", "14个字符", "zh"),
    ("fünf Arbeitstage", "de", "öt munkanap", "hu"),
    ("1,234.5 km", "en", "1234.5 km", "en"),
    ("500 forintért", "hu", "500 forint", "hu"),
    ("30米的墙", "zh", "30 m", "en"),
    ("三年間の契約", "ja", "three years", "en"),
    ("5キロメートルの道", "ja", "5 km", "de"),
]
DIFFERENT = [
    ("It opens at 3 pm.", "en", "It opens at 3 am.", "en"),
    ("20 GB", "en", "20 MB", "de"),
    ("sieben Stunden", "de", "sieben Tage", "de"),
    ("seven hours", "en", "seven days", "en"),
    ("五十美元", "zh", "五十元", "zh"),
    ("二十四天", "zh", "二十四小时", "zh"),
    ("四日間", "ja", "四時間", "ja"),
    ("55 forint", "hu", "55 euró", "hu"),
    ("18 October 2015", "en", "October 8, 2015", "en"),
    ("1989", "en", "1991", "en"),
    ("4,121 km", "en", "4,120 km", "en"),
    ("12,5 %", "de", "12,6 %", "de"),
    ("two months", "en", "二年間", "ja"),
    ("három nap", "hu", "három munkanap", "hu"),
]


def held(one: str, language: str, other: str, spoken: str) -> bool:
    values = read_values(one, language)
    assert values
    told = read_values(other, spoken)
    return all(holds_value(value, told, units_in(other)) for value in values)


@pytest.mark.parametrize(("one", "language", "other", "spoken"), SAME)
def test_the_same_value_in_other_words(one: str, language: str, other: str, spoken: str) -> None:
    assert held(one, language, other, spoken)


@pytest.mark.parametrize(("one", "language", "other", "spoken"), DIFFERENT)
def test_another_value_with_the_same_digits(one: str, language: str, other: str, spoken: str) -> None:
    assert not held(one, language, other, spoken)


@pytest.mark.parametrize(
    "text", ["一般来说统一的千里马", "A lakás egy szép ház.", "One of us may come.", "Ein Hund bellt.", ""]
)
def test_what_counts_nothing_is_no_value(text: str) -> None:
    assert read_values(text, "zh" if text[:1] == "一" else "hu" if "lakás" in text else "en") == []


@pytest.mark.parametrize("text", ["三" * 9_000 + "年", "九" * 9_000, "1" * 9_000, "1 111 " * 3_000, "九点半" * 3_000])
def test_numbers_without_end_are_read_or_left(text: str) -> None:
    """Digits of π in a source or a reply are data: nothing is raised."""
    values = read_values(text, "zh")
    assert support(text, text, "zh") is None or values
    for value in values[:3]:
        assert holds_value(value, values[:3])


def test_a_bare_number_of_a_table_is_of_the_unit_in_its_header() -> None:
    table = "| Month | Power (kWh) | Cost (euro) |\n| --- | --- | --- |\n| January | 4,120 | 3,870 |"
    (value,) = read_values("4.12 MWh", "en")
    assert holds_value(value, read_values(table, "en"), units_in(table))
    (value,) = read_values("4.12 GWh", "en")
    assert not holds_value(value, read_values(table, "en"), units_in(table))


def test_a_value_is_looked_for_in_the_sentence_that_holds_the_rest() -> None:
    text = "The shop opens at 9 am. The hall closes at 5 pm and lies behind the shop."
    assert support("The shop opens at 9.00.", text, "en") == (0, 23)
    assert support("The hall closes at 17:00.", text, "en") is not None
    assert support("The hall closes at 5 am.", text, "en") is None


@pytest.mark.parametrize(
    ("text", "language", "number"),
    [("twenty people", "en", "20"), ("zwanzig Leute", "de", "20"), ("húsz ember", "hu", "20"), ("twelve", "en", "12"),
     ("ninety", "en", "90"), ("neunzig", "de", "90")],
)  # fmt: skip
def test_numbers_that_are_written_out_are_read(text: str, language: str, number: str) -> None:
    assert numbers(text, language) == {number}


@pytest.mark.parametrize("text", ["2024-13-01", "13/13/2024", "2024-02-32", "32.02.2024"])
def test_what_no_calendar_has_is_no_date(text: str) -> None:
    kinds = {kind for value in read_values(text, "en") for kind, _ in value.readings}
    assert not kinds & {"month", "day"}


@pytest.mark.parametrize(("text", "number"), [("三万人", 30_000), ("一千五百人", 1_500), ("数百万", 1_000_000)])
def test_a_large_unit_is_part_of_a_number(text: str, number: int) -> None:
    assert ("", float(number)) in {reading for value in read_values(text, "zh") for reading in value.readings}

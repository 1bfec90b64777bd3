"""Slots: values by pattern, enum, number and date in five languages; a model's values are held to the declaration."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rove import ConfigError
from rove.language.quantities.dates import whole_days
from rove.language.quantities.han import han_number
from rove.language.quantities.reader import numbers_in
from rove.records import Slot
from scripted_chat import ScriptedChat, Understanding

SLOTS = {
    "room": {"type": "enum", "values": {"A": ("blue room", "蓝色房间"), "B": ("red room", "赤い部屋")}},
    "people": {"type": "number", "description": "how many people", "required": True},
    "day": {"type": "date", "description": "on which day"},
    "ticket": {"type": "pattern", "pattern": r"\b(OPS-\d+)\b"},
    "purpose": {"type": "text", "description": "what for"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Is the blue room free for 12 people on March 3, 2026?", {"room": "A", "people": "12", "day": "2026-03-03"}),
        ("Ist das blaue Zimmer am 3. März 2026 frei für 1.200 Leute?", {"people": "1200", "day": "2026-03-03"}),
        ("Szabad a B terem 2026. március 3-án 12 főre", {"room": "B", "people": "12", "day": "2026-03-03"}),
        ("蓝色房间在2026年3月3日能坐十二个人吗", {"room": "A", "people": "12", "day": "2026-03-03"}),
        ("赤い部屋は2026年3月3日に12人で使えますか", {"room": "B", "people": "12", "day": "2026-03-03"}),
        ("See ops-4711 please", {"ticket": "ops-4711"}),
    ],
)
async def test_rules_fill_slots(understanding: Understanding, question: str, wanted: dict[str, str]) -> None:
    found = await understanding(slots=SLOTS).understand(question)
    assert {slot.name: slot.value for slot in found.slots} == wanted
    assert all(slot.text in question for slot in found.slots)
    assert found.missing == (() if "people" in wanted else ("people",))


async def test_a_model_fills_what_rules_cannot_and_is_held_to_the_declaration(understanding: Understanding) -> None:
    wrote = [
        {"name": "purpose", "value": "a birthday party"},
        {"name": "room", "value": "C"},
        {"name": "people", "value": "some"},
        {"name": "day", "value": "2026-13-45"},
        {"name": "invented", "value": "x"},
    ]
    chat = ScriptedChat(Filled={"slots": wrote})
    found = await understanding(chat, slots=SLOTS).understand("Red room for a birthday party of twelve")
    wanted = (
        ("room", "B", "Red room"),
        ("people", "12", "twelve"),
        ("purpose", "a birthday party", "a birthday party"),
    )
    assert found.slots == tuple(Slot(*one) for one in wanted)
    assert "room (one of: A, B)" in chat.asked("Filled")[0]


async def test_a_failing_model_leaves_it_to_the_rules(understanding: Understanding) -> None:
    found = await understanding(ScriptedChat(), slots=SLOTS).understand("Red room for 4")
    assert [slot.value for slot in found.slots] == ["B", "4"]
    assert "No script" in found.steps[-1].note


async def test_slots_belong_to_kinds_of_questions(understanding: Understanding) -> None:
    intents = {"book": {"examples": ["book a room"]}, "other": {"examples": ["opening hours"]}}
    slots = {"people": {"type": "number", "required": True, "intents": ("book",)}}
    asked = understanding(slots=slots, intents=intents)
    assert (await asked.understand("book a room")).missing == ("people",)
    assert (await asked.understand("opening hours")).missing == ()


async def test_a_pattern_gives_a_number_its_place(understanding: Understanding) -> None:
    slots = {
        "people": {"type": "number", "pattern": r"(\d+) people"},
        "nights": {"type": "number", "pattern": r"(\d+) nights"},
    }
    found = await understanding(slots=slots).understand("3 nights for 2 people")
    assert {slot.name: slot.value for slot in found.slots} == {"nights": "3", "people": "2"}


async def test_a_broken_pattern_is_named_and_an_endless_one_ends(understanding: Understanding) -> None:
    with pytest.raises(ConfigError, match=r"slots\.x\.pattern"):
        await understanding(slots={"x": {"type": "pattern", "pattern": "("}}).understand("What?")
    found = await understanding(slots={"x": {"type": "pattern", "pattern": r"(a|a?)+$"}}).understand("a" * 60 + "!")
    assert found.slots == ()


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("1,234,567.89", "en", ["1234567.89"]),
        ("1.234.567,89", "de", ["1234567.89"]),
        ("1 234 567,89", "hu", ["1234567.89"]),
        ("3.5 or -2", "en", ["3.5", "-2"]),
        ("三万五千人", "zh", ["35000"]),
        ("百二十円", "ja", ["120"]),
        ("no number", "en", []),
        ("COVID19 v2.3", "en", []),
    ],
)
def test_numbers(text: str, language: str, wanted: list[str]) -> None:
    assert [number.value for number in numbers_in(text, language)] == wanted


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("3/4/2026", "en", ["2026-03-04"]),
        ("3/4/2026", "de", ["2026-04-03"]),
        ("2026-02-30", "en", []),
        ("31 décembre 2025", "fr", ["2025-12-31"]),
        ("3 de mayo de 2026", "es", ["2026-05-03"]),
        ("holnap", "hu", ["2026-01-01"]),
        ("明天还是今天", "zh", ["2026-01-01", "2025-12-31"]),
        ("the 3rd of May 2026", "en", ["2026-05-03"]),
        ("Sept. 1, 2026", "en", ["2026-09-01"]),
    ],
)
def test_dates(text: str, language: str, wanted: list[str]) -> None:
    assert [day.value for day in whole_days(text, language, "2025-12-31")] == wanted


@given(st.integers(0, 99_999_999))
def test_chinese_numbers_are_read_as_they_are_written(number: int) -> None:
    assert han_number(written(number)) == number


def written(number: int) -> str:
    """A number in Chinese characters, every unit and every nought spelled out."""
    if number >= 10_000:
        rest = number % 10_000
        return f"{written(number // 10_000)}万{written(rest) if rest else ''}"
    digits = "零一二三四五六七八九"
    parts = [(number // unit % 10, name) for unit, name in ((1000, "千"), (100, "百"), (10, "十"))]
    text = "".join(f"{digits[digit]}{name}" if digit else "" for digit, name in parts)
    return text + (digits[number % 10] if number % 10 or not text else "")


@given(st.text(max_size=80), st.sampled_from(["en", "de", "hu", "zh", "ja", "und"]))
@example("\U00010d40", "en")
def test_any_text_can_be_read(text: str, language: str) -> None:
    for quantity in (*numbers_in(text, language), *whole_days(text, language, "2026-01-01")):
        assert 0 <= quantity.start < quantity.end <= len(text)

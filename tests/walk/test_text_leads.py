"""What a source refers to where it says a fact, and how much such a lead is worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from rove.records import Citation, Document
from rove.records.walk_events import Fact, Lead
from rove.references.places_within import Spot
from rove.references.text_references import Reference
from rove.walk.leads import lead_id
from rove.walk.text_leads import NEAR_CHARS, leads_from_text, window

SAID = "Leave takes five days, see section 4.2."
AFTER = " For pay, see section 7 and “Travel costs”."
TEXT = f"# 1 Rules\n{SAID}{AFTER}\n\nSee section 9.\n"


class Held:
    """The places of a base that holds some of what is referred to."""

    def __init__(self, spots: dict[str, Spot], text: str = TEXT) -> None:
        self.found = spots
        self.text = text

    async def hold(self, document_ids: Iterable[str]) -> None:
        self.held = list(document_ids)

    async def document(self, document_id: str) -> Document | None:
        assert document_id in self.held
        return Document(document_id, "s", "markdown", self.text) if document_id == "d" else None

    async def spots(self, asked: Sequence[tuple[Reference, Document]]) -> list[Spot | None]:
        return [self.found.get(reference.target) for reference, _ in asked]


def fact(document_id: str = "d", quote: str = SAID, text: str = TEXT) -> Fact:
    start = text.index(quote)
    citation = Citation(0, "c", document_id, "", "", quote, (start, start + len(quote)))
    return Fact("f", quote, 1.0, 2, "text", citation)


async def leads(spots: dict[str, Spot], said: Fact, text: str = TEXT) -> list[tuple[Lead, bool]]:
    return await leads_from_text([said], Held(spots, text))  # pyright: ignore


async def test_a_reference_within_the_words_of_a_fact_is_worth_more_than_one_after_them() -> None:
    spots = {"4.2": Spot("d", (300, 340), "4.2 Leave"), "7": Spot("other", None, "Pay")}
    found = await leads(spots, fact())
    assert [(one.text, one.kind, one.score, there) for one, there in found] == [
        ("section 4.2 (4.2 Leave)", "reference", 0.8, True),
        ("section 7 (Pay)", "reference", 0.64, True),  # 0.8 of that
    ]
    assert [(one.document_id, one.span, one.round) for one, _ in found] == [("d", (300, 340), 2), ("other", None, 2)]
    assert found[1][0].lead_id == lead_id("", "other", None)


async def test_what_the_base_does_not_hold_is_told_and_a_name_is_searched_for() -> None:
    found = await leads({}, fact())
    assert [(one.text, there) for one, there in found] == [
        ("section 4.2", False),
        ("section 7", False),
    ]
    named = "More is said elsewhere, see “Travel costs”."
    other = await leads({}, fact(quote=named, text=named), named)
    assert [(one.text, one.kind, one.score, there) for one, there in other] == [("Travel costs", "section", 0.8, True)]


async def test_a_reference_to_where_it_stands_is_no_lead() -> None:
    start = TEXT.index(SAID)
    own = Spot("d", (start - 5, start + 10), "1 Rules")
    assert await leads({"4.2": own, "7": Spot("d", None, "all of it")}, fact()) == []
    most = Spot("d", (0, len(TEXT) - 1), "1 Rules")  # most of the document may hold something else yet
    assert [one.text for one, _ in await leads({"4.2": most, "7": own}, fact())] == ["section 4.2 (1 Rules)"]
    ends = Spot("d", (0, start), "before")
    assert [one.text for one, _ in await leads({"4.2": ends, "7": own}, fact())] == ["section 4.2 (before)"]


async def test_a_fact_without_a_source_at_hand_gives_none() -> None:
    assert await leads({}, fact("gone")) == []
    assert await leads({}, Fact("f", "I say so, see section 4.", 1.0, 1, "user")) == []


@pytest.mark.parametrize("gap", ["\n\n", "\n"])
def test_what_follows_is_read_to_the_end_of_the_paragraph_and_no_further(gap: str) -> None:
    text = f"One. Two.{gap}Three."
    assert window(text, (5, 9)) == ("Two." if gap == "\n\n" else "Two.\nThree.")
    assert window("One. " + "x" * 2 * NEAR_CHARS, (0, 4)) == "One. " + "x" * 199
    assert NEAR_CHARS == 200

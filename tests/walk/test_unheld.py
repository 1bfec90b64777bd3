"""What nothing in the base holds cannot be found by walking: it keeps no walk going, and the answer says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import AsyncRove, field
from rove.records.walk_events import Budget, Fact, FactFound, Judged, RoundStarted, WalkStarted
from rove.walk.handle import AsyncWalk
from rove.walk.judge import judged_by_text
from rove.walk.state import State, folded
from walk.chain import opened

BORN = "Was Ada Byron born in 1893 at the Zyzzyva?"


async def walked(kb: AsyncRove, question: str, **more: object) -> AsyncWalk:
    walk = kb.walk(question, **more)  # pyright: ignore
    await walk.answered()
    return walk


def standing(question: str, *facts: str, language: str = "en") -> State:
    begun = WalkStarted("w", question, language, "extractive", Budget())
    found = [FactFound(Fact(text, text, 0.9, 1)) for text in facts]
    return folded([begun, RoundStarted(1, ("",)), *found])


async def test_a_word_that_nothing_holds_keeps_no_walk_going(tmp_path: Path) -> None:
    async with await opened(tmp_path, walk={"memory": False}) as kb:
        walk = await walked(kb, BORN)
        assert walk.state.stopped.reason == "enough"
        assert walk.state.round == 1
        assert walk.state.open_leads
        judged = walk.state.verdicts[-1]
        assert judged.missing == ""
        assert judged.reason.endswith("1 of them are nowhere to be found.")
        assert "Nothing that this walk could see mentions “Zyzzyva”." in walk.answer.note


async def test_a_word_that_something_holds_keeps_it_going(tmp_path: Path) -> None:
    async with await opened(tmp_path, walk={"memory": False}) as kb:
        walk = await walked(kb, BORN.replace("Zyzzyva", "university"))
        assert walk.state.round > 1
        assert walk.state.verdicts[0].missing == "university"
        assert "could see" not in walk.answer.note


async def test_what_the_filter_hides_is_not_held(tmp_path: Path) -> None:
    async with await opened(tmp_path, walk={"memory": False}) as kb:
        walk = await walked(kb, BORN.replace("Zyzzyva", "university"), where=field("document_id") != "szeged")
        assert walk.state.stopped.reason == "enough"
        assert "mentions “university”." in walk.answer.note


async def test_words_of_another_language_than_the_bases_are_not_named(tmp_path: Path) -> None:
    async with await opened(tmp_path, walk={"memory": False}) as kb:
        walk = await walked(kb, "In welchem Jahr wurde die Schuhmacherin Ada Byron geboren?")
        assert walk.state.language == "de"
        assert "could see" not in walk.answer.note


async def test_another_form_of_a_word_that_was_read_is_not_named(tmp_path: Path) -> None:
    async with await opened(tmp_path, walk={"memory": False}) as kb:
        walk = await walked(kb, BORN.replace("Zyzzyva", "Szegedian Zyzzyva"))
        assert "mentions “Zyzzyva”." in walk.answer.note


@pytest.mark.parametrize(
    ("language", "question", "fact"),
    [
        ("zh", "病假期间发多少工资？", "病假期间按基本工资的百分之八十发放工资。"),
        ("ja", "紛失したら何時間以内に連絡しますか？", "紛失したときは、一時間以内に電話で連絡する。"),
    ],
)
def test_what_reaches_over_a_words_end_or_asks_is_no_word(language: str, question: str, fact: str) -> None:
    judged = judged_by_text(standing(question, fact, language=language))
    assert (judged.enough, judged.missing) == (True, "")


@pytest.mark.parametrize(
    ("question", "unheld", "enough"),
    [
        ("Was Ada born in Szeged?", (), True),
        ("Was Ada born in Szeged by day?", (), False),
        ("Was Ada born in Szeged by day?", ("day",), True),
        ("Was Ada wed by day, night, moon?", ("wed", "day", "night", "moon"), False),
    ],
    ids=["all held", "one lacks", "one is nowhere", "most are nowhere"],
)
def test_the_words_that_are_nowhere_do_not_count_unless_they_are_most(
    question: str, unheld: tuple[str, ...], enough: bool
) -> None:
    judged = judged_by_text(standing(question, "Ada was born in Szeged."), unheld)
    assert isinstance(judged, Judged)
    assert judged.enough is enough

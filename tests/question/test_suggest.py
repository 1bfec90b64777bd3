"""What was asked is kept where the settings allow it, suggested by prefix and meaning, and can be erased."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import AsyncRove
from rove.question.suggest import usual_wording
from rove.records import History, Turn
from rove.settings import QuestionSettings
from rove.store.question_log import MOST_KEPT, QuestionLog
from scripted_chat import Understanding

QUESTIONS = [
    ("Who approves remote work?", 3),
    ("When does the library open?", 2),
    ("When does the canteen open?", 1),
    ("谁批准远程办公？", 2),
]


@pytest.fixture
def log(kb: AsyncRove) -> QuestionLog:
    made = QuestionLog(kb.store.catalog.database)
    for text, count in QUESTIONS:
        for _ in range(count):
            made.note(text, "zh" if text.startswith("谁") else "en")
    return made


async def test_what_begins_alike_comes_first_the_frequent_before_the_rare(kb: AsyncRove, log: QuestionLog) -> None:
    assert (await kb.suggest("when DOES"))[:2] == ["When does the library open?", "When does the canteen open?"]
    assert (await kb.suggest("谁批"))[0] == "谁批准远程办公？"
    assert (await kb.suggest("", most=1)) == ["Who approves remote work?"]
    assert set((await kb.suggest(""))[1:3]) == {"When does the library open?", "谁批准远程办公？"}
    assert (await kb.suggest("canteen"))[0] == "When does the canteen open?"


async def test_then_comes_what_is_near_in_meaning(kb: AsyncRove, log: QuestionLog) -> None:
    assert await kb.suggest("approves who, remote work") == ["Who approves remote work?"]
    assert await kb.suggest("quantum chromodynamics") == []


async def test_a_frequent_wording_takes_the_place_of_a_rare_one(kb: AsyncRove, log: QuestionLog) -> None:
    async def usual(question: str) -> str:
        return await usual_wording(question, log, kb.embedder, language="en")

    assert await usual("so who approves the remote work") == "Who approves remote work?"
    for other in (
        "the library: when does it open",  # asked twice only
        "Who does not approve remote work?",
        "Who ends remote work?",
        "Who approves remote work in Berlin?",
        "quantum",
    ):
        assert await usual(other) == other


async def test_the_frequent_wording_is_searched_for_where_the_settings_say_so(
    understanding: Understanding, log: QuestionLog
) -> None:
    found = await understanding(usual_wording=True).understand("who approves the remote work")
    assert found.standalone == "Who approves remote work?"
    assert [step.name for step in found.steps] == ["usual wording"]
    history = History((Turn("Parking?", "Forty euros."),))
    found = await understanding(usual_wording=True).understand("who approves the remote work", history)
    assert found.standalone == "who approves the remote work"


async def test_only_the_setting_keeps_questions(kb: AsyncRove) -> None:
    await kb.ask("Who approves remote work?")
    assert await kb.suggest() == []
    kb.settings = kb.settings.model_copy(update={"question": QuestionSettings(log=True)})
    await kb.ask("Who approves remote work?")
    await kb.ask("who approves  REMOTE work")
    await kb.ask("誰がスーパーボウルで優勝しましたか")  # nothing near enough: not worth suggesting
    assert QuestionLog(kb.store.catalog.database).frequent(most=9)[0].count == 2
    assert await kb.suggest() == ["Who approves remote work?"]


async def test_what_was_asked_can_be_erased_bytes_and_all(kb: AsyncRove, log: QuestionLog, tmp_path: Path) -> None:
    log.note("My salary is 48151623 euros, is it fair?", "en")
    assert await kb.forget_asked("my SALARY is 48151623 euros, is it fair") == 1
    held = b"".join(file.read_bytes() for file in (tmp_path / "kb").glob("catalog.sqlite*"))
    assert b"48151623" not in held
    assert await kb.forget_asked() == len(QUESTIONS)
    assert await kb.suggest() == []


def test_blank_and_endless_questions_are_not_kept_and_the_log_is_bounded(
    kb: AsyncRove, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = QuestionLog(kb.store.catalog.database)
    for text in ("?!", "x " * 400):
        log.note(text, "en")
    assert log.frequent(most=5) == []
    assert MOST_KEPT > 1000
    monkeypatch.setattr("rove.store.question_log.MOST_KEPT", 3)
    for number in range(6):
        log.note(f"question {number}", "en")
    assert len(log.frequent(most=9)) == 3

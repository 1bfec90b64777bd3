"""Answers as an earlier version has kept them."""

from __future__ import annotations

from rove.conversation.kept_turns import KeptReply, from_text, to_text
from rove.records import Answer, Sentence, Verdict
from rove.records.walk_events import Answered
from rove.walk.json_format import from_line, to_line

EARLIER = [("It opened in 1908.", "quoted"), ("It is “doubtful”.", "doubtful"), ("Elephants dance.", "unsupported")]
NOW: list[tuple[Verdict, bool]] = [("quoted", False), ("supported", False), ("unsourced", True)]


def kept(text: str) -> str:
    """The verdicts in a text of today, as they were called."""
    for (said, before), (verdict, _) in zip(EARLIER, NOW, strict=True):
        now = f'"text":"{said}","citations":[],"verdict":"{verdict}","deleted":false'
        assert now in text
        text = text.replace(now, f'"text":"{said}","citations":[],"verdict":"{before}"')
    return text


def answer() -> Answer:
    sentences = tuple(Sentence(said, (), verdict) for (said, _), (verdict, _) in zip(EARLIER, NOW, strict=True))
    return Answer("When?", "It opened in 1908. It is “doubtful”. [1?]", "m", "en", sentences)


def test_kept_conversations_and_walks_of_the_release_before_are_read() -> None:
    turn = from_text(kept(to_text(KeptReply(answer())))).answer
    walked = from_line(kept(to_line(Answered(answer()))))
    assert isinstance(walked, Answered)
    assert turn is not None
    for found in (turn, walked.answer):
        assert [(one.verdict, one.deleted) for one in found.sentences] == NOW
        assert [one.text for one in found.sentences] == [said for said, _ in EARLIER]

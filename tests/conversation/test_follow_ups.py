"""A second question that means what the first was about is asked of that, whatever its words; another one is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.turns import KINDS, converse, read_turns

from rove import Rove

TEXTS, TURNS = read_turns("turns")


@pytest.mark.model
@pytest.mark.parametrize("language", ["en", "de", "hu", "zh", "fr"])
def test_what_was_spoken_of_is_meant_where_the_base_does_not_tell_which(language: str, tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb") as kb:
        kb.add(*(text for text in TEXTS if text.id.startswith(language)))
        of_kind = {kind: [one for one in TURNS if (one.language, one.kind) == (language, kind)][-2:] for kind in KINDS}
        for one, answer in converse(kb, [one for turns in of_kind.values() for one in turns]):
            assert one.is_right(answer), (one.first, one.second, answer)


@pytest.mark.model
def test_behind_thanks_what_was_spoken_of_is_what_was_asked_before(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb") as kb:
        kb.add(*(text for text in TEXTS if text.id.startswith("en")))
        conversation = kb.begin_conversation()
        kb.converse(conversation, "What does the gym cost?")
        kb.converse(conversation, "Thank you!")
        answer = kb.converse(conversation, "How much do guests pay?").answer.text
    assert "9 euros" in answer and "5 euros" not in answer

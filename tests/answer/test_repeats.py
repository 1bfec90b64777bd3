"""What a chat model in a loop says again stands once; what comes again on purpose stays."""

from __future__ import annotations

import pytest

from rove.answer.repeats import Repeats
from rove.answer.reply import ReplyParser, ReplyPart, ReplyText


def shown(reply: str, language: str = "en") -> str:
    parser, repeats, text = ReplyParser(language), Repeats(), ReplyText()
    return "".join(text.add(part) for part in repeats.rest([*parser.feed(reply), *parser.close()]))


@pytest.mark.parametrize(
    ("reply", "once"),
    [
        ("It is 4417. " * 30, "It is 4417."),
        ("It is 4417.\n\n" * 3, "It is 4417."),
        ("A rule. Its reason. " * 9, "A rule. Its reason."),
        ("- Open it.\n" * 5, "- Open it."),
        ("".join(f"{n}. Open it.\n" for n in range(1, 20)), "1. Open it."),
        ("密码是4417。" * 12, "密码是4417。"),
        ("It is red, it is new, it is " + "very very " * 50 + "old.", "It is red, it is new, it is very old."),
        ("| A | B |\n|---|---|\n" + "| x | y |\n" * 20, "| A | B |\n|---|---|\n| x | y |"),
        ("One. One. Two. Two.", "One. Two."),
        ("It is 4417. It is 4417! it is 4417. " * 10, "It is 4417."),
        ("A rule. Its reason. A rule. " * 6, "A rule. Its reason. A rule."),
    ],
)  # fmt: skip
def test_a_loop_stands_once(reply: str, once: str) -> None:
    assert shown(reply).strip() == once


@pytest.mark.parametrize(
    "reply",
    [
        "1. Press A.\n2. Wait 5 minutes.\n3. Press B.\n4. Wait 5 minutes.",
        "1. No.\n2. No.\n3. Yes.",
        "## Costs\n\nNot told.\n\n## Dates\n\nNot told.",
        "| A | B |\n|---|---|\n| 0 | 0 |\n| 0 | 0 |\n| 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |",
        "```\nx = 1\nx = 1\nx = 1\nx = 1\nx = 1\nx = 1\nx = 1\nx = 1\nx = 1\nx = 1\n```",
        "Values: 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0.",
    ],
)
def test_what_comes_again_on_purpose_stays(reply: str) -> None:
    assert shown(reply) == reply


def test_an_endless_reply_is_known_after_a_few_rounds() -> None:
    repeats = Repeats()
    for told in range(8):
        repeats.take(ReplyPart(("One.", "Two.")[told % 2], (), told))
        assert repeats.endless == (told == 7)

"""What is to be known of a result: each code has a sentence in each language, with the same slots."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import get_args

import msgspec
import pytest

import rove
from rove.answer.outdated import with_days
from rove.conversation.kept_turns import KeptReply, from_text, to_text
from rove.records import Answer, Citation, Note, Sentence
from rove.records.note import FREE, catalogue, notes_text
from rove.records.walk_events import LeadDropped, Stop
from rove.walk import why
from rove.walk.json_format import from_line, to_line

FULL = ("en", "de", "hu", "zh", "ja")
"""Languages in which every code has a sentence; of others some are there, and else English is said."""
SOURCES = sorted(Path(rove.__file__).parent.rglob("*.py"))


def slots(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


def written() -> Iterator[tuple[str, set[str]]]:
    """The codes that are written out where a note is made, with the names of their parameters."""
    for file in SOURCES:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(ast.Name("Note"), [ast.Constant(str(code))]):
                    yield code, set()
                case ast.Call(ast.Name("Note"), [ast.Constant(str(code)), ast.Dict(keys)]) if all(keys):
                    yield code, {str(key.value) for key in keys if isinstance(key, ast.Constant)}
                case _:
                    pass


def test_each_code_has_a_sentence_in_each_language_with_the_same_slots() -> None:
    languages = {file.name.partition(".")[0] for file in files("rove.records").joinpath("notes").iterdir()}
    for language in languages:
        told = catalogue(language)
        assert told.keys() <= catalogue("en").keys()
        assert language not in FULL or told.keys() == catalogue("en").keys()
        for code, sentence in told.items():
            assert slots(sentence) == slots(catalogue("en")[code]), (language, code)


def test_each_code_that_is_used_is_in_the_catalogue_and_the_other_way_round() -> None:
    made = list(written())
    assert len(made) > 40
    for code, given in made:
        assert code in catalogue("en"), code
        assert slots(catalogue("en")[code]) <= given, code
    texts = "".join(file.read_text("utf-8") for file in SOURCES)
    ends = {f"stop-{stop}" for stop in get_args(Stop)}
    assert ends == {code for code in catalogue("en") if code.startswith("stop-")}
    assert [code for code in catalogue("en") if f'"{code}"' not in texts and code not in ends] == []


@pytest.mark.parametrize("language", FULL)
def test_an_answer_says_its_notes_in_its_language(language: str) -> None:
    cited = Citation(2, "c", "d", "d.md", "D", "It is.", (0, 6), as_of="2026-11-01")
    answer = with_days(Answer("?", "It is. [2]", "extractive", language, (Sentence("It is.", (cited,)),)))
    assert answer.notes == (Note("stale-source", {"number": 2, "day": "2026-11-01"}),)
    assert answer.note == catalogue(language)["stale-source"].format(number=2, day="2026-11-01")


def test_a_language_without_a_sentence_says_it_in_english_and_a_code_that_is_not_known_is_said_itself() -> None:
    assert Note("no-model").text("xx") == Note("no-model").text("fr") == catalogue("en")["no-model"]
    assert Note("no-model").text("../en") == Note("no-model").text("en")
    assert Note("of-tomorrow").text("de") == "of-tomorrow"
    assert Note("unanswered", {"chance": "much"}).text("de") == "unanswered"
    assert notes_text([Note("no-model"), Note("no-model"), Note(FREE, {"text": "{x}"})], "hu").endswith(". {x}")


def test_what_an_earlier_version_has_kept_opens_and_says_what_it_said() -> None:
    said = "Nothing was found in the knowledge base."
    now = to_text(KeptReply(Answer("Hol?", "Nem.", "refused", "hu", note=said)))
    before = msgspec.json.decode(now)
    assert before["answer"].pop("notes") == [{"code": FREE, "parameters": {"text": said}}]
    answer = from_text(msgspec.json.encode(before).decode()).answer
    assert answer
    assert (answer.note, answer.notes) == (said, (Note(FREE, {"text": said}),))
    told = from_text(to_text(KeptReply(Answer("Hol?", "Nem.", "refused", "hu", notes=(Note("nothing-found"),))))).answer
    assert told
    assert told.note == catalogue("hu")["nothing-found"]


def test_events_of_a_walk_of_an_earlier_version_are_read() -> None:
    event = LeadDropped("a", 1, *why("hu", Note("lead-not-in-base")))
    assert event.reason == catalogue("hu")["lead-not-in-base"]
    assert from_line(to_line(event)) == event
    before = '{"event":"LeadDropped","data":{"lead_id":"a","round":1,"reason":"what it refers to is not in the base"}}'
    assert from_line(before) == LeadDropped("a", 1, catalogue("en")["lead-not-in-base"])

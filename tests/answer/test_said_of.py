"""Questions for all that is said of a subject: quoted where a heading or a sentence names it, else refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest

from rove import Rove, Text
from rove.answer.extract import Candidate, list_candidates
from rove.answer.forms.said_of import headings_above
from rove.records import Answer, Chunk, Hit, field

pytestmark = pytest.mark.model

MANUALS = {
    "pump": """# Pump RQ-800

## Warranty and liability

The maker repairs faults for seven years; wear parts are left out.

## Maintenance

Oil is changed every 900 hours.

## Storage

The pump is kept dry. Frost damages the seals.
""",
    "heizung": """# Heizung

## Garantiebedingungen

Mängel werden sieben Jahre lang behoben.

## Wartung

Das Öl wird alle 900 Stunden gewechselt.
""",
    "szivattyu": """# Szivattyú

## Garancia

A gyártó hét évig javítja a hibákat.

## Karbantartás

Az olajat 900 óránként kell cserélni.
""",
    "水泵": "# 水泵\n\n## 保修与责任\n\n制造商在七年内负责维修故障。\n\n## 保养\n\n每900小时更换机油。\n",
    "ポンプ": "# ポンプ\n\n## 保証\n\n製造者は七年間故障を修理します。\n\n## 保守\n\n油は900時間ごとに交換します。\n",
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    with Rove.open(tmp_path_factory.mktemp("said")) as kb:
        kb.add([Text(text, id=name, title=text.split("\n")[0][2:], kind="markdown") for name, text in MANUALS.items()])
        yield kb


def is_told(answer: Answer) -> bool:
    return [note.code for note in answer.notes] == ["said-of"]


@pytest.mark.parametrize(
    ("question", "said", "document"),
    [
        ("What does the manual say about warranty and liability?", "seven years", "pump"),
        ("Tell me about the warranty", "seven years", "pump"),
        ("What is said about frost?", "Frost damages", "pump"),
        ("Was sagt das Handbuch über die Garantie?", "sieben Jahre", "heizung"),
        ("Mit mond a kézikönyv a garanciáról?", "hét évig", "szivattyu"),
        ("这份手册关于保修是怎么说的？", "七年内", "水泵"),
        ("保証について教えてください", "七年間", "ポンプ"),
    ],
)
def test_what_a_heading_or_a_sentence_names_is_answered(kb: Rove, question: str, said: str, document: str) -> None:
    answer = kb.ask(question)
    assert said in answer.text
    assert document in {one.document_id for one in answer.citations}
    for one in answer.citations:
        assert MANUALS[one.document_id][slice(*one.span)] == one.quote
        assert answer.hits[one.number - 1].chunk.chunk_id == one.chunk_id


@pytest.mark.parametrize(
    "question",
    [
        "What does the manual say about swimming pools?", "Tell me about the weather on Mars",
        "What is said about frost on the moon?", "Was sagt das Handbuch über den Datenschutz?",
        "Mit mond a kézikönyv az adatvédelemről?", "这份手册关于数据保护是怎么说的？", "駐車場について教えてください",
        "Who pays for the warranty?", "How heavy is the pump?",
    ],
)  # fmt: skip
def test_what_nothing_names_is_refused(kb: Rove, question: str) -> None:
    assert kb.ask(question).refused


LONG = {
    "manual": ("## Chapter {n}", "Part {n} is fixed by bolt {n}. ", "## Lubrication\n\nGrease is renewed yearly.\n"),
    "handbuch": ("## Kapitel {n}", "Teil {n} hält Bolzen {n}. ", "## Schmierung\n\nFett wird jährlich erneuert.\n"),
    "手册": ("## 第{n}章", "零件{n}用螺栓{n}固定。", "## 润滑\n\n润滑脂每年更换。\n"),
}
LEAVE = """# Leave policy

## Annual bonus

A bonus is paid in May.

## Annual leave

Thirty days are granted.

## Carry over

Five days are kept until March.
"""


@pytest.fixture(scope="module")
def long_manuals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    with Rove.open(tmp_path_factory.mktemp("long")) as kb:
        for name, (heading, sentence, end) in LONG.items():
            chapters = (f"{heading}\n\n{sentence * 12}\n\n".format(n=n) for n in range(40))
            title = name.capitalize()
            kb.add(Text(f"# {title}\n\n{''.join(chapters)}{end}", id=name, title=title, kind="markdown"))
        kb.add(Text(LEAVE, id="leave", title="Leave policy", kind="markdown"))
        yield kb


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Tell me about lubrication", "Grease is renewed yearly."),
        ("Was steht im Handbuch über Schmierung?", "Fett wird jährlich erneuert."),
        ("手册关于润滑是怎么说的？", "润滑脂每年更换。"),
        ("Tell me about annual leave", "Thirty days are granted."),
    ],
)
def test_of_a_chapter_that_a_long_manual_heads_so_nothing_else_is_quoted(
    long_manuals: Rove, question: str, said: str
) -> None:
    answer = long_manuals.ask(question)
    assert is_told(answer)
    assert [one.quote for one in answer.citations] == [said]


@pytest.mark.parametrize(
    ("question", "title", "said"),
    [
        ("Tell me about chapter 17", "Manual › Chapter 17", {"Part 17 is fixed by bolt 17."}),
        ("Summarise carry over in the leave policy", "Leave policy › Carry over", {"Five days are kept until March."}),
        (
            "Summarise the leave policy",
            "Leave policy",
            {"A bonus is paid in May.", "Thirty days are granted.", "Five days are kept until March."},
        ),
    ],
)
def test_a_section_that_is_named_is_summed_up_alone(
    long_manuals: Rove, question: str, title: str, said: set[str]
) -> None:
    answer = long_manuals.ask(question)
    assert [(note.code, dict(note.parameters)) for note in answer.notes] == [("summed-up", {"titles": f"“{title}”"})]
    assert {one.quote for one in answer.citations} == said


def test_quotes_at_the_same_place_of_two_documents_are_told_apart(tmp_path_factory: pytest.TempPathFactory) -> None:
    """And a row is quoted as a row."""
    texts = {
        "north.md": "# North\n\n## Parking\n\nCars stand in hall 7.\n\n| Stay | Fee |\n|---|---|\n| Day | 9 EUR |\n",
        "south.md": "# South\n\n## Parking\n\n```\nPARKING = 4\n```\n\nBikes stand in yard four.\n",
        "kräne.md": "# Kräne\n\nDie Parkordnung gilt auch dort.\n",
    }
    with Rove.open(tmp_path_factory.mktemp("two")) as kb:
        kb.add([Text(text, id=name, title=text.split("\n")[0][2:], kind="markdown") for name, text in texts.items()])
        answer = kb.ask("Tell me about parking")
    assert is_told(answer)
    assert {one.document_id for one in answer.citations} == {"north.md", "south.md"}
    for one in answer.citations:
        assert texts[one.document_id][slice(*one.span)] == one.quote
    assert "PARKING" not in answer.text
    assert [one.number for one in answer.citations] == sorted(one.number for one in answer.citations)


def test_a_filter_holds_and_the_setting_turns_it_off(kb: Rove, tmp_path_factory: pytest.TempPathFactory) -> None:
    frost = "What is said about frost?"
    assert is_told(kb.ask(frost))
    assert kb.ask(frost, where=field("document_id") == "heizung").refused
    with Rove.open(tmp_path_factory.mktemp("off"), answer={"forms": False}) as other:
        other.add([Text(MANUALS["pump"], id="pump", title="Pump", kind="markdown")])
        assert other.ask(frost).refused


def test_headings_within_a_passage_end_where_one_of_their_level_begins() -> None:
    text = "# A\n\n## B\n\nSomething is said of it.\n\n## C\n\nAnd this is said there.\n\n# D\n\nThe end is told here."
    chunk = Chunk("c", "d", text, (0, len(text)), 0, headings=("Whole",))
    found = cast("list[Candidate]", list_candidates("", [Hit(chunk, 1.0)], "en"))
    assert [headings_above(one) for one in found] == [["Whole", "A", "B"], ["Whole", "A", "C"], ["Whole", "D"]]

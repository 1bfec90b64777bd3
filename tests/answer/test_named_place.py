"""Questions for what stands at a numbered place: just that is told, of each document that has it, else a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rove import Rove, Text
from rove.answer.forms.named_place import LOOKED_INTO
from rove.engine import AsyncRove
from rove.records import Answer, field
from scripted_chat import ScriptedChat

pytestmark = pytest.mark.model

DOCUMENTS = {
    "boiler": """# Boiler manual

## Chapter 1: Safety

Close the valve first.

## Chapter 2: Lighting

Press the red button for five seconds. Wait for the blue flame. Let the air out.

### 2.1 After a long break

Ask a fitter to clean the burner.

## Annex B

Spare parts come from the maker.
""",
    "satzung": """# Satzung des Kleingartenvereins

## § 1 Name

Der Verein heißt Grüne Aue.

## § 6 Beiträge

Der Beitrag wird im März fällig. Wer später zahlt, zahlt zehn Euro mehr.
""",
    "szabaly": """# Olvasótermi rend

## 4. § Táskák

Táskát a ruhatárban kell hagyni.

## 5. § Zaj

A teremben csend van.
""",
    "规定": """# 仓库规定

## 第二章 入库

货物入库前要称重。

## 第五章 盘点

每季度盘点一次。盘点时停止出库。
""",
    "規約": """# 寮の規約

## 第3条 門限

門限は二十二時とする。

## 第8条 来客

来客は一階まで入れる。届出がいる。
""",
    "log": "Maintenance log\n\nChapter 31: pipes\nAll pipes were painted.\n",
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    with Rove.open(tmp_path_factory.mktemp("placed")) as kb:
        kb.add(
            Text(text, id=name, title=text.split("\n")[0].lstrip("# "), kind="text" if name == "log" else "markdown")
            for name, text in DOCUMENTS.items()
        )
        yield kb


def told(answer: Answer) -> list[str]:
    return [one.text for one in answer.sentences]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What does chapter 1 say?", ["Close the valve first."]),
        ("What is section 2.1 of the boiler manual about?", ["Ask a fitter to clean the burner."]),
        ("Show me annex B", ["Spare parts come from the maker."]),
        ("Was steht in § 6?", ["Der Beitrag wird im März fällig.", "Wer später zahlt, zahlt zehn Euro mehr."]),
        ("Fasse § 1 der Satzung zusammen", ["Der Verein heißt Grüne Aue."]),
        ("Mit mond a 4. §?", ["Táskát a ruhatárban kell hagyni."]),
        ("Foglald össze az 5. §-t", ["A teremben csend van."]),
        ("第五章讲了什么？", ["每季度盘点一次。", "盘点时停止出库。"]),
        ("第8条には何が書いてありますか。", ["来客は一階まで入れる。", "届出がいる。"]),
        ("寮の規約の第3条を要約して", ["門限は二十二時とする。"]),
        ("Summarise the chapter on safety", ["Close the valve first."]),
        ("Was steht im Abschnitt über den Namen der Satzung?", ["Der Verein heißt Grüne Aue."]),
    ],
)
def test_all_that_stands_there_is_told_and_no_more(kb: Rove, question: str, wanted: list[str]) -> None:
    answer = kb.ask(question)
    assert told(answer) == wanted
    assert [note.code for note in answer.notes] == ["summed-up"]
    assert all(one.citations and one.verdict == "quoted" for one in answer.sentences)


def test_each_document_in_the_askers_language_is_told_else_each_other(kb: Rove) -> None:
    assert [one.document_id for one in kb.ask("第二章讲了什么？").citations] == ["规定"]
    answer = kb.ask("¿Qué dice el capítulo 2?")
    assert {one.document_id for one in answer.citations} == {"boiler", "规定"}
    assert "**Boiler manual › Chapter 2: Lighting**" in answer.text
    assert "**仓库规定 › 第二章 入库**" in answer.text


async def test_of_documents_alike_the_one_that_shares_a_name_with_the_question_is_meant(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path) as kb:
        for firm, hours in {"Fenwick Brewery": "four", "Ostley Mills": "six"}.items():
            text = f"# Agreement AG-1\n\n## 4. Response\n\nHelp comes within {hours} hours.\n"
            await kb.add(Text(text, id=firm, title=f"{firm} - service contract", kind="markdown"))
        of_one = await kb.ask("What does clause 4 of the Ostley contract say?")
        described = await kb.ask("Summarise the section on response of the Fenwick contract")
        of_both = await kb.ask("What does clause 4 say?")
    assert told(of_one) == ["Help comes within six hours."]
    assert told(described) == ["Help comes within four hours."]
    assert told(of_both) == ["Help comes within four hours.", "Help comes within six hours."]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Give me the gist of chapter 9", "“chapter 9”"),
        ("Was regelt § 44?", "“§ 44”"),
        ("Mit mond a 17. §?", "“17. §”"),
        ("第九章讲了什么？", "“第九章”"),
        ("第30条には何が書いてありますか。", "“第30条”"),
    ],
)
def test_a_place_that_is_nowhere_is_refused_and_named(kb: Rove, question: str, said: str) -> None:
    answer = kb.ask(question)
    assert answer.refused
    assert [note.code for note in answer.notes] == ["place-nowhere"]
    assert said in answer.notes[0].text(answer.language)


def test_a_document_without_the_place_is_named(kb: Rove) -> None:
    answer = kb.ask("Summarise chapter 5 of the boiler manual")  # another document has one
    assert answer.refused
    assert answer.notes[0].text("en").startswith("“Boiler manual” has no “chapter 5”")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How long does chapter 2 say to press the button?", "five seconds"),
        ("Wann ist nach § 6 der Beitrag fällig?", "im März"),
    ],
)
def test_who_asks_for_something_in_it_is_answered_as_ever(kb: Rove, question: str, said: str) -> None:
    answer = kb.ask(question)
    assert said in answer.text
    assert [note.code for note in answer.notes] != ["summed-up"]


def test_a_number_elsewhere_is_not_the_places(kb: Rove) -> None:
    kb.add(Text("Der Beitrag für Gäste beträgt 44 Euro im Jahr.", id="gäste", title="Gäste"))
    by_place, plain = (kb.ask(f"Wie hoch ist der Beitrag für Gäste{end}?") for end in (" nach § 44", ""))
    kb.delete("gäste")
    assert by_place.refused
    assert "44 Euro" in plain.text


def test_a_heading_that_was_read_as_none_is_not_said_to_be_nowhere(kb: Rove) -> None:
    answer = kb.ask("What does chapter 31 say?")
    assert [note.code for note in answer.notes] != ["place-nowhere"]


def test_only_what_is_in_scope_is_looked_into(kb: Rove) -> None:
    answer = kb.ask("What does chapter 1 say?", where=field("document_id") == "satzung")
    assert answer.refused
    assert "Close the valve" not in answer.text


def test_of_what_a_filter_hides_nothing_is_told(kb: Rove) -> None:
    kb.add(
        Text(
            "## Chapter 1\n\nPublic words.\n\n## Chapter 6\n\n| a | b |\n|---|---|\n| Hidden | 7 |\n",
            id="part",
            title="Part",
        )
    )
    seen = kb.ask("What does chapter 6 of Part say?")
    hidden = kb.ask("What does chapter 6 of Part say?", where=field("kind") != "table")
    kb.delete("part")
    assert "Hidden" in seen.text
    assert "Hidden" not in hidden.text


async def test_a_chat_model_reads_the_place_alone(tmp_path: Path) -> None:
    true = "Press the red button for five seconds."
    chat = ScriptedChat(Sentences={"sentences": [true, "It costs 900 euros."]})
    async with AsyncRove.open(tmp_path, chat=chat) as kb:
        await kb.add(Text(DOCUMENTS["boiler"], id="boiler", title="Boiler manual", kind="markdown"))
        answer = await kb.ask("Summarise chapter 2")
    assert told(answer) == [true]
    shown = str(chat.asked("Sentences"))
    assert "Wait for the blue flame." in shown
    assert "Close the valve" not in shown
    assert "Spare parts" not in shown


async def test_how_many_more_documents_have_the_place_is_said(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path) as kb:
        texts = (f"# Lease of hall {at}\n\n## 3. Rent\n\nThe rent is {at}00 pounds.\n" for at in range(1, 8))
        await kb.add([Text(text, id=str(at), title=f"Hall {at}", kind="markdown") for at, text in enumerate(texts, 1)])
        answer = await kb.ask("What does clause 3 say?")
    assert len(told(answer)) == 5
    assert answer.text.endswith("… and 2 more")


async def test_an_annex_by_itself_is_found_by_its_title_with_its_table(tmp_path: Path) -> None:
    annex = "# Annex C to the lease: rates\n\nIn force from May.\n\n| Class | Rate |\n|---|---|\n| Teak | 70 |\n"
    async with AsyncRove.open(tmp_path) as kb:
        lease = "# Lease of the boathouse\n\n## 1. Rent\n\nThe rent is set out in Annex C.\n"
        await kb.add(Text(lease, id="lease", title="Lease of the boathouse", kind="markdown"))
        await kb.add(Text(annex, id="annex", title="Annex C to the lease: rates", kind="markdown"))
        by_title, by_lease = [await kb.ask(f"Summarise annex C{end}") for end in ("", " of the lease of the boathouse")]
    assert told(by_title) == ["In force from May.", "Class: Teak; Rate: 70"]
    assert told(by_lease) == told(by_title)


def test_of_many_documents_nothing_is_claimed(tmp_path: Path) -> None:
    with Rove.open(tmp_path) as kb:
        kb.add(Text(f"Letter {at} is kept.", id=f"d{at}") for at in range(LOOKED_INTO + 1))
        assert [note.code for note in kb.ask("What does chapter 9 say?").notes] != ["place-nowhere"]

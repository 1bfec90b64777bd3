"""Long-term memory: found by meaning and words, tied to its source, in the hands of its owner."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from dataclasses import replace
from math import cos, radians
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rove.engine import AsyncRove
from rove.errors import InputError
from rove.language.words import query_terms
from rove.records import Citation, Text
from rove.records.learned import LeadEnd, Remembered
from rove.retrieve.long_term_memory import LongTermMemory
from rove.store import tables

TEXTS = {
    "en": "The harbour master is Ingrid Dahl. She has held the office since 2014.",
    "de": "Die Hafenmeisterin heißt Greta Thomsen. Sie wohnt am Deich.",
    "hu": "A kikötő vezetője Kovács Ilona. Irodája a mólón áll.",
    "zh": "港口主任是王小明。他的办公室在码头。",
    "ja": "港長は田中花子です。事務所は桟橋にあります。",
}
ASKED = {
    "en": ("Who is the harbour master?", "The harbour master is Ingrid Dahl."),
    "de": ("Wie heißt die Hafenmeisterin?", "Die Hafenmeisterin heißt Greta Thomsen."),
    "hu": ("Ki a kikötő vezetője?", "A kikötő vezetője Kovács Ilona."),
    "zh": ("港口主任是谁？", "港口主任是王小明。"),
    "ja": ("港長は誰ですか？", "港長は田中花子です。"),
}
NOBODY = "Quixotrombone marmaladers whisper behind Kettlefrostham."


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[AsyncRove]:
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as base:
        await base.add([Text(text, id=name) for name, text in TEXTS.items()])
        yield base


def fact(language: str, quote: str = "", text: str = "", **more: object) -> Remembered:
    quote = quote or ASKED[language][1]
    start = TEXTS[language].index(quote)
    citation = Citation(0, f"{language}-0", language, language, language, quote, (start, start + len(quote)))
    return Remembered("", text or quote, "", 0.9, citation, **more)  # pyright: ignore[reportArgumentType]


async def learn(kb: AsyncRove, *languages: str) -> None:
    for language in languages or TEXTS:
        end = LeadEnd(f"lead {language}", "name", "answer", document_id=language, walk_id=f"w-{language}")
        assert await kb.memory().keep(ASKED[language][0], [fact(language)], [end], language) == 1


@pytest.mark.parametrize("language", TEXTS)
async def test_what_was_learned_is_found_in_every_language(kb: AsyncRove, language: str) -> None:
    await learn(kb)
    found = await kb.memory().search(ASKED[language][0])
    assert found[0].text == ASKED[language][1]
    assert found[0].score >= 0.85
    assert all(one.score < 0.5 for one in found[1:])
    again = await kb.memory().search(ASKED[language][1])
    assert again[0].text == ASKED[language][1]


async def test_only_what_the_live_text_says_is_kept(kb: AsyncRove) -> None:
    good = fact("en")
    false = Remembered("", "x", "", 1.0, Citation(0, "c", "en", "", "", "The harbour master is Bob.", (0, 26)))
    gone = Remembered("", "x", "", 1.0, Citation(0, "c", "nobody", "", "", "text", (0, 4)))
    lead = LeadEnd("somewhere", "name", "nothing", document_id="nobody")
    assert await kb.memory().keep("Who?", [good, false, gone], [lead], "en") == 1
    assert [one.text for one in await kb.memory().facts()] == [good.text]
    assert await kb.memory().leads() == []


async def test_the_same_fact_for_the_same_question_is_known_once_for_another_twice_and_found_once(
    kb: AsyncRove,
) -> None:
    for question in ("Who is it?", "Who is it?", "Who is the master?"):
        await kb.memory().keep(question, [fact("en")], [], "en")
    assert len(await kb.memory().facts()) == 2
    assert len(await kb.memory().search("harbour master")) == 1


async def test_a_fact_goes_with_its_document(kb: AsyncRove) -> None:
    await learn(kb)
    await kb.delete("de")
    await kb.add(Text(TEXTS["hu"] + " Új mondat.", id="hu"))
    assert {one.citation.document_id for one in await kb.memory().facts()} == {"en", "zh", "ja"}
    assert {one.document_id for one in await kb.memory().leads()} == {"en", "zh", "ja"}
    assert [one.citation.document_id for one in await kb.memory().search(ASKED["de"][0]) if one.score > 0.5] == []
    await kb.add(Text(TEXTS["en"], id="en"))
    assert "en" in {one.citation.document_id for one in await kb.memory().facts()}


async def test_an_edit_keeps_the_citation_and_is_found_by_its_new_words(kb: AsyncRove) -> None:
    await learn(kb)
    before = next(one for one in await kb.memory().facts() if one.citation.document_id == "en")
    changed = await kb.memory().edit(before.memory_id[:6], "  Ingrid Dahl runs\nthe marina. ")
    assert (changed.text, changed.edited, changed.citation) == ("Ingrid Dahl runs the marina.", True, before.citation)
    assert (await kb.memory().search("Who runs the marina?"))[0].memory_id == before.memory_id


@pytest.mark.parametrize(("memory_id", "text"), [("nothing-like-it", "x"), ("", "x"), ("*", " \n")])
async def test_an_edit_that_cannot_be_says_what_to_do(kb: AsyncRove, memory_id: str, text: str) -> None:
    await learn(kb, "en")
    name = (await kb.memory().facts())[0].memory_id if memory_id == "*" else memory_id
    with pytest.raises(InputError, match="rove memory"):
        await kb.memory().edit(name, text)


async def test_spaces_are_apart(kb: AsyncRove) -> None:
    await learn(kb, "en")
    assert await kb.memory("other").facts() == []
    assert await kb.memory("other").search(ASKED["en"][0]) == []
    await kb.memory("other").keep("Wer?", [fact("de")], [], "de")
    assert await kb.memory("other").clear() == 1
    assert len(await kb.memory().facts()) == 1


async def test_to_forget_one_unsettles_what_its_walk_found(kb: AsyncRove) -> None:
    facts = [fact("en", walk_id="w", used=True, stamp="s"), fact("de", walk_id="w", used=True, stamp="s")]
    await kb.memory().keep("Who?", facts, [], "en")
    first, second = await kb.memory().facts()
    assert await kb.memory().forget(first.memory_id) == 1
    assert [(one.memory_id, one.stamp) for one in await kb.memory().facts()] == [(second.memory_id, "")]
    with pytest.raises(InputError):
        await kb.memory().forget(second.memory_id, "nothing-like-it")
    assert len(await kb.memory().facts()) == 1


def traces(base: Path, *words: str) -> set[str]:
    """The files that hold one of these, save the index, which this is not about."""
    found: set[str] = set()
    for file in base.rglob("*"):
        data = file.read_bytes() if file.is_file() else b""
        found |= {file.name for word in words if word.encode() in data}
    return found


WAYS = ("delete", "change", "forget", "clear", "edit")


@pytest.mark.parametrize("way", WAYS)
async def test_what_is_erased_is_on_no_disk(kb: AsyncRove, tmp_path: Path, way: str) -> None:
    await kb.add(Text(NOBODY, id="secret"))
    citation = Citation(0, "c", "secret", "", "", NOBODY, (0, len(NOBODY)))
    told = Remembered("", f"Zephyrine: {NOBODY}", "", 1.0, citation)
    lead = LeadEnd("Zwirbelhausen", "name", "nothing", document_id="secret", walk_id="w")
    await kb.memory().keep("What?", [told], [lead], "en")
    (kept,) = await kb.memory().facts()
    assert traces(tmp_path, "Zephyrine", "Zwirbelhausen")
    if way == "delete":
        await kb.delete("secret")
    elif way == "change":
        await kb.add(Text("All is well.", id="secret"))
        await kb.delete("secret")
    elif way == "forget":
        await kb.memory().forget(kept.memory_id)
    elif way == "clear":
        await kb.memory().clear()
    else:
        await kb.memory().edit(kept.memory_id, "Something else.")
    assert not traces(tmp_path, "Zephyrine")
    assert bool(traces(tmp_path, "Zwirbelhausen")) is (way in {"forget", "edit"})
    if way in {"delete", "change"}:
        assert not traces(tmp_path, "Quixotrombone")


KEEP = """
import asyncio, sys
from rove.engine import AsyncRove
from rove.records import Citation
from rove.records.learned import Remembered
async def main():
    async with AsyncRove.open(sys.argv[1], embedder={"name": "fake"}) as kb:
        quote = "The harbour master is Ingrid Dahl."
        fact = Remembered("", quote, "", 0.9, Citation(0, "c", "en", "", "", quote, (0, len(quote))))
        for number in range(10_000):
            await kb.memory().keep(f"Question {number}?", [fact], [], "en")
            print(number, flush=True)
asyncio.run(main())
"""


async def test_what_was_kept_before_a_kill_is_there_afterwards(kb: AsyncRove, tmp_path: Path) -> None:
    script = [sys.executable, "-c", KEEP, str(tmp_path / "kb")]
    child = await asyncio.create_subprocess_exec(*script, stdout=asyncio.subprocess.PIPE)
    assert child.stdout
    while int(await child.stdout.readline()) < 20:
        pass
    child.kill()
    await child.communicate()
    assert len(await kb.memory().facts()) >= 21
    assert (await kb.memory().search("Question 7?"))[0].citation.document_id == "en"


async def test_another_process_and_another_walk_see_what_was_learned(kb: AsyncRove, tmp_path: Path) -> None:
    assert await kb.memory().search("harbour") == []
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as other:
        await learn(other, "en")
        assert (await kb.memory().search(ASKED["en"][0]))[0].text == ASKED["en"][1]
        await other.delete("en")
        assert await kb.memory().search(ASKED["en"][0]) == []


async def test_the_latest_leads_are_kept(kb: AsyncRove, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.store.memories.MOST_LEADS", 3)
    for number in range(5):
        ends = [LeadEnd(f"lead {number}", "name", "nothing", document_id="en", walk_id=f"w{number}")]
        await kb.memory().keep("Who?", [], ends, "en")
    await kb.memory().keep("Who?", [], [LeadEnd("again", "name", "fact", document_id="en", walk_id="w4")], "en")
    assert [end.text for end in await kb.memory().leads()] == ["lead 2", "lead 3", "again"]


async def test_a_catalog_of_version_3_gets_a_memory(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as base:
        await base.add(Text(TEXTS["en"], id="en"))
    with closing(sqlite3.connect(tmp_path / "catalog.sqlite")) as before:
        for statement in tables.MIGRATIONS[3]:
            words = statement.split()
            before.execute(f"ALTER TABLE {words[2]} DROP COLUMN {words[5]}")
        before.execute("DROP TABLE memory_facts")
        before.execute("DROP TABLE memory_leads")
        before.execute("UPDATE facts SET value = '3' WHERE name = 'schema'")
        before.commit()
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as base:
        await learn(base, "en")
        assert (await base.memory().search(ASKED["en"][0]))[0].text == ASKED["en"][1]
        assert base.store.catalog.fact("schema") == str(tables.SCHEMA_VERSION)


class Bearings:
    """An embedder in a plane: a text is the angle that it names, in degrees; `max_distance` is a half."""

    max_distance = 0.5

    async def queries(self, texts: Sequence[str]) -> np.ndarray:
        angles = np.radians([float(text.split()[-1]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    passages = queries


def distance(degrees: float) -> float:
    return 1 - cos(radians(degrees))


async def test_questions_are_alike_up_to_half_of_what_is_near_enough() -> None:
    memory = LongTermMemory(SimpleNamespace(catalog=SimpleNamespace(database=None), dimension=2), Bearings())  # pyright: ignore
    before = await Bearings().queries([f"q {angle}" for angle in (0, 20, 41, 42, 180)])
    asked = (await Bearings().queries(["q 0"]))[0]
    alike = memory.likeness(before, asked)
    assert distance(41) < 0.5 * 0.5 < distance(42)
    assert alike == pytest.approx([1.0, 1 - 0.5 * distance(20) / 0.25, 1 - 0.5 * distance(41) / 0.25, 0, 0], abs=1e-4)


async def test_a_fact_is_found_by_half_its_meaning_and_half_its_words(kb: AsyncRove) -> None:
    await learn(kb, "en", "de")
    question = "Is Ingrid Dahl the name of a ship?"
    (asked,) = await kb.embedder.queries([question])
    (vector,) = await kb.embedder.passages([ASKED["en"][1]])
    near = max(1 - (1 - float(asked @ vector)) / (1.25 * kb.embedder.max_distance), 0.0)
    terms, held = set(query_terms(question, "en")), set(query_terms(ASKED["en"][1], "en"))
    wanted = 0.5 * near + 0.5 * len(terms & held) / len(terms)
    found = await kb.memory().search(question)
    assert found[0].text == ASKED["en"][1]
    assert found[0].score == round(found[0].score, 4) == pytest.approx(wanted, abs=1e-4)
    assert 0 < wanted < 0.9


async def test_a_fact_that_was_found_for_the_very_question_counts_as_it_did_then(kb: AsyncRove) -> None:
    await learn(kb)
    question = "Who keeps the keys of the boathouse and the crane?"
    assert await kb.memory().keep(question, [fact("en", text="It is so.")], [], "en") == 1
    found = await kb.memory().search(question, top_k=1)
    assert [(one.text, one.score) for one in found] == [("It is so.", 0.9)]


async def test_a_fact_that_is_learned_again_is_as_the_latest_walk_found_it(kb: AsyncRove) -> None:
    question = ASKED["en"][0]
    for walk, relevance in (("w-1", 0.9), ("w-2", 0.4)):
        again = replace(fact("en"), relevance=relevance, next_source=f"after {walk}")
        assert await kb.memory().keep(question, [again], [], walk) == 1
        (held,) = await kb.memory().facts()
        assert (held.relevance, held.next_source) == (relevance, f"after {walk}")

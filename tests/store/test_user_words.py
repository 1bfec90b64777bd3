"""The user's own dictionary: other words find what a word finds, in every script, at once, and nothing else changes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from rove import AsyncRove, Rove, Text, field
from rove.cli import rove
from rove.errors import InputError
from rove.language.dictionary import MARK, Dictionary
from rove.question.vocabulary import vocabulary_of
from rove.records import Filter
from rove.records.filter import AccessFilter
from rove.store import tables

TEXTS = {
    "en": "The remote work policy is reviewed each year.",
    "de": "Telearbeit wird vom Leiter genehmigt.",
    "hu": "A távmunkát az egységvezető engedélyezi.",
    "zh": "鸭大的图书馆每天八点开门。",
    "ja": "在宅勤務は部門長が承認します。",
}
ENTRIES = {
    "remote work": ("WFH", "Telearbeit", "távmunkát", "在宅勤務"),
    "中山大学": ("鸭大", "SYSU"),
}


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[AsyncRove]:
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as base:
        await base.add(*(Text(text, id=name) for name, text in TEXTS.items()), Text("Soup is served.", id="soup"))
        yield base


async def found(kb: AsyncRove, question: str) -> set[str]:
    return {hit.chunk.document_id for hit in await kb.search(question, mode="keyword")}


def terms(kb: AsyncRove) -> dict[str, str]:
    with kb.store.catalog.database.read() as connection:
        return {row.text: row.terms for row in connection.execute(tables.chunks.select())}


@pytest.mark.parametrize("word", ["WFH", "wfh", "Telearbeit", "在宅勤務", "remote work"])
async def test_other_words_find_what_the_word_finds(kb: AsyncRove, word: str) -> None:
    assert await kb.define(ENTRIES) == 5
    assert await found(kb, f"{word}?") >= {"en", "de", "hu", "ja"}
    assert "soup" not in await found(kb, word)
    assert "zh" in await found(kb, "SYSU")


async def test_only_what_holds_a_word_is_analysed_anew_and_taking_it_out_leaves_no_trace(kb: AsyncRove) -> None:
    before = terms(kb)
    assert await kb.define({"remote work": ("WFH",)}) == 1
    after = terms(kb)
    assert {text for text in before if before[text] != after[text]} == {TEXTS["en"]}
    assert MARK in after[TEXTS["en"]]
    assert await kb.define({"remote work": ("WFH", "Telearbeit")}) == 2
    assert await kb.define({}, remove=["remote work"]) == 2
    assert terms(kb) == before
    assert await kb.dictionary() == {}
    assert await found(kb, "WFH") == set()


async def test_what_is_added_later_and_what_another_process_sees_has_it_too(kb: AsyncRove, tmp_path: Path) -> None:
    await kb.define(ENTRIES)
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as other:
        await other.add(Text("WFH needs a form.", id="new"))
        assert "new" in await found(other, "remote work")
        await kb.define({"Soup": ("Suppe",)})
        assert await found(other, "Suppe") == {"soup"}
    assert "new" in await found(kb, "Telearbeit")
    assert (await kb.doctor()).ok


async def test_spelling_and_the_graph_know_the_words(kb: AsyncRove) -> None:
    await kb.add(Text("Marie Curie won the Nobel Prize.", id="curie"))
    await kb.define({"Marie Curie": ("Maria Skłodowska",), "quuxify": ()})
    await kb.enrich("graph")
    assert (await kb.explore("Maria Skłodowska")).links
    assert "quuxify" in await vocabulary_of(kb.store)


async def test_an_export_carries_the_dictionary_and_keeps_what_the_base_has(kb: AsyncRove, tmp_path: Path) -> None:
    await kb.define(ENTRIES)
    lines = [line async for line in kb.export()]
    async with AsyncRove.open(tmp_path / "other", embedder={"name": "fake"}) as other:
        await other.define({"remote work": ("home office",)})
        report = await other.import_(lines)
        assert not report.failed
        assert await other.dictionary() == {**ENTRIES, "remote work": ("home office",)}
        assert await found(other, "SYSU") == {"zh"}
        for odd in ({"x": ["y"]}, {"word": 7}, [1], "text"):
            head = json.dumps({**json.loads(lines[0]), "dictionary": odd})
            assert "was left out" in (await other.import_([head, *lines[1:]])).noted[-1].reason
        assert await other.dictionary() == {**ENTRIES, "remote work": ("home office",)}


@pytest.mark.parametrize(
    "wrong", [{"x": ()}, {"a" * 300: ()}, {"ab": ("cd",), "ef": ("CD",)}, {" ab": ()}, {"a\nb": ()}]
)
async def test_what_cannot_be_a_word_is_refused_and_nothing_changes(
    kb: AsyncRove, wrong: dict[str, tuple[str, ...]]
) -> None:
    await kb.define({"soup": ("Suppe",)})
    with pytest.raises(InputError):
        await kb.define(wrong)
    assert await kb.dictionary() == {"soup": ("Suppe",)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The WFH rules", ["remote work"]),
        ("The WFHs and aWFH", []),
        ("请问鸭大在哪里", ["中山大学"]),
        ("İstanbul WFH", ["remote work"]),
        ("remote workers do remote work", ["remote work"]),
        ("", []),
    ],
)
def test_a_word_stands_for_itself(text: str, words: list[str]) -> None:
    known = Dictionary(ENTRIES)
    met = list(known.met(text))
    assert [one.word for one in met] == words
    assert all(
        text[one.start : one.end].casefold() in {w.casefold() for w in (one.word, *ENTRIES[one.word])} for one in met
    )


def test_the_longest_word_counts() -> None:
    known = Dictionary({"New York": (), "New York City": ("NYC",)})
    assert [one.word for one in known.met("New York City and New York")] == ["New York City", "New York"]


def test_the_command_shows_puts_takes_out_and_reads_a_file(tmp_path: Path) -> None:
    base = tmp_path / "kb"
    base.mkdir()
    (base / "rove.toml").write_text('embedder = {name = "fake"}\n', "utf-8")
    (tmp_path / "words.tsv").write_text("中山大学\t鸭大\tSYSU\n\nremote work\tWFH\n", "utf-8")

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(rove, ["words", "--kb", str(base), *arguments])
        return done.stdout + done.stderr

    CliRunner().invoke(rove, ["add", "--kb", str(base), str(tmp_path / "words.tsv")])
    assert "中山大学\t鸭大, SYSU" in run("--file", str(tmp_path / "words.tsv"))
    assert "Analysed anew: " in run("soup", "Suppe")
    assert "soup" not in run("soup", "--remove")
    assert "is not in the dictionary" in run("soup", "--remove")


def test_a_filter_takes_other_words_for_a_value(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        for name, team in (("a", "Human Resources"), ("b", "HR"), ("c", "Sales"), ("d", ("Legal", "HR"))):
            kb.add(Text(f"The rule of {name}.", id=name, metadata={"team": team, "access": ("HR",)}))

        def found(where: Filter) -> list[str]:
            return sorted(hit.chunk.document_id for hit in kb.search("The rule", where=where))

        assert found(field("team") == "HR") == ["b", "d"]
        kb.define({"Human Resources": ["HR"], "人事": ["HR部"]})
        for mode in ("keyword", "hybrid", "tree", "walk"):
            hits = kb.search("The rule", where=field("team") == "hr", mode=mode)
            assert sorted(hit.chunk.document_id for hit in hits) == ["a", "b", "d"]
        assert found(field("team").in_(["Human Resources", "Sales"])) == ["a", "b", "c", "d"]
        assert found(~(field("team") == "HR")) == ["c"]
        assert found((field("team") == "Sales") | (field("team") == "人事")) == ["c"]
        assert found(AccessFilter("access", "in", ("Human Resources",))) == []
        assert kb.delete(where=field("team") == "Human Resources") == 1
        assert found(field("team") == "Human Resources") == ["b", "d"]

"""The set of true and false sentences: whole, split by document, verbatim; and how the bench counts what is marked.

No assertion names a sentence or a passage, so that a failure shows nothing of the held half.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from bench.sentences.run import (
    FALSE_KINDS,
    FOLDER,
    HALVES,
    LANGUAGES,
    TRUE_KINDS,
    Claimed,
    Judged,
    Source,
    by_kind,
    by_language,
    by_verdict,
    check,
    half_of,
    judged_wrongly,
    read_half,
)

from rove.models.fake import FakeEmbedder

ROOT = Path(__file__).parents[2]
PLAIN = (".md", ".txt", ".json")
SHOP = Source("shop", "en", "The shop opens at 9. It closes at 17.")


@pytest.fixture(scope="module")
def halves():
    return {half: read_half(half) for half in HALVES}


@pytest.fixture(scope="module")
def everything(halves):
    return [claimed for half in HALVES for claimed in halves[half]]


def claimed(text: str, *, holds: bool, kind: str, language: str = "en") -> Claimed:
    return Claimed(text, language, holds, kind, text, SHOP)


def test_each_document_is_in_the_half_of_its_hash(halves):
    assert {one.id for half in HALVES for one in halves[half] if half_of(one.source.document) != half} == set()
    assert (half_of("a"), half_of("abc")) == ("open", "held")  # 86f7…67b8 and a999…d89d


def test_the_set_is_large_enough_in_every_language_and_pair(halves, everything):
    for half in HALVES:
        assert Counter(one.holds for one in halves[half]).keys() == {True, False}
        assert min(Counter((one.language, one.holds) for one in halves[half]).values()) >= 33
    assert min(Counter((one.language, one.holds) for one in everything).values()) >= 65
    pairs = Counter((one.source.language, one.language, one.holds) for one in everything)
    assert min(pairs.values()) >= 12
    crossed = {pair[:2] for pair in pairs if pair[0] != pair[1]}
    assert crossed == {("de", "en"), ("hu", "en"), ("zh", "en"), ("ja", "en")} | {
        ("en", "de"),
        ("de", "hu"),
        ("ja", "zh"),
        ("en", "ja"),
    }


def test_every_kind_is_in_every_language(everything):
    wanted = {(language, kind) for language in LANGUAGES for kind in (*TRUE_KINDS, *FALSE_KINDS)}
    assert {(one.language, one.kind) for one in everything} == wanted
    assert {one.id for one in everything if one.holds != (one.kind in TRUE_KINDS)} == set()
    assert {one.id for one in everything if one.kind == "translation" and one.language == one.source.language} == set()


def test_ids_and_sentences_are_there_once(everything):
    assert max(Counter(one.id for one in everything).values()) == 1
    assert {one.id for one in everything if not one.text.strip() or one.text != one.text.strip()} == set()
    assert max(Counter(hash((one.text, one.source)) for one in everything).values()) == 1


def test_a_file_holds_the_passages_of_one_language():
    for half in HALVES:
        assert {path.stem for path in (FOLDER / half).glob("*.toml")} == set(LANGUAGES)
    assert {
        one.id for half in HALVES for one in read_half(half) if one.id.split("-")[:2] != [half, one.source.language]
    } == set()


def test_passages_of_the_demo_are_verbatim(everything):
    passages = {one.source for one in everything if one.source.document.endswith(PLAIN)}
    assert len(passages) > 10
    assert {one.document for one in passages if one.text not in told(ROOT / one.document)} == set()


def told(path: Path) -> str:
    text = path.read_text("utf-8")
    if path.suffix != ".json":
        return text
    return "\n".join(record["document"] for record in json.loads(text).values())


async def test_a_sentence_is_marked_where_its_source_says_otherwise():
    true = await check(claimed("The shop opens at 9.", holds=True, kind="verbatim"), FakeEmbedder(), None)
    false = await check(claimed("The shop opens at 10.", holds=False, kind="time"), FakeEmbedder(), None)
    assert (true.verdict, true.is_marked, false.verdict, false.is_marked) == ("quoted", False, "differs", True)


def test_figures_against_values_worked_out_by_hand():
    judged = [
        Judged(claimed("a", holds=True, kind="verbatim"), "quoted"),
        Judged(claimed("b", holds=True, kind="paraphrase"), "unsourced"),
        Judged(claimed("c", holds=False, kind="time"), "supported"),
        Judged(claimed("d", holds=False, kind="time", language="de"), "differs"),
    ]
    languages = {tuple(row[:2]): row[2:] for row in by_language(judged, "open").rows}
    assert languages["all", "all"] == [2, 1, "0.50", 2, 1, "0.50"]
    assert languages["de", "all"] == [0, 0, "", 1, 1, "1.00"]
    assert languages["de", "en"] == [0, 0, "", 1, 1, "1.00"]
    kinds = {row[0]: row[1:] for row in by_kind(judged, "open").rows}
    assert kinds["verbatim"][:5] == ["true", "0 of 1", "0.00", "0 of 1", ""]
    assert kinds["time"][:5] == ["false", "1 of 2", "0.50", "0 of 1", "1 of 1"]
    verdicts = by_verdict(judged, "")
    assert [row[1::2] for row in verdicts.rows] == [[1, 0], [0, 1], [0, 1], [1, 0]]
    assert verdicts.note == "Marked: 1 of 2 true ones, 1 of 2 false ones."
    assert [row[:2] for row in judged_wrongly(judged).rows] == [["b", "unsourced"], ["c", "supported"]]

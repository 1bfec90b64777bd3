"""Expert review: decisions are in force at once, and stay through enriching, exports, corrections and rebuilds."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rove import AsyncRove, InputError, Text
from rove.evaluate.agreement import reviewers_agreement
from rove.records.graph import TOGETHER, Subgraph
from rove.records.reviewed import ReviewItem
from rove.sync import Rove
from rove.sync.rebuilding import rebuild_base

FAKE = {"embedder": {"name": "fake"}}
CURIE = "Marie Curie was born in Warsaw. In spring, Marie Curie went to London."
TEXTS = {
    "en": CURIE,
    "de": "Carl Benz gründete die Benz AG.",
    "hu": "Petőfi Sándor a Kiskőrösi Híradót olvasta.",
    "zh": "《呐喊》收录《狂人日记》。",
    "ja": "カワサキはモーターを製造する。",
}


def opened(folder: Path) -> Rove:
    return Rove.open(folder, **FAKE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with opened(tmp_path / "kb") as kb:
        kb.add(*(Text(text, id=code, title="Notes", metadata={"access": (code,)}) for code, text in TEXTS.items()))
        kb.enrich("graph")
    return tmp_path / "kb"


def item(kb: Rove, document_id: str, predicate: str = "", by: str = "ann") -> ReviewItem:
    return next(
        one
        for one in kb.review_queue(by=by, kinds=("triplet",), most=100)
        if one.document_id == document_id and predicate in one.words[1]
    )


def said(found: Subgraph) -> set[tuple[str, str, str]]:
    names = {entity.key: entity.name for entity in found.entities}
    return {(names[link.subject], link.predicate, names[link.object]) for link in found.links}


def test_the_least_sure_comes_first_and_each_thing_has_its_evidence(folder: Path) -> None:
    with opened(folder) as kb:
        waiting = kb.review_queue(by="ann", kinds=("triplet",), most=100)
        assert {one.document_id for one in waiting} == {*TEXTS}
        assert waiting[0].words[1] == TOGETHER
        assert [one.sure for one in waiting] == sorted(one.sure for one in waiting)
        for one in waiting:
            assert TEXTS[one.document_id][slice(*one.span)] == one.evidence
            assert one.words[0] in one.evidence
        assert kb.review_queue(by="ann", kinds=("triplet",), most=2) == waiting[:2]
        only = kb.review_queue(by="ann", kinds=("triplet",), where={"access": "ja"})
        assert {one.document_id for one in only} == {"ja"}


@pytest.mark.parametrize("code", [*TEXTS])
def test_what_is_rejected_is_gone_and_comes_back_when_it_is_accepted(folder: Path, code: str) -> None:
    with opened(folder) as kb:
        one = item(kb, code)
        before = said(kb.explore(one.words[0]))
        assert one.words in before
        kb.review(one.item_id, "reject", by="ann")
        assert one.words not in said(kb.explore(one.words[0]))
        assert one.item_id not in {other.item_id for other in kb.review_queue(by="ann", most=100)}
        again = next(other for other in kb.review_queue(by="bob", most=100) if other.item_id == one.item_id)
        assert [(made.by, made.verdict) for made in again.decisions] == [("ann", "reject")]
        kb.review(one.item_id, "accept", by="bob")
        assert said(kb.explore(one.words[0])) == before
        assert [made.verdict for made in kb.reviews()] == ["reject", "accept"]


def test_what_is_edited_is_found_by_its_new_words_with_its_evidence(folder: Path) -> None:
    with opened(folder) as kb:
        one = item(kb, "en", "born")
        kb.review(one.item_id, "edit", ("Marie Curie", "was born in", "Paris, Texas"), by="ann")
        found = kb.explore("Paris, Texas")
        assert said(found) == {("Marie Curie", "was born in", "Paris, Texas")}
        (relation,) = found.links[0].relations
        assert (relation.quote, relation.triplet.span) == (one.evidence, one.span)
        assert "Warsaw" not in {name for entity in kb.explore("Marie Curie").entities for name in entity.names}
        kb.review(one.item_id, "edit", ("Marie Curie", "came from", "Warsaw"), by="bob")
        assert not kb.explore("Paris, Texas").entities
        assert ("Marie Curie", "came from", "Warsaw") in said(kb.explore("Warsaw"))


def decided(kb: Rove) -> tuple[str, str]:
    """Reject one triplet and edit another; returns their ids."""
    rejected, edited = item(kb, "en", TOGETHER).item_id, item(kb, "de").item_id
    kb.review(rejected, "reject", by="ann")
    kb.review(edited, "edit", ("Bertha Benz", "gründete", "Benz AG"), by="bob")
    return rejected, edited


def check_decided(kb: Rove, ids: tuple[str, str]) -> None:
    assert said(kb.explore("Marie Curie")) == {("Marie Curie", "was born in", "Warsaw")}
    assert said(kb.explore("Benz AG")) == {("Bertha Benz", "gründete", "Benz AG")}
    assert [(one.item_id, one.by, one.verdict) for one in kb.reviews()] == [
        (ids[0], "ann", "reject"),
        (ids[1], "bob", "edit"),
    ]
    waiting = {one.item_id: one for one in kb.review_queue(by="eve", kinds=("triplet",), most=100)}
    assert waiting[ids[0]].words == ("Marie Curie", TOGETHER, "London")
    assert waiting[ids[1]].words == ("Carl Benz", "gründete", "Benz AG")
    assert len([one for one in waiting.values() if one.document_id == "de"]) == 1
    assert not {*ids} & {
        one.item_id for one in kb.review_queue(by="ann", kinds=("triplet",), most=100) if one.document_id == "en"
    }


def test_decisions_stay_when_a_document_is_enriched_again(folder: Path) -> None:
    with opened(folder) as kb:
        ids = decided(kb)
        for code in ("en", "de"):
            kb.add(Text(f"A foreword.\n\n{TEXTS[code]}", id=code, title="Notes"))
        kb.enrich("graph")
        check_decided(kb, ids)


def test_decisions_go_along_in_an_export(folder: Path, tmp_path: Path) -> None:
    with opened(folder) as kb, opened(tmp_path / "other") as other:
        ids = decided(kb)
        lines = list(kb.export())
        other.import_(lines)
        check_decided(other, ids)
        other.import_(lines)
        check_decided(other, ids)
        other.review(ids[1], "accept", by="eve")
        assert said(other.explore("Benz AG")) == {("Carl Benz", "gründete", "Benz AG")}


@pytest.mark.parametrize("source", ["here", "export"])
def test_decisions_outlive_a_torn_catalog(folder: Path, tmp_path: Path, source: str) -> None:
    with opened(folder) as kb:
        ids = decided(kb)
        (tmp_path / "export").write_text("\n".join(kb.export()), "utf-8")
    rebuild_base(source if source == "here" else str(tmp_path / source), folder, **FAKE)
    with opened(folder) as kb:
        check_decided(kb, ids)
        assert kb.doctor().ok
        kb.review(ids[1], "accept", by="eve")
        assert said(kb.explore("Benz AG")) == {("Carl Benz", "gründete", "Benz AG")}


def test_decisions_and_what_they_withhold_are_erased_with_the_document(folder: Path) -> None:
    with opened(folder) as kb:
        decided(kb)
        kb.delete("en", "de")
        assert kb.reviews() == []
        with pytest.raises(InputError, match="no triplet"):
            kb.review("triplet-0123456789abcdef@en", "accept")
    held = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    assert b"Bertha Benz" not in held


@pytest.mark.parametrize(
    ("verdict", "edit", "reason"),
    [
        ("edit", ("Curie", "was born in"), "The edit has 2 texts"),
        ("edit", ("Curie", "is", "Curie"), "subject, a predicate"),
        ("edit", ("Curie", " ", "London"), "subject, a predicate"),
        ("reject", ("Curie", "left", "London"), "Nothing is edited"),
        ("maybe", (), "maybe"),
    ],
)
def test_what_is_no_decision_changes_nothing(folder: Path, verdict: str, edit: tuple[str, ...], reason: str) -> None:
    with opened(folder) as kb:
        one, before = item(kb, "en"), said(kb.explore("Marie Curie"))
        with pytest.raises(InputError, match=reason):
            kb.review(one.item_id, verdict, edit)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="not an id"):
            kb.review("en", "accept")
        assert (kb.reviews(), said(kb.explore("Marie Curie"))) == ([], before)


def test_how_far_two_reviewers_agree(folder: Path) -> None:
    with opened(folder) as kb:
        waiting = kb.review_queue(kinds=("triplet",), most=100)[:4]
        verdicts = {"ann": ("accept", "accept", "reject", "reject"), "bob": ("accept", "accept", "reject", "accept")}
        for by, each in verdicts.items():
            for one, verdict in zip(waiting, each, strict=True):
                kb.review(one.item_id, verdict, by=by)  # type: ignore[arg-type]
        found = reviewers_agreement(kb.reviews())
        assert (found.annotators, found.items, found.pairs, found.cohen) == (2, 4, 0.75, 0.5)
        kb.review(waiting[3].item_id, "reject", by="bob")
        assert reviewers_agreement(kb.reviews()).cohen == 1.0


def test_the_blocking_and_the_asynchronous_calls_are_the_same(folder: Path) -> None:

    async def asked() -> list[ReviewItem]:
        async with AsyncRove.open(folder, **FAKE) as kb:
            return await kb.review_queue(by="ann")

    found = asyncio.run(asked())
    with opened(folder) as kb:
        assert kb.review_queue(by="ann") == found


# -- kept questions ----------------------------------------------------------------------------------------------------

ASKED = {
    "en": "Where was Marie Curie born?",
    "de": "Was gründete Carl Benz?",
    "hu": "Mit olvasott Petőfi Sándor?",
    "zh": "《呐喊》收录了什么？",
    "ja": "カワサキは何を製造する？",
}


def kept_in(kb: Rove) -> None:
    for code, question in ASKED.items():
        kb.keep_question(question, code, (0, len(TEXTS[code])))


def answers(kb: Rove, question: str) -> list[str]:
    return [hit.question for hit in kb.search(question, mode="questions")]


def question_of(kb: Rove, code: str) -> ReviewItem:
    (found,) = [one for one in kb.review_queue(by="ann", kinds=("question",)) if one.document_id == code]
    return found


@pytest.mark.parametrize("code", [*ASKED])
def test_a_rejected_question_is_not_matched_and_an_edited_one_by_its_new_words(folder: Path, code: str) -> None:
    other = "Xyzzy plugh quux?"
    with opened(folder) as kb:
        kept_in(kb)
        one = question_of(kb, code)
        assert (one.words, one.evidence) == ((ASKED[code],), TEXTS[code])
        assert answers(kb, ASKED[code]) == [ASKED[code]]
        kb.review(one.item_id, "reject", by="ann")
        assert answers(kb, ASKED[code]) == []
        assert ASKED[code] not in {kept.question for kept in kb.kept_questions()}
        with pytest.raises(InputError, match="ann has rejected this question"):
            kb.keep_question(ASKED[code], code, (0, len(TEXTS[code])))
        kb.review(one.item_id, "edit", (other,), by="bob")
        assert answers(kb, other) == [other]
        kb.review(one.item_id, "accept", by="ann")
        assert answers(kb, other) == []
        assert answers(kb, ASKED[code]) == [ASKED[code]]


def test_the_question_that_its_answer_says_least_of_comes_first(folder: Path) -> None:
    with opened(folder) as kb:
        kb.keep_question("Where was Marie Curie born?", "en", (0, 31))
        kb.keep_question("Who paints houses?", "en", (0, 31))
        assert [one.words[0] for one in kb.review_queue(kinds=("question",))] == [
            "Who paints houses?",
            "Where was Marie Curie born?",
        ]


def test_what_was_decided_about_a_question_goes_along_and_is_forgotten_with_it(folder: Path, tmp_path: Path) -> None:
    with opened(folder) as kb, opened(tmp_path / "other") as other:
        kept_in(kb)
        kb.review(question_of(kb, "en").item_id, "edit", ("Marie Curie's birthplace?",), by="ann")
        kb.review(question_of(kb, "de").item_id, "reject", by="ann")
        other.import_(list(kb.export()))
        for one in (kb, other):
            held = {kept.question for kept in one.kept_questions()}
            assert held == {"Marie Curie's birthplace?", ASKED["hu"], ASKED["zh"], ASKED["ja"]}
        assert kb.mentions("birthplace").questions == ("Marie Curie's birthplace?",)
        assert kb.forget_kept("Marie Curie's birthplace?", ASKED["de"]) == 2
        assert kb.reviews() == []
        assert {kept.question for kept in kb.kept_questions()} == {ASKED["hu"], ASKED["zh"], ASKED["ja"]}


# -- corrections -------------------------------------------------------------------------------------------------------


def test_a_correction_is_accepted_taken_back_and_corrected_again(folder: Path) -> None:
    with opened(folder) as kb:
        at = CURIE.index("London")
        kb.correct("en", (at, at + 6), "London", "Paris", by="tom")
        (one,) = kb.review_queue(by="ann", kinds=("correction",))
        assert (one.words, one.made_by, one.document_id) == (("London", "Paris"), "tom", "en")
        assert one.span and kb.text("en")[slice(*one.span)] == "Paris"
        kb.review(one.item_id, "accept", by="ann")
        assert kb.text("en") == CURIE.replace("London", "Paris")
        assert kb.review_queue(by="ann", kinds=("correction",)) == []
        kb.review(one.item_id, "reject", by="bob")
        assert kb.text("en") == CURIE
        assert [made.by for made in kb.corrections("en")] == ["tom", "bob"]
        kb.review(one.item_id, "reject", by="eve")
        assert len(kb.corrections("en")) == 2
        kb.review(one.item_id, "accept", by="ann")
        assert kb.text("en") == CURIE.replace("London", "Paris")
        kb.review(one.item_id, "edit", ("Lyon",), by="bob")
        assert kb.text("en") == CURIE.replace("London", "Lyon")
        with pytest.raises(InputError, match="no longer stand there"):
            kb.review(one.item_id, "edit", ("Nice",), by="bob")
        assert [made.verdict for made in kb.reviews()] == ["accept", "reject", "reject", "accept", "edit"]


def test_what_a_filter_hides_is_neither_shown_nor_decided_about(folder: Path) -> None:
    with opened(folder) as kb:
        kept_in(kb)
        kb.correct("ja", (0, 4), "カワサキ", "ヤマハ")
        only = {"access": "de"}
        assert {one.document_id for one in kb.review_queue(where=only, most=100)} == {"de"}
        for kind in ("triplet", "question", "correction"):
            (hidden, *_) = kb.review_queue(kinds=(kind,), where={"access": ["ja", "zh"]})
            with pytest.raises(InputError, match="to review"):
                kb.review(hidden.item_id, "reject", where=only)
        assert kb.reviews() == []


# -- themes ------------------------------------------------------------------------------------------------------------

ABOUT = {
    "Sailing": ["The boat needs wind to sail.", "Sailors steer the boat by the wind.", "A boat sails on the lake."],
    "Baking": ["Bread is baked from flour.", "Flour and yeast make bread.", "The baker bakes bread from flour."],
}


def test_a_theme_is_called_otherwise_or_left_out_also_when_more_is_added(tmp_path: Path) -> None:
    with opened(tmp_path) as kb:
        for name, texts in ABOUT.items():
            kb.add([Text(text, id=f"{name}{n}", title=name) for n, text in enumerate(texts)])
        named = [theme.name for theme in kb.themes()]
        waiting = {one.words[0]: one for one in kb.review_queue(by="ann", kinds=("theme",))}
        assert set(waiting) == set(named)
        (first, *others) = named
        kb.review(waiting[first].item_id, "edit", ("Boats and wind",), by="ann")
        assert [theme.name for theme in kb.themes()] == ["Boats and wind", *others]
        assert first not in {one.words[0] for one in kb.review_queue(by="ann", kinds=("theme",))}
        kb.review(waiting[first].item_id, "reject", by="bob")
        assert [theme.name for theme in kb.themes()] == others
        kb.review(waiting[first].item_id, "accept", by="ann")
        assert [theme.name for theme in kb.themes()] == named
        with pytest.raises(InputError, match="A theme has a name"):
            kb.review(waiting[first].item_id, "edit", (" ",))

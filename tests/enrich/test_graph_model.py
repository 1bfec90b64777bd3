"""Triplets by a chat model: only what the text holds is kept, rules' triplets stay, and faults are told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rove import AsyncRove, Text
from rove.enrich.triplets.by_model import NamedTriplet, held_in
from rove.errors import ServiceError
from rove.records import Chunk
from scripted_chat import ScriptedChat

TEXT = "Ms Bell, whom everybody likes, runs the Oslo office. Marie Curie won the Nobel Prize."
QUOTE = "Ms Bell, whom everybody likes, runs the Oslo office."
FAITHFUL = {"subject": "Ms Bell", "predicate": "runs", "object": "Oslo office", "quote": QUOTE}
UNTRUE: Sequence[dict[str, str]] = (
    {**FAITHFUL, "object": "Rome office"},
    {**FAITHFUL, "quote": "Ms Bell runs the Oslo office."},
    {**FAITHFUL, "subject": ""},
    {**FAITHFUL, "object": "Ms Bell"},
    {**FAITHFUL, "predicate": " "},
)


async def base(folder: Path, chat: ScriptedChat) -> AsyncRove:
    settings: dict[str, Any] = {"embedder": {"name": "fake"}, "enrich": {"ask_model": True}}
    kb = AsyncRove.open(folder, chat=chat, **settings)
    await kb.add(Text(TEXT, id="a", title="News"))
    return kb


async def test_what_the_model_names_is_kept_beside_what_rules_find(tmp_path: Path) -> None:
    chat = ScriptedChat(NamedTriplets={"triplets": [FAITHFUL, *UNTRUE]})
    kb = await base(tmp_path, chat)
    report = await kb.enrich("graph")
    (relation,) = (await kb.explore("Oslo office")).links[0].relations
    assert (relation.triplet.predicate, relation.quote) == ("runs", QUOTE)
    assert relation.by.startswith("rules 2, ")
    assert (await kb.explore("Nobel Prize")).links
    assert any(f"{len(UNTRUE)} triplets" in note for note in report.notes)
    assert "⟦text" in chat.asked("NamedTriplets")[0]
    await kb.close()


async def test_a_model_that_fails_leaves_what_rules_find_and_says_so(tmp_path: Path) -> None:
    kb = await base(tmp_path, ScriptedChat(NamedTriplets=ServiceError("It is gone.", cure="Wait.")))
    report = await kb.enrich("graph")
    assert any("failed at 1 chunks" in note and "It is gone." in note for note in report.notes)
    assert (await kb.explore("Nobel Prize")).links
    await kb.close()


async def test_the_estimate_counts_calls_and_asks_nothing(tmp_path: Path) -> None:
    chat = ScriptedChat(NamedTriplets={"triplets": []})
    kb = await base(tmp_path, chat)
    await kb.add(Text(" ".join([TEXT] * 120), id="long", title="Long"))
    estimate = await kb.estimate_enrich("graph")
    assert estimate.documents == 2
    assert estimate.input_tokens > 100
    assert chat.asked("NamedTriplets") == []
    await kb.enrich("graph")
    assert len(chat.asked("NamedTriplets")) == estimate.calls > 2
    assert (await kb.estimate_enrich("graph")).calls == 0
    await kb.close()


async def test_another_reader_reads_anew(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
        await kb.add(Text(TEXT, id="a", title="News"))
        assert (await kb.enrich("graph")).changed == 1
    kb = await base(tmp_path, ScriptedChat(NamedTriplets={"triplets": [FAITHFUL]}))
    assert (await kb.enrich("graph")).changed == 1
    assert (await kb.explore("Oslo office")).links
    assert len((await kb.explore("Nobel Prize")).links[0].relations) == 1
    await kb.close()


@pytest.mark.parametrize("untrue", UNTRUE)
def test_what_the_text_does_not_hold_is_no_triplet(untrue: dict[str, str]) -> None:
    chunk = Chunk("c", "d", TEXT, (5, 5 + len(TEXT)), 0, language="en")
    assert held_in(NamedTriplet(**untrue), chunk) is None
    assert held_in(NamedTriplet(**FAITHFUL), chunk) is not None

"""A lead in another language than the question brings none of the sentences in that language nearer."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import AsyncRove, Text
from rove.records.walk_events import Budget, ChunkSeen, FactFound, Lead, LeadFound, RoundStarted, WalkStarted
from rove.walk import Material
from rove.walk.extractive import ExtractiveReader
from rove.walk.finder import Finder
from rove.walk.state import folded

ENGLISH = Text("Ada Byron was the first woman who wrote a program for the engine.", id="en")
GERMAN = Text("Ada Byron war die erste Frau, die ein Programm für die Maschine schrieb.", id="de")
QUESTION = "Wer schrieb 1843 ein Programm (the first program) für die Maschine (the engine)?"


@pytest.mark.parametrize(("text", "nearer"), [(ENGLISH, False), (GERMAN, True)], ids=["other", "own"])
async def test_only_sentences_in_the_questions_language_are_held_against_the_lead(
    tmp_path: Path, text: Text, nearer: bool
) -> None:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
        await kb.add(text)
        context = kb._context()
        (hit,) = await kb.search("Ada Byron", top_k=1)
        found = await Finder(context).hits([hit.chunk.chunk_id])
        relevances = []
        for lead_id in ("", "l"):
            state = folded(
                [
                    WalkStarted("w", QUESTION, "de", "extractive", Budget()),
                    LeadFound(Lead("l", "Ada Byron", "name", 1)),
                    RoundStarted(1, (lead_id,)),
                    ChunkSeen(1, hit.chunk.chunk_id, hit.chunk.document_id, "", "", 1.0, lead_id),
                ]
            )
            read = [one async for one in ExtractiveReader(context).read(Material(tuple(found), state))]
            relevances += [one.fact.relevance for one in read if isinstance(one, FactFound)]
        asked, led = relevances
        assert (led > asked) is nearer

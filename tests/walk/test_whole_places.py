"""What is read of a place that a lead names: all of it, and of a long one its head and what is looked for."""

from __future__ import annotations

from pathlib import Path

from rove import AsyncRove
from rove.records import Chunk, Hit
from rove.records.walk_events import ChunkSeen, FactFound, LeadFound
from rove.walk.whole_places import WHOLE_TOKENS, fits_budget, within_budget


def hit(text: str) -> Hit:
    return Hit(Chunk(text[:8], "d", text, (0, len(text)), 0), 0.0, {}, "s", "t")


def test_a_long_place_is_read_by_its_head_and_what_is_named() -> None:
    hits = [hit(f"{name} " + "word " * 700) for name in ("Head", "Amber", "Cobalt", "Pearl", "Slate", "Topaz", "Onyx")]
    assert not fits_budget(hits)
    assert fits_budget(hits[:3])
    chosen = within_budget(hits, [0.5] * 7, "the rate of Slate", "en")
    assert [one.chunk.text.split()[0] for one in chosen][0] == "Head"
    assert "Slate" in [one.chunk.text.split()[0] for one in chosen]
    assert fits_budget(chosen)
    near = within_budget(hits, [0.5, 0.1, 0.1, 0.1, 0.1, 0.9, 0.1], "something else", "en")
    assert "Topaz" in [one.chunk.text.split()[0] for one in near]
    assert [hits.index(one) for one in near] == sorted(hits.index(one) for one in near)


def test_one_chunk_that_is_longer_than_all_is_read() -> None:
    whole = hit("word " * 6 * WHOLE_TOKENS)
    assert within_budget([whole], [0.1], "x", "en") == [whole]


async def test_a_section_of_many_chunks_is_read_to_its_end(tmp_path: Path) -> None:
    rows = "\n\n".join(f"Item {n} of the list is kept in hall {n}, near the door that leads out." for n in range(1, 13))
    keys = "# Stores\n\n## 1 Keys\n\nThe keys are handed out as section 2 says."
    text = f"{keys}\n\n## 2 Halls\n\n{rows}\n\n## 3 End\n\nNo.\n"
    (tmp_path / "stores.md").write_text(text, "utf-8")
    settings = {"walk": {"first_chunks": 1, "lead_chunks": 1, "memory": False}, "chunk": {"size_chars": 96}}
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}, **settings) as kb:
        await kb.add(tmp_path / "stores.md")
        events = [
            event async for event in kb.walk("How are the keys handed out, and which way near the door leads out?")
        ]
        lead = next(event.lead for event in events if isinstance(event, LeadFound) and "section 2" in event.lead.text)
        seen = [event for event in events if isinstance(event, ChunkSeen) and event.lead_id == lead.lead_id]
        held = [one.chunk for one in kb.store.documents.find_chunks(lead.document_id, None)]
        halls = [one for one in held if "Item" in one.text]
        assert any(isinstance(event, FactFound) for event in events)
        assert len(halls) > 3
        assert {one.chunk_id for one in halls} <= {one.chunk_id for one in seen}

"""A document as a graph: what holds what, what comes next, and what is spoken of."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import AsyncRove, Text
from rove.errors import InputError
from rove.graph_files import document_graph_ml

TEXT = """# Handbook

Marie Curie discovered Polonium.

## Travel

Trains are paid.

### Hotels

At most ninety euros.

## Costs

Marie Curie won the Nobel Prize.
"""


@pytest.mark.parametrize("title", ["Handbook", "手册"])
async def test_each_part_hangs_where_it_stands(tmp_path: Path, title: str) -> None:
    settings = {"embedder": {"name": "fake"}, "chunk": {"strategy": {"markdown": "header"}}}
    async with AsyncRove.open(tmp_path, **settings) as kb:
        text = TEXT.replace("Handbook", title)
        await kb.add(Text(text, id="h", title=title, kind="markdown"))
        await kb.enrich("graph")
        found = await kb.document_graph("h")
        parts = {part.key: part for part in found.parts}
        held = {(parts[b.source].name, parts[b.target].name) for b in found.bonds if b.kind == "holds"}
        assert {(title, "Travel"), ("Travel", "Hotels"), (title, "Costs")} <= held
        assert not {("Travel", "Costs"), (title, "Hotels")} & held
        chunks = [part for part in found.parts if part.kind == "chunk"]
        holders = [bond.source for bond in found.bonds if bond.kind == "holds" and parts[bond.target].kind == "chunk"]
        assert len(holders) == len(chunks) == len({bond.target for bond in found.bonds if bond.kind == "next"}) + 1
        for part in found.parts:
            assert part.span is None or text[part.span[0] : part.span[1]].strip()
        spoken = {(parts[b.source].name, parts[b.target].name) for b in found.bonds if b.kind == "names"}
        assert {name for _, name in spoken} == {"Marie Curie", "Polonium", "Nobel Prize"}
        assert sum(name == "Marie Curie" for _, name in spoken) == 2
        assert document_graph_ml(found).count("<node ") == len(found.parts)
        with pytest.raises(InputError):
            await kb.document_graph("nothing")


async def test_a_document_without_headings_holds_its_chunks_itself(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
        await kb.add(Text("Nothing is said here.", id="x", title="X"))
        found = await kb.document_graph("x")
        assert [(part.kind, part.name) for part in found.parts] == [
            ("document", "X"),
            ("chunk", "Nothing is said here."),
        ]
        assert [bond.kind for bond in found.bonds] == ["holds"]


async def test_a_chunk_that_begins_with_the_heading_above_its_own_hangs_under_its_own(tmp_path: Path) -> None:
    parts = "# Travel", "## Costs", "Trains are paid.", "## Hotels", "Ninety euros.", "# Training", "## Costs"
    text = "\n\n".join((*parts, "The firm pays."))
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}, chunk={"strategy": {"markdown": "header"}}) as kb:
        await kb.add(Text(text, id="x", kind="markdown"))
        graph = await kb.document_graph("x")
    named = {part.key: part for part in graph.parts}
    held = {
        named[bond.target].name: named[bond.source]
        for bond in graph.bonds
        if bond.kind == "holds" and named[bond.target].kind == "chunk"
    }
    places = {name.split()[-2]: (part.name, part.span) for name, part in held.items()}
    sections = [(part.name, part.span) for part in graph.parts if part.kind == "section"]
    assert places == {"are": sections[1], "Ninety": sections[2], "firm": sections[4]}

"""What an index finds is cut down to what is live, and to as many as were asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rove import AsyncRove, ConfigError, Rove, Text
from rove.store.stale_reads import noticing

NEAREST = ["gone", "a", "b", "c"]


async def test_what_has_gone_is_made_up_for_and_no_more_than_asked_for_is_given(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
        for name in ("a", "b", "c"):
            await kb.add(Text(f"This is {name}.", id=name))
        chunks = {hit.chunk.document_id: hit.chunk.chunk_id for hit in await kb.search("This is", mode="semantic")}
        asked: list[int] = []

        async def search(*, top_k: int) -> list[tuple[str, float]]:
            asked.append(top_k)
            return [(chunks.get(name, name), 1.0 - at / 10) for at, name in enumerate(NEAREST)][:top_k]

        found = await kb.store._beside._live(search, 2)
        assert [name for name, _ in found] == [chunks["a"], chunks["b"]]
        assert asked == [2, 4]


async def test_whoever_asks_for_the_tokens_of_what_has_gone_is_told(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
        await kb.add(Text("This is it.", id="a"))
        (hit,) = await kb.search("This is it.", mode="keyword")
        live = hit.chunk.chunk_id
        with noticing() as gone:
            kept = await kb.store.chunk_tokens([live])
            assert gone == set()
            assert await kb.store.chunk_tokens(["nobody", live]) == [b"", *kept]
        assert gone == {"nobody"}


def test_a_base_of_another_embedder_is_let_go_of(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(Text("One."))
    with pytest.raises(ConfigError, match="was made with the embedder"):
        Rove.open(tmp_path, embedder={"name": "fake", "dimension": 7})
    held = [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()]
    assert not [file for file in held if file.startswith(str(tmp_path))]

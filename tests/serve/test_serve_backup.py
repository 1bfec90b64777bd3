"""Backup while serving: an export that is taken amid adds restores to a base that is sound, document by document."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import httpx
import pytest

from load.samples_pages import pdf_pages, printed
from rove.engine import AsyncRove
from serve.conftest import FAKE, Opener, Town, settled

HR = "/v1/spaces/hr"
MOST_EXPORTS = 60
MONTHS = ("January", "March", "May", "July")
PLANS = {month: pdf_pages([[printed(70, 700, f"The move is in {month}, says the plan.")]]) for month in MONTHS}
DIGESTS = {month: sha256(plan).hexdigest() for month, plan in PLANS.items()}


async def busy(client: httpx.AsyncClient, stop: asyncio.Event) -> None:
    """Hand in new notes and a plan that changes, and erase now and then, until told to stop."""
    turn = 0
    while not stop.is_set():
        month = MONTHS[turn % len(MONTHS)]
        names = [f"note-{turn}-{number}" for number in range(5)]
        notes = [("files", (f"{name}.md", f"# {name}\n\n{name} is of {month}.".encode())) for name in names]
        files = [*notes, ("files", ("plan.pdf", PLANS[month]))]
        await settled(client, "hr", await client.post(f"{HR}/uploads", files=files))
        if turn % 3 == 2:
            documents = (await client.get(f"{HR}/documents")).json()["documents"]
            first = next(one["document_id"] for one in documents if one["source"].startswith("note-"))
            await client.delete(f"{HR}/document", params={"document_id": first})
        turn += 1


async def check_sound(kb: AsyncRove, export: str) -> int:
    """A restored base: catalog and index agree, and each document is whole, with the pages that belong to its text."""
    health = await kb.doctor()
    assert health.problems == ()
    trees = [json.loads(line) for line in export.splitlines()[1:]]
    told = {tree["document_id"]: tree for tree in trees if "document_id" in tree}
    held = await kb.documents()
    assert {info.document_id for info in held} == set(told)
    plans = 0
    for info in held:
        document, chunks = await kb.document(info.document_id)
        assert document.text == told[info.document_id]["text"]
        assert all(document.text[slice(*chunk.span)] == chunk.text for chunk in chunks)
        if original := kb.store.originals.of(info.document_id):
            (month,) = [month for month in MONTHS if month in document.text]
            assert original.digest == DIGESTS[month]
            assert original.is_whole()
            plans += 1
    assert health.originals == plans
    assert health.chunks == sum(info.chunks for info in held)
    return plans


async def test_exports_amid_adds_restore_to_sound_bases(open_town: Opener, tmp_path: Path) -> None:
    async with open_town(store={"index": "lancedb"}) as town, town.client("root") as client:
        stop = asyncio.Event()
        working = asyncio.create_task(busy(client, stop))
        exports: list[str] = []
        sizes: set[int] = set()
        while (len(exports) < 4 or len(sizes) < 3) and len(exports) < MOST_EXPORTS and not working.done():
            await asyncio.sleep(0.4)
            exports.append((await client.get(f"{HR}/export")).text)
            sizes.add(len(exports[-1].splitlines()))
        stop.set()
        await working
        assert len(sizes) > 2, "next to nothing was added meanwhile"
        plans = 0
        for number, export in enumerate(exports):
            async with AsyncRove.open(tmp_path / f"restored-{number}", embedder=FAKE) as kb:
                report = await kb.import_(export.splitlines())
                assert report.failed == ()
                plans += await check_sound(kb, export)
        assert plans
        assert (await client.post(f"{HR}/doctor")).json()["problems"] == []


async def test_a_document_is_exported_with_its_own_pages(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is replaced while it is written down: its text and its file are of the same version."""
    kb = town.spaces._spaces["hr"].kb
    async with town.client("root") as client:
        await settled(client, "hr", await client.post(f"{HR}/uploads", files=[("files", ("plan.pdf", PLANS["May"]))]))
        read = kb.store.catalog.with_chunks
        loop, replaced = asyncio.get_running_loop(), []

        def slow(document_ids: Sequence[str]) -> object:
            """Read documents, and have one replaced right after."""
            found = read(document_ids)
            plan = next((name for name, (document, _) in found.items() if document.kind == "pdf"), "")
            if plan and not replaced:
                replaced.append(plan)
                asyncio.run_coroutine_threadsafe(replace(), loop).result(60)
            return found

        async def replace() -> None:
            files = [("files", ("plan.pdf", PLANS["July"]))]
            await settled(client, "hr", await client.post(f"{HR}/uploads", files=files))

        monkeypatch.setattr(kb.store.catalog, "with_chunks", slow)
        trees = [json.loads(line) async for line in kb.export()]
        assert replaced
        (plan,) = [tree for tree in trees if tree.get("kind") == "pdf"]
        assert "July" in plan["text"]
        assert plan["read_from"] == DIGESTS["July"]
        (piece,) = [tree for tree in trees if "original" in tree]
        assert piece["original"] == DIGESTS["July"]

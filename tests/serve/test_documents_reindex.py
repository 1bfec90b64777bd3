"""Documents that are read again: where they lie, from what is kept of them, or from their text; and the time left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx

from load.samples_pages import pdf_pages, printed
from rove.events import AddStarted, ChunksCut, ChunksEmbedded, SourcesAt
from rove.records import Text
from rove.recut import recut
from rove.serve.documents.job import Job
from rove.serve.documents.rest_time import RestTime
from serve.conftest import Opener, Town, settled

HR = "/v1/spaces/hr"
PLAN = pdf_pages([[printed(70, 300, "The budget for wolves is in June.")]])


async def again(client: httpx.AsyncClient, *document_ids: str, **more: Any) -> dict[str, Any]:
    return await settled(client, "hr", await client.post(f"{HR}/reindex", json={"document_ids": document_ids, **more}))


async def documents(client: httpx.AsyncClient) -> dict[str, dict[str, Any]]:
    return {one["title"] or one["source"]: one for one in (await client.get(f"{HR}/documents")).json()["documents"]}


async def test_what_comes_out_as_it_was_stays(town: Town, tmp_path: Path) -> None:
    file = tmp_path / "river.md"
    file.write_text("# River\n\nIt flows.", "utf-8")
    await town.spaces._spaces["hr"].kb.add(file)
    async with town.client("root") as root:
        await settled(root, "hr", await root.post(f"{HR}/uploads", files=[("files", ("plan.pdf", PLAN))]))
        before = await documents(root)
        kept = {"question": "What flows?", "document_id": before["River"]["document_id"], "span": (0, 7)}
        await town.spaces._spaces["hr"].kb.keep_question(*kept.values())
        job = await again(root, *(one["document_id"] for one in before.values()))
        assert (job["expected"], job["ended"], job["trouble"]) == (5, 5, "")
        assert {one["state"] for one in job["sources"]} == {"live"}
        assert await documents(root) == before
        assert [one.question for one in await town.spaces._spaces["hr"].kb.kept_questions()] == ["What flows?"]
        plan = before["plan"]["document_id"]
        assert (await root.get(f"{HR}/download", params={"document_id": plan})).content == PLAN


async def test_new_settings_count_for_what_is_read_again(open_town: Opener) -> None:
    """An upload of which the file is kept, and a text of which only the text is there, are cut anew, labels and all."""
    long = "It rains in spring and in autumn. " * 60
    async with open_town() as town, town.client("mira") as mira:
        text = {"text": long, "title": "Rain", "name": "rain", "access": ["board"], "metadata": {"topic": "sky"}}
        await settled(mira, "hr", await mira.post(f"{HR}/documents", json=text))
        files = [("files", ("plan.pdf", PLAN)), ("access", (None, "board"))]
        await settled(mira, "hr", await mira.post(f"{HR}/uploads", files=files))
        before = await documents(mira)
    async with open_town(filled=False, chunk={"size_chars": 300}) as town, town.client("mira") as mira:
        await again(mira, *(one["document_id"] for one in before.values()))
        after = await documents(mira)
        assert after["Rain"]["chunks"] > before["Rain"]["chunks"]
        assert after["Rain"]["metadata"] == before["Rain"]["metadata"]
        assert after["plan"]["metadata"] == before["plan"]["metadata"]
        plan = after["plan"]["document_id"]
        assert (await mira.get(f"{HR}/download", params={"document_id": plan})).content == PLAN
        assert (await mira.post(f"{HR}/reindex", json={"failed": True})).status_code == 403


async def test_what_failed_is_tried_again(town: Town, tmp_path: Path) -> None:
    file = tmp_path / "late.md"
    await town.spaces._spaces["hr"].kb.add(file)
    async with town.client("root") as root:
        nothing = await root.post(f"{HR}/reindex", json={"failed": True})
        assert nothing.status_code == 400
        assert nothing.json()["detail"] == "This document has no source to read again."
        file.write_text("# Late\n\nIt came.", "utf-8")
        await again(root, failed=True)
        assert "Late" in await documents(root)
        assert (await root.get(f"{HR}/ledger", params={"state": "failed"})).json()["entries"] == []


async def test_what_was_found_in_a_document_is_not_taken_for_its_own(town: Town) -> None:
    kb = town.spaces._spaces["hr"].kb
    await kb.store.enrich({"urlaub": {"grade": 2}})
    await recut(kb, ["urlaub", "nowhere"])
    assert kb.store.catalog.own_fields(["urlaub"]) == {"urlaub": {}}
    (info,) = await kb.named("urlaub")
    assert info.metadata == {"grade": 2}
    assert await kb.add(Text("Der Urlaub wird vom Vorstand genehmigt.", id="urlaub", title="Urlaub"))


def test_the_time_left_is_told_once_there_is_a_rate() -> None:
    now = [0.0]
    job = Job("0", "anna")
    job.begin()
    job.rest = RestTime(clock=lambda: now[0])
    job.listen(AddStarted(4))
    job.listen(SourcesAt("reading", ("a", "b", "c", "d")))
    assert job.left_s is None
    job.listen(SourcesAt("chunked", ("a", "b", "c", "d")))
    job.listen(ChunksCut(1_000))
    assert (job.cut, job.left_s) == (1_000, None)
    now[0] = 1.0
    job.listen(ChunksEmbedded(100))
    assert job.left_s is None  # one second says nothing
    now[0] = 10.0
    job.listen(ChunksEmbedded(100))
    assert job.left_s == 40.0
    now[0] = 200.0
    job.listen(ChunksEmbedded(300))
    now[0] = 210.0
    job.listen(ChunksEmbedded(100))
    assert job.left_s is not None
    assert 10.0 <= job.left_s <= 280.0  # what was long ago counts no more
    job.end()
    assert job.left_s is None

"""Stages: while a source is read, cut, embedded and kept, its job says so, and not too often."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from load.samples_pages import pdf_pages, printed
from rove.engine import AsyncRove
from rove.events import AddStarted, Event, PageReached, SourceDone, SourcesAt
from rove.models import Vectors
from rove.records import LedgerEntry, Text
from rove.serve.documents.jobs import Job
from rove.serve.documents.schema import MOST_UNDER_WAY, JobOut, progress
from rove.serve.documents.spool import JOB, Spool
from serve.conftest import FAKE, Town

PLAN = pdf_pages([[printed(70, 700, "The move is in May.")]])
STAGES = ["reading", "chunked", "embedded", "indexed"]


async def test_each_source_goes_through_all_stages_in_order(tmp_path: Path) -> None:
    """Of sources that are read here, and in a process of its own."""
    (tmp_path / "plan.pdf").write_bytes(PLAN)
    told: list[Event] = []
    async with AsyncRove.open(tmp_path / "kb", embedder=FAKE, store={"index": "memory"}) as kb:
        await kb.add(tmp_path / "plan.pdf", Text("Soup.", id="soup"), listener=told.append)
        for source in (str(tmp_path / "plan.pdf"), "soup"):
            stages = [event.stage for event in told if isinstance(event, SourcesAt) and source in event.sources]
            assert stages == STAGES
            ends = [isinstance(event, SourceDone) and event.entry.source == source for event in told]
            last = max(at for at, event in enumerate(told) if isinstance(event, SourcesAt) and source in event.sources)
            assert ends.index(True) > last
        told.clear()
        await kb.add(tmp_path / "plan.pdf", Text("Soup.", id="soup"), listener=told.append)
        assert {event.stage for event in told if isinstance(event, SourcesAt)} == {"reading"}  # no more was done


async def test_many_small_sources_cost_few_events(tmp_path: Path) -> None:
    texts = [Text(f"Note {number} is short.", id=f"note-{number}") for number in range(1_000)]
    told: list[Event] = []
    async with AsyncRove.open(tmp_path / "kb", embedder=FAKE, store={"index": "memory"}) as kb:
        await kb.add(texts, listener=told.append)
    stages = [event for event in told if isinstance(event, SourcesAt)]
    assert {source for event in stages if event.stage == "reading" for source in event.sources} == {
        text.id for text in texts
    }
    assert len(stages) < 60


async def test_a_job_tells_where_its_sources_are(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the embedder works, the sources are cut; then they have their vectors; then they have ended."""
    embedder = town.spaces._spaces["hr"].kb.embedder
    passages, go = type(embedder).passages, asyncio.Event()

    async def slow(self: object, texts: Sequence[str]) -> Vectors:
        await go.wait()
        return await passages(embedder, texts)

    monkeypatch.setattr(type(embedder), "passages", slow)
    files = [("files", ("plan.pdf", PLAN)), ("files", ("/srv/../<b>a.md", b"Soup."))]
    async with town.client("anna") as client:
        job = (await client.post("/v1/spaces/hr/uploads", files=files)).json()
        address = f"/v1/spaces/hr/jobs/{job['job_id']}"
        async with asyncio.timeout(60):
            while (now := (await client.get(address)).json())["stages"].get("chunked", 0) < 1:
                assert now["state"] in {"queued", "running"}
                await asyncio.sleep(0.02)
        assert {one["source"] for one in now["under_way"]} <= {"plan.pdf", "<b>a.md"}
        assert now["sources"] == []
        go.set()
        reply = await client.get(f"{address}/events")
        told = [json.loads(line[6:]) for line in reply.text.splitlines() if line.startswith("data: ")]
        assert told[-1]["state"] == "done"
        assert (told[-1]["stages"], told[-1]["under_way"]) == ({}, [])
        assert sum(len(one["sources"]) for one in told) == 2


@pytest.mark.timed
async def test_whoever_watches_is_told_at_most_so_often_and_of_the_end_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.serve.progress.EVERY_S", 20.0)
    job = Job("id", "anna", "running")
    seen: list[str] = []

    async def watch() -> None:
        async for _ in job.watch():
            seen.append(job.state)

    watching = asyncio.create_task(watch())
    began = time.monotonic()
    job.listen(AddStarted(5_000))
    for number in range(5_000):
        job.listen(SourcesAt("reading", (f"upload:/{number}",)))
        if number % 10 == 0:
            await asyncio.sleep(0)
    assert len(JobOut.of(job).under_way) == MOST_UNDER_WAY
    assert JobOut.of(job).stages == {"reading": 5_000}
    for number in range(5_000):
        job.listen(SourceDone(LedgerEntry(f"upload:/{number}", "live")))
    await asyncio.sleep(0.05)
    job.end()
    await watching
    assert seen == ["running", "done"]
    assert time.monotonic() - began < 20


def test_a_job_tells_the_page_of_a_scan_while_it_is_read() -> None:
    job = Job("id", "anna")
    job.listen(SourcesAt("reading", ("upload:/a.pdf", "upload:/b.pdf")))
    job.listen(PageReached("upload:/a.pdf", 37, 500))
    told = [(one.source, one.page, one.pages) for one in JobOut.of(job).under_way]
    assert told == [("a.pdf", 37, 500), ("b.pdf", 0, 0)]
    job.listen(SourcesAt("chunked", ("upload:/a.pdf",)))
    assert [one.page for one in JobOut.of(job).under_way] == [0, 0]


async def test_an_event_tells_only_what_has_ended_since_the_one_before() -> None:
    """Whoever comes late is told all, in events that are bounded; who is told of a job that is begun again, anew."""
    job = Job("id", "anna")

    def end(first: int, last: int) -> None:
        for number in range(first, last):
            job.listen(SourceDone(LedgerEntry(f"upload:/{number}", "live")))

    async def put_together(sizes: list[int]) -> list[str]:
        sources: list[str] = []
        async for event in progress(job):
            sizes.append(len(event.sources))
            sources[event.first :] = [one.source for one in event.sources]
            assert (event.state == "done") == (job.over and event.ended == len(sources))
        return sources

    sizes: list[int] = []
    job.begin()
    end(0, 250)
    watching = asyncio.create_task(put_together(sizes))
    await asyncio.sleep(0.05)
    assert sizes == [100, 100, 50]
    job.begin()
    end(500, 503)
    await asyncio.sleep(0.5)
    assert sizes == [100, 100, 50, 3]
    end(503, 620)
    job.end()
    names = [str(number) for number in range(500, 620)]
    assert await watching == names
    assert sizes == [100, 100, 50, 3, 100, 17]
    assert [one.source for one in JobOut.of(job).sources] == names
    assert await put_together([]) == names


async def test_a_fault_of_ours_holds_up_no_other_job_and_loses_nothing(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = town.spaces._spaces["hr"]
    whole = space.kb.add

    async def faulty(*given: object, **named: object) -> object:
        monkeypatch.setattr(space.kb, "add", whole)
        raise ZeroDivisionError

    monkeypatch.setattr(space.kb, "add", faulty)
    async with town.client("anna") as client:
        first, second = [
            (await client.post("/v1/spaces/hr/documents", json={"text": text})).json()["job_id"]
            for text in ("Soup is at noon.", "Tea is at four.")
        ]
        async with asyncio.timeout(30):
            await client.get(f"/v1/spaces/hr/jobs/{second}/events")
        now = (await client.get(f"/v1/spaces/hr/jobs/{first}")).json()
    assert (now["state"], "Something went wrong" in now["trouble"]) == ("waiting", True)
    assert [path.parent.name for path in (space.kb.store.folder / "incoming").glob(f"*/*/{JOB}")] == [first]


async def test_a_fault_while_a_server_ends_does_not_keep_it_up(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    space = town.spaces._spaces["hr"]
    begun = asyncio.Event()

    async def faulty(*given: object, **named: object) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise ZeroDivisionError

    monkeypatch.setattr(space.kb, "add", faulty)
    async with town.client("anna") as client:
        await client.post("/v1/spaces/hr/documents", json={"text": "Soup is at noon."})
        await begun.wait()
    async with asyncio.timeout(20):
        await space.jobs.stop(0)
    assert len(Spool(space.kb.store.folder).waiting()) == 1

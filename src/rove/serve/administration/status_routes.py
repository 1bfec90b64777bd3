"""What runs, over HTTP, for administrators of every space: jobs, load, disk, health, what failed."""

from __future__ import annotations

import asyncio
import shutil
from datetime import UTC, datetime
from time import monotonic

from fastapi import APIRouter, Request

from rove.errors import EmbedderMovedError, RoveError
from rove.serve.administration.process_figures import machine_now, process_now
from rove.serve.administration.status_schema import (
    EvaluationNowOut,
    FailureOut,
    IndexOut,
    JobNowOut,
    LimitOut,
    SpaceNowOut,
    StatusOut,
)
from rove.serve.admission.middleware import caller_of
from rove.serve.context import ServerContext, ServerContextIn
from rove.serve.documents.job import Job
from rove.serve.journal import Journal
from rove.serve.spaces import Space
from rove.store.embedded import NAMES as EMBEDDED

router = APIRouter(prefix="/v1/status", tags=["server"])
INDEX_S = 3.0
"""So long an index may take to say that it is there."""
MOST_JOBS, MOST_FAILURES = 50, 20
SILENT = f"It did not answer within {INDEX_S:.0f} s."


@router.get("")
async def status(request: Request, server: ServerContextIn) -> StatusOut:
    """What runs and how it is: for administrators of every space."""
    caller_of(request.scope).require_every_space()
    journal, spaces = server.journal, server.spaces.all
    looked = await asyncio.gather(*(_space(one, server) for one in spaces))
    jobs = [_to_job_now_out(one, job) for one in spaces for job in one.jobs.unfinished]
    running = [(one.name, one.evaluations.running) for one in spaces]
    return StatusOut(
        version=request.app.version,
        started_at=journal.started,
        uptime_s=round((datetime.now(UTC) - journal.started).total_seconds(), 1),
        process=process_now(),
        machine=machine_now(),
        spaces=list(looked),
        jobs=jobs[:MOST_JOBS],
        evaluations=[
            EvaluationNowOut(
                space=name,
                evaluation_id=one.evaluation_id,
                name=one.name,
                state=one.state,
                asked=one.asked,
                expected=one.expected,
            )
            for name, one in running
            if one
        ],
        walks=len(server.listened.walks),
        requests=len(server.open_requests),
        streams=server.streams.in_use,
        limits=_limits(server, queued=len(jobs)),
        replies={f"{digit}xx" if digit else "gone": count for digit, count in sorted(journal.replies.items())},
        tokens_read=journal.usage.input_tokens,
        tokens_written=journal.usage.output_tokens,
        failures=_failures(journal),
    )


async def _space(space: Space, server: ServerContext) -> SpaceNowOut:
    store = space.kb.store
    documents = chunks = shallow = 0
    problem = ""
    try:
        documents, chunks = await asyncio.to_thread(store.catalog.size)
        shallow = await asyncio.to_thread(store.catalog.shallow_count)
    except RoveError as error:
        problem = error.reason
    try:
        disk = await asyncio.to_thread(shutil.disk_usage, store.folder)
    except OSError:
        disk = None
    return SpaceNowOut(
        name=space.name,
        documents=documents,
        chunks=chunks,
        shallow=shallow,
        moved=isinstance(server.spaces.moved.get(space.name), EmbedderMovedError),
        in_database=store.home.is_shared,
        disk_free_bytes=disk.free if disk else None,
        disk_bytes=disk.total if disk else None,
        index=await _index(space),
        problem=problem,
    )


async def _index(space: Space) -> IndexOut | None:
    """Ask the index how much it holds; None where vectors are compared in the catalog's own folder."""
    name = space.kb.settings.store.index
    if name in EMBEDDED:
        return None
    began, chunks, detail = monotonic(), 0, ""
    try:
        async with asyncio.timeout(INDEX_S):
            chunks = await space.kb.store.index.count()
    except TimeoutError:
        detail = SILENT
    except RoveError as error:
        detail = error.reason
    ms = round((monotonic() - began) * 1000, 1)
    return IndexOut(name=name, works=not detail, chunks=chunks, ms=ms, detail=detail)


def _to_job_now_out(space: Space, job: Job) -> JobNowOut:
    return JobNowOut(
        space=space.name,
        job_id=job.job_id,
        caller=job.caller,
        state=job.state,
        expected=job.expected,
        ended=len(job.events),
        cut=job.cut,
        chunks=job.chunks,
        shallow=job.shallow,
        left_s=job.left_s,
        trouble=job.trouble,
    )


def _limits(server: ServerContext, queued: int) -> list[LimitOut]:
    settings = server.settings
    used = {"concurrent": len(server.open_requests), "streams": server.streams.in_use, "max_queued": queued}
    names = ("concurrent", "streams", "uploads", "max_queued", "requests_per_minute", "max_upload_mb", "max_files")
    return [LimitOut(name=f"serve.{name}", value=getattr(settings, name), used=used.get(name)) for name in names]


def _failures(journal: Journal) -> list[FailureOut]:
    """The latest first."""
    found = [
        FailureOut(status=status, route=route, count=one.count, at=one.at, request=one.request)
        for (status, route), one in journal.failures.items()
        if one.at
    ]
    return sorted(found, key=lambda one: one.at, reverse=True)[:MOST_FAILURES]

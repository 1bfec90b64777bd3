"""The board of jobs that the servers of a base share."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import AsyncRove
from rove.serve.documents.job import Job
from rove.serve.documents.jobs import _pin
from rove.store.job_board import JobBoard


@pytest.mark.parametrize("is_end_pinned", [True, False])
async def test_a_job_that_was_taken_off_after_its_end_stays_off(tmp_path: Path, is_end_pinned: bool) -> None:
    """An erasure takes off what names the source; what was to be pinned last does not bring it back."""
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        board = JobBoard(kb.store.catalog.database)
        job = Job("j", "anna", is_end_pinned=is_end_pinned)
        job.begin()
        board.pin(job.job_id, job.caller, job.told(state="done"))
        job.end()
        board.clear()
        await _pin(job, board)
        assert (board.read("j") is None) == is_end_pinned


async def test_what_is_pinned_last_is_how_it_ended(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        board = JobBoard(kb.store.catalog.database)
        job = Job("j", "anna", is_end_pinned=True)
        job.begin()
        board.pin(job.job_id, job.caller, job.told())  # one under way that came late
        job.end()
        await _pin(job, board)
        caller, told = board.read("j") or ("", "")
        assert caller == "anna" and '"state":"done"' in told

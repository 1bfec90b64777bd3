"""A full disk: said as such, nothing is acknowledged that is not kept, and what waits goes on once there is room.

`/dev/full` is a device without room: what is written to a link to it fails as on a full disk.
"""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest

from rove.evaluate.results import Results
from rove.serve.documents.spool import Draft, Spool
from rove.serve.evaluations.folders import EvaluationFolders
from serve.conftest import Town, hold

FULL = Path("/dev/full")
UPLOADS, EVALUATIONS = "/v1/spaces/hr/uploads", "/v1/spaces/hr/evaluations"
RECEIPT = Path(__file__).parents[2] / "demo" / "documents" / "files" / "receipt.pdf"
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")


@pytest.mark.parametrize("part", ["0", "job.json.part"])
async def test_what_cannot_be_kept_is_not_acknowledged(town: Town, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    begin = Spool.begin

    def without_room(self: Spool) -> Draft:
        draft = begin(self)
        (draft.folder / part).symlink_to(FULL)
        return draft

    monkeypatch.setattr(Spool, "begin", without_room)
    async with town.client("anna") as client:
        reply = await client.post(UPLOADS, files=[("files", ("a.md", b"Soup."))])
        assert (reply.status_code, reply.json()["type"]) == (507, "urn:rove:problem:disk-full")
        assert "make room" in reply.json()["cure"]
        incoming = town.spaces._spaces["hr"].kb.settings.path / "incoming"
        assert list(incoming.glob("*/*/")) == []
        monkeypatch.setattr(Spool, "begin", begin)
        assert (await client.post(UPLOADS, files=[("files", ("a.md", b"Soup."))])).status_code == 202


async def test_an_original_without_room_waits_until_there_is_some(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.serve.documents.jobs.RETRY_S", 0.5)
    base = town.spaces._spaces["hr"].kb.settings.path
    part = base / "originals" / ".part"
    part.parent.mkdir()
    part.symlink_to(FULL)
    async with town.client("anna") as client:
        job = (await client.post(UPLOADS, files=[("files", ("r.pdf", RECEIPT.read_bytes()))])).json()["job_id"]
        async with asyncio.timeout(60):
            while (now := (await client.get(f"/v1/spaces/hr/jobs/{job}")).json())["state"] != "waiting":
                assert now["state"] != "done"
                await asyncio.sleep(0.02)
        assert "No space left" in now["trouble"]
        assert str(base.parent) not in now["trouble"]
        assert not part.is_symlink()  # it would fill what room there is; and makes room here
        async with asyncio.timeout(60):
            assert '"state":"done"' in (await client.get(f"/v1/spaces/hr/jobs/{job}/events")).text
    assert [path.stat().st_size for path in part.parent.iterdir()] == [RECEIPT.stat().st_size]


async def test_an_evaluation_without_room_ends_for_who_watches(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what it has found can be kept, nor that it has failed."""
    keep, end, gate = Results.keep, EvaluationFolders.end, hold(monkeypatch, 0)

    def without_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    wanted = {"table": {"name": "q.csv", "text": "question,source\nWho approves remote work?,policy\n"}}
    async with town.client() as client, asyncio.timeout(60):
        begun = (await client.post(EVALUATIONS, json=wanted)).json()["evaluation_id"]
        watching = asyncio.create_task(client.get(f"{EVALUATIONS}/{begun}/events"))
        await asyncio.sleep(1)
        monkeypatch.setattr(Results, "keep", without_room)
        monkeypatch.setattr(EvaluationFolders, "end", without_room)
        gate.set()
        assert '"state":"failed"' in (await watching).text
        listed = (await client.get(EVALUATIONS)).json()["evaluations"]
        assert [(one["evaluation_id"], one["state"]) for one in listed] == [(begun, "failed")]
        monkeypatch.setattr(Results, "keep", keep)
        monkeypatch.setattr(EvaluationFolders, "end", end)
        again = (await client.post(EVALUATIONS, json=wanted)).json()["evaluation_id"]
        assert '"state":"done"' in (await client.get(f"{EVALUATIONS}/{again}/events")).text

"""What servers have acknowledged: whole or not there, one server's at a time, and another's when that has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from rove.errors import ServiceError
from rove.store import postgres_servers
from rove.store.files import PIECE_BYTES
from rove.store.postgres_team import PostgresTeam
from store.test_postgres import base
from store.test_postgres_tally import join

__all__ = ["base", "join"]


async def put(team: PostgresTeam, job: str, *files: Path) -> None:
    await team.incoming.put(job, "anna", b"order", {str(number): file for number, file in enumerate(files)})


async def test_a_job_is_read_as_it_was_put_by_who_takes_it_over(join: Callable, tmp_path: Path) -> None:
    one, other = await join(), await join()
    large, empty = tmp_path / "large", tmp_path / "empty"
    large.write_bytes(bytes(range(256)) * (PIECE_BYTES // 100))
    empty.touch()
    await put(one, "job", large, empty)
    assert await one.incoming.is_ours("job") and not await other.incoming.is_ours("job")
    assert await other.incoming.taken_over() == [] and await other.incoming.count("anna") == 1
    await one.close()
    assert await other.incoming.taken_over() == [("job", "anna")] and await other.incoming.taken_over() == []
    assert await other.incoming.is_ours("job")
    target = tmp_path / "target"
    target.mkdir()
    assert await other.incoming.read("job", target) == b"order"
    assert (target / "0").read_bytes() == large.read_bytes() and (target / "1").read_bytes() == b""
    await other.incoming.done("job")
    assert not await other.incoming.is_ours("job") and not await other.incoming.count("anna")
    assert await other._lines.fetch("SELECT 1 FROM incoming_pieces", {}) == []
    with pytest.raises(ServiceError, match="no longer"):
        await other.incoming.read("job", target)


async def test_what_could_not_be_put_whole_is_not_there(join: Callable, tmp_path: Path) -> None:
    team = await join()
    file = tmp_path / "file"
    file.write_bytes(b"x" * 3 * PIECE_BYTES)
    with pytest.raises(FileNotFoundError):
        await put(team, "job", file, tmp_path / "missing")
    putting = asyncio.create_task(put(team, "cut", *[file] * 20))
    await asyncio.sleep(0.05)
    putting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await putting
    await team._lines.fetch("INSERT INTO incoming_pieces VALUES ('late', '0', 0, 'x', now() - interval '2 hours')", {})
    await team.incoming.beat()
    rows = await team._lines.fetch("SELECT job_id FROM incoming UNION SELECT job_id FROM incoming_pieces", {})
    assert rows == []


async def test_many_servers_take_over_each_job_once(join: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    dead, *others = [await join() for _ in range(4)]
    names = {f"job {number}" for number in range(50)}
    for name in names:
        await put(dead, name)
    dead._beating.cancel()
    monkeypatch.setattr(postgres_servers, "LEASE_S", 0.0)
    await postgres_servers.sign(dead._lines, dead.server)
    taken: list[str] = []
    while found := [job for jobs in await asyncio.gather(*(o.incoming.taken_over() for o in others)) for job in jobs]:
        taken += [job_id for job_id, _ in found]
    assert len(taken) == 50 and set(taken) == names
    assert not any([await dead.incoming.is_ours(name) for name in names])

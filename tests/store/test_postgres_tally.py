"""What servers count together: never more than the limit, whoever asks, and nothing is held by one that has ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from rove import AsyncRove
from rove.errors import ServiceError
from rove.settings import Address
from rove.store import postgres_servers
from rove.store.database import Database
from rove.store.postgres_home import PostgresHome
from rove.store.postgres_team import PostgresTeam
from store.test_postgres import FAKE, base, ended

__all__ = ["base"]
Joined = Callable[[], "asyncio.Future[PostgresTeam]"]


@pytest.fixture
async def join(base: str) -> AsyncIterator[Callable]:
    """Joins the servers of the base."""
    teams: list[PostgresTeam] = []

    async def joined() -> PostgresTeam:
        home = PostgresHome(Address(base))
        teams.append(home.team(Database(home.dialect())))
        await teams[-1].start()
        return teams[-1]

    async with AsyncRove.open(base, embedder=FAKE):
        yield joined
    for team in teams:
        await team.close()
        team._database.close()


async def test_so_many_a_minute_over_all_servers(join: Callable) -> None:
    teams = [await join() for _ in range(3)]
    waits = await asyncio.gather(*(teams[number % 3].tally.take("tries 192.0.2.7", 20) for number in range(60)))
    assert sum(not wait for wait in waits) == 20
    assert all(0 < wait <= 3 for wait in waits if wait)
    assert await teams[0].tally.take("tries 192.0.2.8", 1) == 0
    assert 55 < await teams[1].tally.take("tries 192.0.2.8", 1) <= 60


async def test_a_bucket_fills_by_the_clock_of_the_database(join: Callable) -> None:
    one, other = await join(), await join()
    rate = 600  # a tenth of a second each
    async with asyncio.timeout(60):
        while not await one.tally.take("a", rate):
            pass
        while await other.tally.take("a", rate):  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.02)


async def test_so_many_at_once_over_all_servers(join: Callable) -> None:
    teams = [await join() for _ in range(3)]
    came = await asyncio.gather(*(teams[number % 3].tally.enter("requests anna", 7) for number in range(30)))
    assert sum(came) == 7
    assert all([await team.tally.is_full("requests anna", 7) for team in teams])
    assert await teams[0].tally.enter("requests otto", 1)
    holder = came.index(True) % 3
    teams[holder].tally.leave("requests anna")
    async with asyncio.timeout(60):
        while not await teams[(holder + 1) % 3].tally.enter("requests anna", 7):  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.01)
    assert not await teams[holder].tally.enter("requests anna", 7)


async def test_places_of_a_server_that_ends_are_free(join: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    gone, dead, left = await join(), await join(), await join()
    assert await gone.tally.enter("a", 2) and await dead.tally.enter("a", 2) and not await left.tally.enter("a", 2)
    await gone.close()
    assert await left.tally.enter("a", 2) and not await left.tally.enter("a", 2)
    dead._beating.cancel()
    monkeypatch.setattr(postgres_servers, "LEASE_S", 0.0)
    await postgres_servers.sign(dead._lines, dead.server)  # its lease runs out
    assert await left.tally.enter("a", 2) and not await left.tally.enter("a", 2)


async def test_a_place_that_nobody_waits_for_any_more_is_given_back(join: Callable) -> None:
    team = await join()
    for _ in range(20):
        coming = asyncio.create_task(team.tally.enter("a", 1))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        coming.cancel()
        with pytest.raises(asyncio.CancelledError):
            await coming
    async with asyncio.timeout(60):
        while not await team.tally.enter("a", 1):  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.01)


async def test_what_could_not_be_given_back_is_with_the_next_beat(base: str, join: Callable) -> None:
    team = await join()
    assert await team.tally.enter("a", 1)
    right, team._lines._dialect.parameters["port"] = team._lines._dialect.parameters.get("port"), 1
    assert ended(base, "state = 'idle'")
    team.tally.leave("a")
    async with asyncio.timeout(60):
        while not team.tally._owed:  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.01)
    with pytest.raises(ServiceError, match="could not be"):
        await team.tally.take("b", 1)
    team._lines._dialect.parameters["port"] = right
    assert not await team.tally.enter("a", 1)
    await team.tally.beat()
    assert await team.tally.enter("a", 1)


async def test_names_are_not_kept_and_go(base: str, join: Callable) -> None:
    team = await join()
    await team.tally.take("tries 192.0.2.9", 60_000)
    await team.tally.enter("requests anna", 1)
    rows = await team._lines.fetch("SELECT b.name || p.held::text || p.name FROM buckets b, places p", {})
    assert len(rows) == 1 and "192" not in rows[0][0] and "anna" not in rows[0][0]
    team.tally.leave("requests anna")
    await asyncio.gather(*team.tally._leaving)
    await team.tally.beat()
    assert await team._lines.fetch("SELECT name FROM buckets UNION SELECT name FROM places", {}) == []

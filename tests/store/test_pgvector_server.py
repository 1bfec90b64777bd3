"""The index in Postgres when its server is out of reach, refuses, or was tampered with; and two bases on one server."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from secrets import token_hex

import numpy as np
import psycopg
import pytest

import postgres_server
from rove import Rove, Text, field
from rove.errors import ConfigError, RoveError, ServiceError
from rove.settings import Address, StoreSettings
from rove.store.refusals import RowWriter
from rove.store.servers.pgvector import PgvectorIndex
from rove.testing.index_rows import DIMENSION, make_rows
from rove.testing.samples import TEXTS

SECRET = "zwirbel-4711"


def index(name: str = "", **server: object) -> PgvectorIndex:
    given = {"url": postgres_server.address(), "name": name or f"t{token_hex(8)}", "retries": 0, **server}
    settings = StoreSettings.model_validate({"server": given})
    return PgvectorIndex(folder=Path(), dimension=DIMENSION, settings=settings)


def asked(statement: str) -> list[tuple]:
    """Be somebody else on the server."""
    with psycopg.connect(postgres_server.address(), autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def store(name: str) -> dict[str, object]:
    return {"index": "pgvector", "resident_chunks": 0, "server": {"url": postgres_server.address(), "name": name}}


def holding(word: str) -> list[Path]:
    """The server's files of tables and indexes that have this word."""
    (folder,) = asked("SHOW data_directory")[0]
    files = [path for path in Path(folder, "base").rglob("*") if path.is_file()]
    return [path for path in files if word.encode() in path.read_bytes()]


def written(file: str, text: str) -> None:
    Path(file).write_text(text)


class Doors:
    """A port that leads to the server as long as it is open."""

    def __init__(self) -> None:
        self.path = f"{psycopg.conninfo.conninfo_to_dict(postgres_server.address())['host']}/.s.PGSQL.5432"
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"postgresql://postgres@127.0.0.1:{self.listener.getsockname()[1]}/postgres"
        self.is_open = True
        self.ends: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def shut(self) -> None:
        self.is_open = False
        for end in self.ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                given, _ = self.listener.accept()
                if not self.is_open:
                    given.close()
                    continue
                there = socket.socket(socket.AF_UNIX)
                there.connect(self.path)
                self.ends += [given, there]
                for one, other in ((given, there), (there, given)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65_536):
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def doors() -> Iterator[Doors]:
    made = Doors()
    try:
        yield made
    finally:
        made.shut()
        made.listener.close()
        for end in made.ends:
            end.close()


async def test_a_server_that_goes_is_told_and_nothing_is_lost() -> None:
    rows = make_rows(60)
    with doors() as door:
        held = index(url=door.url)
        await held.add(rows[:20])
        door.shut()
        for call in (held.add(rows[20:]), held.semantic(rows[0].vector, top_k=3), held.keyword(["n1"], top_k=3)):
            with pytest.raises(ServiceError, match="store.server.url") as raised:
                await call
            assert raised.value.retryable
        door.is_open = True
        assert await held.count() == 20
        await held.add(rows[20:])
        assert sorted(await held.chunk_ids()) == [row.chunk_id for row in rows]
        await held.close()


async def test_a_server_that_is_back_soon_is_waited_for() -> None:
    rows = make_rows(20)
    with doors() as door:
        held = index(url=door.url, retries=5)
        await held.add(rows)
        door.shut()
        threading.Timer(0.3, setattr, (door, "is_open", True)).start()
        assert (await held.semantic(rows[7].vector, top_k=1))[0][0] == "c00007"
        await held.close()


async def test_connections_that_the_server_ends_are_made_anew() -> None:
    rows = make_rows(20)
    held = index(retries=1)
    await held.add(rows)
    await asyncio.gather(*[held.semantic(row.vector, top_k=1) for row in rows[:4]])
    asked("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rove'")
    assert (await held.semantic(rows[7].vector, top_k=1))[0][0] == "c00007"
    await held.close()


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ({"user": "nobody_here", "password": SECRET}, "nobody_here"),
        ({"database": "nowhere"}, "nowhere"),
        ({"url": f"postgresql://me:{SECRET}@[:::x/"}, "no address"),
        ({"url": f"host=x password={SECRET}"}, "no address"),
    ],
)
async def test_what_is_set_wrong_is_said_at_once_and_without_the_password(
    server: dict[str, object], words: str
) -> None:
    with pytest.raises(ConfigError, match=words) as raised:
        await index(**{"retries": 9, **server}).count()
    assert SECRET not in str(raised.value) and SECRET not in str(raised.value.__cause__)
    assert "store.server" in str(raised.value) or "postgresql://" in str(raised.value)


async def test_a_wrong_password_is_said_and_not_printed() -> None:
    with postgres_server.server() as own:
        url = own.get_uri()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE ROLE rover LOGIN PASSWORD 'right'")
            connection.execute("GRANT CREATE ON DATABASE postgres TO rover")
            connection.execute("CREATE EXTENSION vector")
            (rules,) = connection.execute("SHOW hba_file").fetchone()  # type: ignore[misc]
            written(rules, "local all postgres trust\nlocal all all scram-sha-256\n")
            connection.execute("SELECT pg_reload_conf()")
        for password, words in ((SECRET, "refuses"), ("", "refuses|password")):
            with pytest.raises(RoveError, match=words) as raised:
                await index(url=url, user="rover", password=password).count()
            assert SECRET not in str(raised.value)
        held = index(url=url, user="rover", password="right")
        await held.add(make_rows(5))
        assert await held.count() == 5
        await held.close()


async def test_a_server_without_tls_is_not_trusted_where_certificates_are_set(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("")
    with doors() as door, pytest.raises(RoveError, match="SSL|certificate"):
        await index(url=door.url, ca_file=str(tmp_path / "ca.pem")).count()


async def test_each_bad_chunk_is_found_by_itself() -> None:
    rows = make_rows(30)
    rows[3] = replace(rows[3], vector=np.full(DIMENSION, np.nan, np.float32))
    rows[17] = replace(rows[17], fields={"a": "b\0c"})
    held = index()
    writer = RowWriter(held)
    await writer.add(rows)
    assert sorted(writer.refused) == ["c00003", "c00017"]
    assert "NaN" in str(writer.refused["c00003"])
    assert await held.count() == 28
    await held.close()


async def test_long_and_odd_values_are_kept() -> None:
    long = "x" * 9_000
    row = replace(make_rows(1)[0], terms=f"{long} 猫", fields={long: long, "list": (long, "")})
    held = index()
    await held.add([row])
    assert [name for name, _ in await held.keyword([long], top_k=3)] == ["c00000"]
    for where in (
        field(long) == long,
        field("list") == long,
        field("list") <= "",
        field("list").in_([*"abc" * 20, ""]),
    ):
        assert len(await held.semantic(row.vector, top_k=3, where=where)) == 1
    assert not await held.semantic(row.vector, top_k=3, where=field("list").in_([str(n) for n in range(99)]))
    await held.close()


async def test_two_bases_do_not_touch_each_other() -> None:
    one, other = index(), index()
    rows = make_rows(20)
    await one.add(rows[:10])
    await other.add(rows[5:])

    async def nothing():  # noqa: ANN202 - an iterator of batches
        for batch in ():
            yield batch

    await one.rebuild(nothing())
    await one.erase()
    assert await one.count() == 0
    assert await other.count() == 15 and (await other.semantic(rows[7].vector, top_k=1))[0][0] == "c00007"
    await one.close()
    await other.close()


async def test_what_was_erased_is_in_no_file() -> None:
    held = index()
    await held.add(
        [
            *make_rows(10),
            *(
                replace(row, chunk_id=f"{SECRET}{n}", terms=SECRET, fields={"note": SECRET})
                for n, row in enumerate(make_rows(5))
            ),
        ]
    )
    asked("CHECKPOINT")
    assert holding(SECRET)
    await held.remove([f"{SECRET}{n}" for n in range(5)])
    await held.erase()
    asked("CHECKPOINT")
    assert holding(SECRET) == []
    await held.close()


@pytest.mark.parametrize(
    "harm",
    [
        'DELETE FROM "{0}".index_rows WHERE id % 2 = 0',
        'DELETE FROM "{0}".index_vectors',
        'DELETE FROM "{0}".index_postings WHERE id % 2 = 0',
        'UPDATE "{0}".index_totals SET words = 7',
        'TRUNCATE "{0}".index_rows',
        'DROP TABLE "{0}".index_vectors',
        'DROP SCHEMA "{0}" CASCADE',
    ],
)
def test_doctor_mends_what_somebody_has_done_on_the_server(tmp_path: Path, harm: str) -> None:
    name = f"t{token_hex(8)}"
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}, store={**store(name), "keywords": "index"}) as kb:
        kb.add(*[Text(text, id=key) for key, text in TEXTS.items()])
        expected = kb.search(next(iter(TEXTS.values())))
        assert expected and kb.doctor().ok
        asked(harm.format(name))
        assert not kb.doctor().ok
        assert kb.doctor().ok
        assert kb.search(next(iter(TEXTS.values()))) == expected


def test_a_base_in_postgres_has_its_index_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROVE_DATA", str(tmp_path))
    base = postgres_server.base(f"b{token_hex(8)}")
    settings = {"index": "pgvector", "resident_chunks": 0}
    with Rove.open(base, embedder={"name": "fake"}, store=settings) as kb:
        kb.add(*[Text(text, id=key) for key, text in TEXTS.items()])
        assert kb.search("zeppelin") is not None and kb.doctor().ok
    schema = Address(base).schema
    (name,) = asked(f"SELECT value FROM \"{schema}\".facts WHERE name = 'index-name'")[0]  # noqa: S608
    assert asked(f'SELECT chunks FROM "{name}".index_totals')[0][0] >= len(TEXTS)  # noqa: S608

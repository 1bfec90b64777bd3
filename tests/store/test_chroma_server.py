"""The index in Chroma when its server is out of reach or refuses, or was tampered with; and two bases on one server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from secrets import token_hex

import chromadb
import numpy as np
import pytest

import chroma_server
import own_server
from rove import Rove, Text, field
from rove.errors import ConfigError, ServiceError
from rove.records.filter import AccessFilter, Compare
from rove.settings import StoreSettings
from rove.store.refusals import RowWriter
from rove.store.servers.chroma import ChromaIndex
from rove.testing.index_rows import DIMENSION, make_rows
from rove.testing.samples import TEXTS

pytestmark = pytest.mark.servers
SECRET = "zwirbel-4711"


def index(**server: object) -> ChromaIndex:
    given = {"url": chroma_server.address(), "name": f"t{token_hex(8)}", "retries": 0, **server}
    return ChromaIndex(folder=Path(), dimension=DIMENSION, settings=StoreSettings.model_validate({"server": given}))


@pytest.fixture
def own() -> Iterator[chroma_server.Server]:
    server = chroma_server.new()
    yield server
    own_server.ended(server)


async def test_a_server_that_goes_is_told_and_nothing_is_lost(own: chroma_server.Server) -> None:
    rows = make_rows(60)
    held = index(url=own.url)
    await held.add(rows[:20])
    own.stop()
    for one in (held, index(url=own.url)):
        for call in (one.add(rows[20:]), one.semantic(rows[0].vector, top_k=3)):
            with pytest.raises(ServiceError, match="store.server.url") as raised:
                await call
            assert raised.value.retryable
    threading.Timer(0.3, own.start).start()
    held = index(url=own.url, retries=7, name=held.settings.server.name)
    assert await held.count() == 20
    await held.add(rows[20:])
    assert sorted(await held.chunk_ids()) == [row.chunk_id for row in rows]
    assert (await held.semantic(rows[50].vector, top_k=1))[0][0] == "c00050"


async def test_an_address_that_is_none_is_said_without_what_is_secret() -> None:
    with pytest.raises(ConfigError, match="no address") as raised:
        await index(url=f"me:{SECRET}@nowhere").count()
    assert SECRET not in str(raised.value)
    with pytest.raises(ServiceError) as told:
        await index(url=f"http://me:{SECRET}@127.0.0.1:1", api_key=SECRET).count()
    assert SECRET not in str(told.value) and told.value.retryable


async def test_each_bad_chunk_is_found_by_itself() -> None:
    rows = make_rows(30)
    rows[3] = replace(rows[3], vector=np.full(DIMENSION, np.nan, np.float32))
    rows[17] = replace(rows[17], vector=np.ones(DIMENSION - 1, np.float32))
    held = index()
    writer = RowWriter(held)
    await writer.add(rows)
    assert sorted(writer.refused) == ["c00003", "c00017"]
    assert await held.count() == 28


async def test_texts_in_order_are_found_whatever_their_length() -> None:
    texts = [
        "",
        "x",
        "x\0",
        "x" * 15 + "\0",
        "x" * 16,
        "x" * 17,
        "x" * 16 + "b",
        "日本",
        "\ud800",
        "2024-05-01T10:30:22",
    ]
    values = [*texts, *combinations(texts, 2), 7, ()]
    rows = [replace(row, fields={"v": value}) for row, value in zip(make_rows(len(values)), values, strict=True)]
    held = index()
    await held.add([*rows, *(replace(row, chunk_id=f"none{row.chunk_id}", fields={}) for row in rows[:5])])
    for compared in (Compare("v", op, text) for op in (">", ">=", "<", "<=") for text in texts):
        for where in (compared, ~compared):
            found = await held.semantic(rows[0].vector, top_k=200, where=where)
            wanted = {row.chunk_id for row in rows if where.matches(row.fields)}
            missing = {f"none{row.chunk_id}" for row in rows[:5]} if where.matches({}) else set()
            assert {name for name, _ in found} == wanted | missing, where


async def test_many_values_are_found_by_reading() -> None:
    rows = [replace(row, fields={"day": f"2024-05-{n % 28 + 1:02}"}) for n, row in enumerate(make_rows(200))]
    held = index()
    await held.add(rows)
    where = field("day").in_([f"2024-05-{n}" for n in range(20, 150)])
    found = await held.semantic(rows[0].vector, top_k=200, where=where)
    assert {name for name, _ in found} == {row.chunk_id for row in rows if where.matches(row.fields)}


async def test_who_sees_a_part_is_answered_exactly() -> None:
    rows = [
        replace(row, fields={"access": ("staff",) if n % 9 else ("board",)}) for n, row in enumerate(make_rows(900))
    ]
    held = index()
    await held.add(rows)
    where = AccessFilter("access", "in", ("board",))
    for row in rows[:20]:
        found = await held.semantic(row.vector, top_k=10, where=where)
        exact = sorted((-float(one.vector @ row.vector), one.chunk_id) for one in rows if where.matches(one.fields))
        assert [name for name, _ in found] == [name for _, name in exact[:10]]


async def test_two_bases_do_not_touch_each_other() -> None:
    one, other, rows = index(), index(), make_rows(20)
    await one.add(rows[:10])
    await other.add(rows[5:])

    async def nothing():  # noqa: ANN202 - an iterator of batches
        for batch in ():
            yield batch

    await one.rebuild(nothing())
    assert await one.count() == 0
    assert await other.count() == 15 and (await other.semantic(rows[7].vector, top_k=1))[0][0] == "c00007"


@pytest.mark.parametrize("harm", ["some", "all", "fields"])
def test_doctor_mends_what_somebody_has_done_on_the_server(tmp_path: Path, harm: str) -> None:
    name, url = f"t{token_hex(8)}", chroma_server.address()
    settings = {"index": "chroma", "resident_chunks": 0, "server": {"url": url, "name": name}}
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}, store=settings) as kb:
        kb.add(*[Text(text, id=key) for key, text in TEXTS.items()])
        asked = next(iter(TEXTS.values()))
        expected = [hit.chunk.chunk_id for hit in kb.search(asked)]
        assert expected and kb.doctor().ok
        there = chromadb.HttpClient("127.0.0.1", int(url.rpartition(":")[2]))
        collection = there.get_collection(name, embedding_function=None)
        assert collection.count() >= len(TEXTS)
        ids = collection.get(include=[])["ids"]
        if harm == "some":
            collection.delete(ids=ids[:2])
        elif harm == "all":
            there.delete_collection(name)
        else:
            collection.update(ids=ids[:1], metadatas=[{"fields": None, "other": 1}])
        assert not kb.doctor().ok
        assert kb.doctor().ok
        assert [hit.chunk.chunk_id for hit in kb.search(asked)] == expected

"""Milvus and OceanBase where something is wrong: who asks, where the server is, what it refuses, what is taken away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
import pytest

import milvus_server
import oceanbase_server
from own_server import free_port
from rove import Rove, Text
from rove.errors import ConfigError, ServiceError
from rove.models.fake import FakeEmbedder
from rove.settings import StoreSettings
from rove.store import INDEXES, VectorIndex
from rove.store.refusals import RowWriter
from rove.testing.index_rows import DIMENSION, make_rows

pytestmark = pytest.mark.servers
SERVERS = pytest.mark.parametrize("store", [milvus_server.store, oceanbase_server.store], ids=["milvus", "oceanbase"])
Store = Callable[[], dict[str, Any]]


def made(store: Store, **server: object) -> VectorIndex:
    table = store()
    table["server"] = {**table["server"], "name": f"t{token_hex(8)}", "retries": 1, **server}
    settings = StoreSettings.model_validate(table)
    return INDEXES.get(settings.index)(folder=Path("unused"), dimension=DIMENSION, settings=settings)


@SERVERS
def test_a_wrong_password_is_told_and_not_shown(store: Store) -> None:
    with pytest.raises(ConfigError, match=r"store\.server\.") as told:
        asyncio.run(made(store, password="wrong-secret").count())
    assert "wrong-secret" not in str(told.value)


@SERVERS
def test_a_server_that_is_not_there_is_told_and_waited_for(store: Store) -> None:
    scheme, _, _ = store()["server"]["url"].partition(":")
    index = made(store, url=f"{scheme}://localhost:{free_port()}", timeout_s=2)
    for call in (index.count(), index.add(make_rows(2)), index.semantic(make_rows(1)[0].vector, top_k=1)):
        with pytest.raises(ServiceError, match=r"store\.server\.url") as told:
            asyncio.run(call)
        assert told.value.retryable


@SERVERS
def test_two_bases_on_a_server_do_not_touch_each_other(store: Store) -> None:
    async def both() -> None:
        one, other = made(store), made(store)
        await one.add(make_rows(5))
        await other.add(make_rows(3))
        await other.remove(["c00000"])
        assert (await one.count(), await other.count()) == (5, 2)
        await one.rebuild(nothing())
        assert (await one.count(), await other.count()) == (0, 2)

    asyncio.run(both())


async def nothing() -> Any:
    for rows in list[Any]():
        yield rows


@SERVERS
def test_doctor_mends_what_somebody_deleted_on_the_server(store: Store, tmp_path: Path) -> None:
    table = store()
    name = f"t{token_hex(8)}"
    table["server"] = {**table["server"], "name": name}
    with Rove.open(tmp_path / "kb", embedder=FakeEmbedder(dimension=DIMENSION), store=table) as kb:
        kb.add(*(Text(f"text {n}", id=str(n)) for n in range(5)))
        vandal = made(store, name=name)

        async def delete() -> None:
            await vandal.remove((await vandal.chunk_ids())[:2])

        asyncio.run(delete())
        health = kb.doctor()
        assert health.missing == 2
        assert kb.doctor().ok


@SERVERS
def test_each_bad_chunk_is_found_by_itself(store: Store) -> None:
    async def written() -> tuple[RowWriter, list[str]]:
        rows = make_rows(30)
        rows[3] = replace(rows[3], vector=np.full(DIMENSION, np.nan, np.float32))
        rows[17] = replace(rows[17], vector=np.ones(DIMENSION - 1, np.float32))
        rows[20] = replace(rows[20], chunk_id="x" * 600)
        writer = RowWriter(made(store))
        await writer.add(rows)
        return writer, sorted(await writer.index.chunk_ids())

    writer, held = asyncio.run(written())
    assert sorted(writer.refused) == ["c00003", "c00017", "x" * 600]
    assert held == [row.chunk_id for n, row in enumerate(make_rows(30)) if n not in {3, 17, 20}]


def test_a_chunk_of_more_fields_than_milvus_keeps_is_refused_alone() -> None:
    async def written() -> tuple[RowWriter, int]:
        rows = make_rows(30)
        rows[3] = replace(rows[3], fields={"all": tuple(str(n) for n in range(5_000))})
        rows[17] = replace(rows[17], fields={str(n): "x" * 900 for n in range(40)})
        writer = RowWriter(made(milvus_server.store))
        await writer.add(rows)
        return writer, await writer.index.count()

    writer, count = asyncio.run(written())
    assert sorted(writer.refused) == ["c00003", "c00017"]
    assert "values" in str(writer.refused["c00003"])
    assert count == 28


@SERVERS
def test_what_is_erased_is_not_there(store: Store, tmp_path: Path) -> None:
    table = store()
    table["server"] = {**table["server"], "name": f"t{token_hex(8)}"}
    texts = [Text(f"The number of this text is {n}.", id=str(n)) for n in range(30)]
    with Rove.open(tmp_path / "kb", embedder=FakeEmbedder(dimension=DIMENSION), store=table) as kb:
        kb.add(texts)
        assert kb.delete(*map(str, range(10))) == 10
        asked = made(store, name=table["server"]["name"])
        assert asyncio.run(asked.count()) == 20
        for text in texts:
            found = {hit.chunk.document_id for hit in kb.search(text.text, mode="semantic", top_k=30)}
            assert found == {str(n) for n in range(10, 30)}
        assert kb.doctor().ok

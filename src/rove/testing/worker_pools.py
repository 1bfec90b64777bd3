"""What every pool of workers promises: a shard for each group, an error where a worker dies, and another one then."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from rove.errors import ConfigError, RoveError
from rove.ingest.readers import readers_of
from rove.ingest.workers import WORKER_POOLS, Ready, WorkerDiedError, WorkerPool
from rove.ingest.workers.making import Done, Failed, Group, Order, reply_of
from rove.ingest.workers.shards import Shards
from rove.load.discover import Location
from rove.models.fake import FakeEmbedder
from rove.records import PageRead, SourceEnd, Text
from rove.sandbox.messages import Task, encoder
from rove.settings import EmbedderSettings, Settings
from rove.testing.contract import Contract


class WorkerPoolContract(Contract):
    """Inherit it, and give `name`, or `make`; `address`, and `pids`: the processes of the workers on this machine."""

    registry = WORKER_POOLS
    address: ClassVar[str] = ""

    def make(self, order: bytes) -> WorkerPool:
        """Return the pool, by the encoded order that its workers are to have."""
        return self.registered()(self.address, order)

    def pids(self, pool: WorkerPool) -> list[int]:
        """Return the processes of the workers that are there, to be killed.

        Raises:
            NotImplementedError: the suite does not say.
        """
        message = f"{type(self).__name__} needs a method `pids`."
        raise NotImplementedError(message)

    def test_groups_become_shards(self, tmp_path: Path) -> None:
        """Each slot makes them, with vectors, and a group that has its shard is not made again."""
        pool = self.make(encoder.encode(_worker_pool_order(tmp_path)))
        try:
            slots = pool.open()
            assert slots >= 1
            names = [_make_text_shard(pool, number % slots, f"text {number}") for number in range(slots + 1)]
            shards = Shards(str(tmp_path))
            for number, name in enumerate(names):
                ready, end = shards.read(name)
                assert isinstance(ready, Ready)
                assert isinstance(end, SourceEnd)
                assert ready.prepared.document.text == f"text {number}"
                assert set(ready.vectors) == set(ready.prepared.vector_keys)
            before = _parquet_inodes(tmp_path)
            assert _make_text_shard(pool, 0, "text 0") == names[0]
            assert _parquet_inodes(tmp_path) == before
        finally:
            pool.close()

    def test_a_killed_worker_is_said_and_replaced(self, tmp_path: Path) -> None:
        """The group that it had can be given to another; all is well after it."""
        pool = self.make(encoder.encode(_worker_pool_order(tmp_path)))
        try:
            pool.open()
            name = _make_text_shard(pool, 0, "one")
            for pid in self.pids(pool):
                os.kill(pid, signal.SIGKILL)
            first = name
            for attempt in range(3):
                try:
                    name = _make_text_shard(pool, 0, "two")
                    break
                except WorkerDiedError as error:
                    assert str(error), attempt
            assert name != first
            assert name in Shards(str(tmp_path))
        finally:
            pool.close()

    def test_stopping_frees_who_waits(self, tmp_path: Path) -> None:
        """From another thread, amid a group that takes long."""
        pool, came = self.make(encoder.encode(_worker_pool_order(tmp_path))), list[BaseException | str]()
        try:
            pool.open()
            _make_text_shard(pool, 0, "one")

            def work() -> None:
                try:
                    while True:
                        came.append(_make_text_shard(pool, 0, f"text {len(came)}" + " and more." * 20_000))
                except (WorkerDiedError, RoveError) as error:
                    came.append(error)

            working = Thread(target=work)
            working.start()
            while not came:
                working.join(0.05)
            pool.stop()
            working.join(60)
            assert not working.is_alive()
            assert isinstance(came[-1], WorkerDiedError)
        finally:
            pool.close()

    def test_another_embedder_is_refused(self, tmp_path: Path) -> None:
        """By the worker, in words, and not by its death."""
        pool = self.make(encoder.encode(_worker_pool_order(tmp_path, model="another")))
        try:
            pool.open()
            with pytest.raises(ConfigError, match="another"):
                _make_text_shard(pool, 0, "one")
        finally:
            pool.close()


def _worker_pool_order(folder: Path, model: str = "") -> Order:
    fingerprint = model or str(FakeEmbedder().fingerprint)
    readers = readers_of(Settings(), fingerprint, with_chat=False, own_embedder=False)
    return Order.of(readers.recipe, readers.pool.limits, EmbedderSettings(name="fake"), str(folder))


def _make_text_shard(pool: WorkerPool, slot: int, text: str) -> str:
    source = Text(text, id=text[:10])
    task = Task.of(Location(source.id, source.id, "text", text=source), "", {})
    pool.start(slot, lambda: True)
    reply = reply_of(pool.make(slot, encoder.encode(Group([task])), _fail_on_page))
    if isinstance(reply, Failed):
        raise reply.error
    assert isinstance(reply, Done)
    return reply.name


def _fail_on_page(page: PageRead) -> None:
    pytest.fail(f"a page of {page.source} was told, which has none")


def _parquet_inodes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_ino for path in folder.glob("*.parquet")}

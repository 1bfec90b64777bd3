"""Workers: sources read, cut and embedded by other processes, here or on other machines; what they make is shards.

Who carries groups of sources to workers is a plug-in, one file and one line: a `WorkerPool`. What a worker does with a
group is the same in all of them: `making.ShardMaker`. One process alone, the ingest, takes shards into the base.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from rove.records import PageRead, Prepared
from rove.registry import Registry
from rove.store import Vector

Tell = Callable[[PageRead], None]


class WorkerDiedError(Exception):
    """A worker ended amid a group; the message says how. The group can be given to another."""


class NoWorkerError(Exception):
    """There is no worker for a slot, and no place for one; the message says why. Other slots may have theirs."""


class WorkerPool(Protocol):
    """Carries groups to workers. Built as `WorkerPool(address, order)`; nothing is started before `open`.

    `address` is what stands behind the name in the setting `load.workers`; `order` the encoded `making.Order`, which
    each worker's `ShardMaker` is made of.
    """

    def open(self) -> int:
        """Reach or start what is needed, and return how many groups are worked on at once. Called before each use.

        Raises:
            ConfigError: the address is wrong.
            ServiceError: nothing answers there.
        """
        ...

    def start(self, slot: int, wanted: Callable[[], bool]) -> None:
        """See that worker number `slot` is there: start it where it is not, and wait until it is ready.

        Called in a thread for each slot, before each `make`, so that no group waits for who has no place. It is given
        up once it is not `wanted` any more.

        Raises:
            WorkerDiedError: the worker ended before it was ready.
            NoWorkerError: there is no place for it, or it was given up.
            ConfigError: what the workers are told to use is not there.
            ServiceError: workers do not run here at all.
        """
        ...

    def make(self, slot: int, group: bytes, tell: Tell) -> bytes:
        """Let worker number `slot` make a shard of a group, and wait for it; returns the encoded `making.Reply`.

        `tell` is told of pages while they are read, where this pool can; where it cannot, the shard has them.

        Raises:
            WorkerDiedError: the worker ended before it was done.
        """
        ...

    def stop(self) -> None:
        """End all workers at once, from another thread: whoever waits for one gets a `WorkerDiedError`."""
        ...

    def close(self) -> None:
        """End the workers, which have nothing to do, and let go of what `open` reached."""
        ...


@dataclass(frozen=True, slots=True)
class Ready:
    """A document with its vectors and tokens, by `vector_keys`; what a worker had no vector for is not there."""

    prepared: Prepared
    vectors: Mapping[str, Vector]
    tokens: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class ShardTaken:
    """Comes after all that one shard holds: once that is kept, the shard can go. `seconds` its embedder took."""

    name: str
    seconds: float = 0.0


WORKER_POOLS = Registry(
    "pool of workers",
    "rove.worker_pools",
    {
        "processes": "rove.ingest.workers.processes:ProcessWorkers",
        "ray": "rove.ingest.workers.on_ray:RayWorkers [ray]",
    },
)


def named(workers: str) -> tuple[str, str]:
    """Take the setting `load.workers` apart: the name of the pool, and what stands behind it.

    >>> named("2"), named("ray"), named("ray://head:10001")
    (('processes', '2'), ('ray', ''), ('ray', 'ray://head:10001'))
    """
    if workers.isdecimal():
        return "processes", workers
    name = workers.partition("://")[0].partition("?")[0]
    return name, "" if name == workers else workers

"""Workers on Ray: one actor for each core, or for each GPU, of this machine or of a cluster.

They need the same Rove as the ingest, files and shards at the same places, and nothing of Ray's beside actors: an actor
that dies is replaced by the ingest, on whichever machine there is room.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from secrets import token_hex
from threading import Lock
from time import monotonic, sleep
from typing import Any, ClassVar, cast
from urllib.parse import parse_qs, urlsplit

# Before Ray is imported: it would tell its makers what it is used for.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
from ray.exceptions import RayError

from rove.errors import ConfigError, RoveError, ServiceError
from rove.ingest.workers import NoWorkerError, Tell, WorkerDiedError
from rove.ingest.workers.making import Failed, ShardMaker, order_of, reply_of
from rove.sandbox.messages import encoder

START_S = 300.0
"""How long a worker may take to find a place and to start."""
ROOM_S, TICK_S = 60.0, 0.2
"""How long the first machine of a cluster is waited for."""
STORE_BYTES = 100_000_000
"""Ray's own memory for what is sent: groups are small, and shards do not go through it."""
SAID_CHARS = 300
CUDA = "cuda"
QUIET = {"log_to_driver": False, "logging_level": "error"}
library = cast("Any", ray)


class ShardActor:
    """A worker. Its maker is made by the first call, so that what is wrong comes back as a reply."""

    def __init__(self, order: bytes) -> None:
        self._order = order
        self._maker: ShardMaker | None = None

    def begin(self) -> bytes:
        """Get ready; returns an encoded `Failed`, or nothing."""
        try:
            self._maker = self._maker or ShardMaker(self._order)
        except RoveError as error:
            return encoder.encode(Failed.of(error))
        return b""

    def make(self, group: bytes) -> bytes:
        """See `ShardMaker.make`; pages that OCR reads come with the shard."""
        return self._maker.make(group) if self._maker else self.begin()

    def pid(self) -> int:
        """The process, which tests kill."""
        return os.getpid()


class RayWorkers:
    """See `WorkerPool`. `address`: "" for what RAY_ADDRESS names, else a Ray of this process' own; "ray://host:10001".

    "?workers=4" asks for so many; otherwise it is one for each core, and with `embedder.device = "cuda"` for each GPU.
    """

    _lock: ClassVar[Lock] = Lock()
    _users: ClassVar[int] = 0

    def __init__(self, address: str, order: bytes) -> None:
        """Raises ConfigError where the address asks for what there is not."""
        parts = urlsplit(address)
        asked = parse_qs(parts.query)
        number = asked.pop("workers", ["0"])[-1]
        if asked or not number.isdecimal():
            message = f"load.workers is {address!r}, of which {parts.query!r} is not understood."
            raise ConfigError(message, cure="Write ray, ray?workers=4, or ray://host:10001?workers=4.")
        self._address = f"ray://{parts.netloc}" if parts.netloc else None
        self._asked = int(number)
        self._cuda = order_of(order).embedder.get("device") == CUDA
        self._order = order_of(order).with_threads(1)
        self._actors: dict[int, Any] = {}
        self._connected = False

    def open(self) -> int:
        """See `WorkerPool.open`. Ray takes seconds to start."""
        with self._lock:
            if not self._connected or not library.is_initialized():
                self._connect()
        if self._asked:
            return self._asked
        what, until = "GPU" if self._cuda else "CPU", monotonic() + ROOM_S
        while not (count := int(library.cluster_resources().get(what, 0))):
            if monotonic() > until:
                message = f"Ray has no {what} to give."
                raise ServiceError(message, cure="Add machines to it, or say how many workers: ray?workers=4.")
            sleep(TICK_S)
        return count

    def start(self, slot: int, wanted: Callable[[], bool]) -> None:
        """See `WorkerPool.start`. A cluster may have fewer places than it said: a machine of it may just have gone."""
        if slot in self._actors:
            return
        needs = {"num_cpus": 1, "num_gpus": 1 if self._cuda else 0}
        actor = self._actors[slot] = library.remote(ShardActor).options(**needs, max_restarts=0).remote(self._order)
        try:
            ready, until = actor.begin.remote(), monotonic() + START_S
            while not library.wait([ready], timeout=TICK_S)[0]:
                if monotonic() > until or not wanted():
                    self._drop(slot)
                    message = f"Ray found no place for worker {slot} within {START_S:.0f} s"
                    raise NoWorkerError(message)
            said = library.get(ready)
        except RayError as error:
            self._drop(slot)
            raise WorkerDiedError(_ray_error_line(error)) from error
        if said and isinstance(reply := reply_of(said), Failed):
            self._drop(slot)
            raise reply.error

    def make(self, slot: int, group: bytes, tell: Tell) -> bytes:
        """See `WorkerPool.make`."""
        del tell
        if (actor := self._actors.get(slot)) is None:
            message = "it was stopped"
            raise WorkerDiedError(message)
        try:
            return library.get(actor.make.remote(group))
        except RayError as error:
            self._drop(slot)
            raise WorkerDiedError(_ray_error_line(error)) from error

    def stop(self) -> None:
        """See `WorkerPool.stop`."""
        for slot in list(self._actors):
            self._drop(slot)

    def close(self) -> None:
        """See `WorkerPool.close`. A Ray that others of this process use is left to the last of them."""
        if not self._connected:
            return
        self.stop()
        with self._lock:
            self._connected = False
            RayWorkers._users -= 1
            if not RayWorkers._users:
                library.shutdown()

    def pids(self) -> list[int]:
        """The processes of the workers that are there."""
        return library.get([actor.pid.remote() for actor in self._actors.values()])

    def _connect(self) -> None:
        local = self._address is None and "RAY_ADDRESS" not in os.environ
        if local and "RAY_AUTH_MODE" not in os.environ:  # Ray then asks for this token, and writes none to the disk
            os.environ.setdefault("RAY_AUTH_TOKEN", token_hex(32))
        try:
            if not library.is_initialized():  # else the program that uses Rove, or another base, has reached it
                if local:
                    _start_local_ray()
                else:
                    library.init(address=self._address, **QUIET)
        except (RayError, OSError, RuntimeError, ValueError) as error:
            library.shutdown()  # else this process stays a client of what does not answer
            at = self._address or os.environ.get("RAY_ADDRESS", "this machine")
            message = f"Ray on {at} cannot be reached: {_ray_error_line(error)}"
            cure = "See that it runs there, in the same version, and what RAY_AUTH_MODE and RAY_AUTH_TOKEN say."
            raise ServiceError(message, cure=cure) from error
        self._connected = True
        RayWorkers._users += 1

    def _drop(self, slot: int) -> None:
        actor = self._actors.pop(slot, None)
        if actor is not None:
            with suppress(RayError, ValueError, RuntimeError):  # it has gone, or Ray has
                library.kill(actor)


def _start_local_ray() -> None:
    """Start a Ray of this process' own; twice, since on a busy machine it does not wait long enough for itself."""
    for again in (True, False):
        try:
            library.init(address="local", include_dashboard=False, object_store_memory=STORE_BYTES, **QUIET)
        except (RayError, OSError, RuntimeError):
            library.shutdown()
            if not again:
                raise
        else:
            return


def _ray_error_line(error: BaseException) -> str:
    """The telling line of one of Ray's messages, which are long."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:SAID_CHARS]

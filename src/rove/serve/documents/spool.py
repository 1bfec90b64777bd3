"""The spool: uploads on disk that are not in the base yet. One is acknowledged only once it cannot be lost.

Each process has a folder `incoming/<process>` of the base, and a lock in it as long as it lives: one open file, however
many jobs wait. A job is a folder in that, with the files as they came and `job.json`, which is written last: a folder
without it was never acknowledged. When a job is done, its folder goes. Who finds a folder that nobody holds takes the
jobs over, into its own.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import msgspec
from filelock import FileLock, Timeout

from rove.errors import ServiceError
from rove.load.discover import PAGE, Location, locate, suffix_kind
from rove.records import Text
from rove.records.source import MetaValue
from rove.store.files import sync_folder, write_whole

FOLDER, JOB, LOCK = "incoming", "job.json", "lock"
log = logging.getLogger("rove.serve")


class Item(msgspec.Struct, frozen=True):
    """One thing that was handed in: a file (its place in the job's folder), a text, or an address.

    `again`: it is in the base, and is read whether it has changed or not; where nothing else is given, from where it
    lies. With a `document_id` only that document's own text is cut anew: `is_cut_only`.
    """

    uri: str
    name: str
    metadata: dict[str, str | int | float | bool | tuple[str, ...]] = {}
    file: str = ""
    address: str = ""
    text: str | None = None
    kind: str = "text"
    title: str = ""
    document_id: str = ""
    again: bool = False

    @property
    def is_cut_only(self) -> bool:
        """Whether nothing is read for it."""
        return self.again and bool(self.document_id)

    def location(self, folder: Path) -> Location:
        """Say where to read it. The name a client gave it chooses the loader, and is never a path."""
        metadata: dict[str, MetaValue] = dict(self.metadata)
        if self.again and not self.file and not self.address:
            return locate([self.uri])[0]
        if self.text is not None:
            text = Text(self.text, self.document_id, self.title, metadata, self.kind)
            return Location(self.uri, self.name, self.kind, text=text)
        if self.address:
            return Location(self.uri, self.name, PAGE, address=self.address, metadata=metadata)
        return Location(self.uri, self.name, suffix_kind(self.name), path=folder / self.file, metadata=metadata)


class Order(msgspec.Struct, frozen=True):
    """What `job.json` holds: who handed in what."""

    job_id: str
    caller: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A folder that is being filled; nothing of it is acknowledged yet."""

    folder: Path

    def drop(self) -> None:
        """Take it off the disk."""
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Spooled:
    """A job on disk, held by this process until it is done. What was handed in is read when its turn comes."""

    folder: Path
    caller: str

    @property
    def job_id(self) -> str:
        """The name of its folder."""
        return self.folder.name

    def items(self) -> tuple[Item, ...]:
        """Read what was handed in.

        Raises:
            ServiceError: the system does not give it.
        """
        try:
            return read_order(self.folder).items
        except OSError as error:
            message = f"What was handed in cannot be read: {error.strerror}."
            raise ServiceError(message, cure="Look at the server's disk.") from error

    def done(self) -> None:
        """Take it off the disk."""
        shutil.rmtree(self.folder, ignore_errors=True)


def files_of(items: Sequence[Item], folder: Path) -> dict[str, Path]:
    """The files among what was handed in, by the names of their sources; of several of one name the first is read."""
    return {item.uri: folder / item.file for item in reversed(items) if item.file}


def read_order(folder: Path) -> Order:
    """Read who handed in what. Raises OSError, msgspec.DecodeError, or ValueError where it is damaged."""
    return msgspec.json.decode((folder / JOB).read_bytes(), type=Order)


class Spool:
    """The jobs of one base that this process holds."""

    def __init__(self, base: Path) -> None:
        self._folder = base / FOLDER
        self._held: FileLock | None = None
        self._own = self._folder / token_hex(16)

    def begin(self) -> Draft:
        """Make the folder of a new job, whose name is its id."""
        self._hold()
        folder = self._own / token_hex(16)
        folder.mkdir(mode=0o700)
        return Draft(folder)

    def commit(self, draft: Draft, caller: str, items: Sequence[Item]) -> Spooled:
        """Write down what the folder holds; from then on the job is not lost."""
        order = Order(draft.folder.name, caller, tuple(items))
        write_whole(draft.folder / JOB, [msgspec.json.encode(order)])
        sync_folder(self._own)
        return Spooled(draft.folder, caller)

    def waiting(self) -> list[Spooled]:
        """The jobs that earlier processes left and nobody works at, oldest first; what was not acknowledged goes."""
        left = [path for path in self._folder.iterdir() if path != self._own] if self._folder.is_dir() else []
        found = [job for folder in left for job in self._taken_over(folder)]
        return sorted(found, key=lambda job: (job.folder / JOB).stat().st_mtime)

    async def keep(self, draft: Draft, caller: str, items: Sequence[Item]) -> Spooled:
        """Acknowledge a job: from then on it is not lost."""
        return self.commit(draft, caller, items)

    async def items(self, spooled: Spooled) -> tuple[Item, ...]:
        """Read what was handed in. Raises as `Spooled.items` does."""
        return await asyncio.to_thread(spooled.items)

    async def finish(self, spooled: Spooled) -> None:
        """Let go of a job that is done. Raises `ServiceError` where that is not possible now."""
        await self.drop(spooled)

    async def drop(self, spooled: Spooled) -> None:
        """Take this process's copy of a job off the disk."""
        await asyncio.to_thread(spooled.done)

    async def is_ours(self, spooled: Spooled) -> bool:
        """Say whether a job is still to be done here: another server may have taken it over."""
        del spooled
        return True

    async def taken_over(self) -> list[Spooled]:
        """Take over jobs of servers that have ended."""
        return []

    async def waiting_elsewhere(self, caller: str) -> int:
        """How many jobs of a caller's wait at all servers, as far as they know of one another."""
        del caller
        return 0

    def close(self) -> None:
        """Leave what waits for the next process."""
        if self._held:
            if not any(path.is_dir() for path in self._own.iterdir()):
                shutil.rmtree(self._own, ignore_errors=True)
            self._held.release()
            self._held = None

    def _hold(self) -> None:
        if self._held is None:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._own.mkdir(mode=0o700, exist_ok=True)
            sync_folder(self._folder)
            self._held = _acquire_spool_lock(self._own)

    def _taken_over(self, left: Path) -> list[Spooled]:
        """Take over the jobs of a process that has ended, or one job as earlier versions kept it; the rest goes."""
        lock = _acquire_spool_lock(left)
        if lock is None:
            return []
        try:
            folders = [left] if (left / JOB).is_file() else [path for path in left.iterdir() if path.is_dir()]
            jobs = [job for folder in folders if (job := self._moved(folder))]
            if not any((folder / JOB).is_file() for folder in folders):
                shutil.rmtree(left, ignore_errors=True)
            return jobs
        finally:
            lock.release()

    def _moved(self, folder: Path) -> Spooled | None:
        """Move a job into this process's folder; one that cannot be read stays where it is: it was acknowledged."""
        try:
            order = read_order(folder)
            self._hold()
            target = self._own / order.job_id
            folder.replace(target)
            sync_folder(self._own)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError, ValueError) as error:  # of bytes that are no UTF-8, the last
            log.error("job cannot be read", extra={"job": folder.name, "reason": str(error)})  # noqa: TRY400 - no stack
            return None
        return Spooled(target, order.caller)


async def write_stream(target: Path, pieces: AsyncIterator[bytes]) -> int:
    """Write what comes to a file, to the disk itself; returns its size in bytes."""
    size = 0
    with target.open("wb") as file:  # noqa: ASYNC230 - into the page cache, piece by small piece
        async for piece in pieces:
            size += file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return size


def _acquire_spool_lock(folder: Path) -> FileLock | None:
    lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except (Timeout, OSError):
        return None
    return lock

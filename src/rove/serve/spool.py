"""What was handed in and is not in the base yet, kept on disk: it is acknowledged only once it cannot be lost.

Each job is a folder `incoming/<job>` of the base, with the files as they came and `job.json`, which is written last: a
folder without it was never acknowledged. When a job is done, its folder goes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

import msgspec
from filelock import FileLock, Timeout

from rove.load.discover import PAGE, Location, suffix_kind
from rove.records import Text
from rove.records.source import MetaValue
from rove.store.originals import sync_folder

FOLDER, JOB, LOCK = "incoming", "job.json", "lock"


class Item(msgspec.Struct, frozen=True):
    """One thing that was handed in: a file (its place in the job's folder), a text, or an address."""

    uri: str
    name: str
    metadata: dict[str, str | int | float | bool | tuple[str, ...]] = {}
    file: str = ""
    address: str = ""
    text: str | None = None
    kind: str = "text"
    title: str = ""
    document_id: str = ""

    def location(self, folder: Path) -> Location:
        """Say where to read it. The name a client gave it chooses the loader, and is never a path."""
        metadata: dict[str, MetaValue] = dict(self.metadata)
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


@dataclass(slots=True)
class Draft:
    """A folder that is being filled; nothing of it is acknowledged yet."""

    folder: Path
    lock: FileLock = field(repr=False)

    def drop(self) -> None:
        """Take it off the disk."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.lock.release()


@dataclass(slots=True)
class Spooled:
    """A job on disk, held by this process until it is done."""

    folder: Path
    order: Order
    lock: FileLock = field(repr=False)

    def locations(self) -> list[Location]:
        """What there is to read."""
        return [item.location(self.folder) for item in self.order.items]

    def files(self) -> dict[str, Path]:
        """The files among it, by the names of their sources; of several of one name the first, which alone is read."""
        return {item.uri: self.folder / item.file for item in reversed(self.order.items) if item.file}

    def done(self) -> None:
        """Take it off the disk."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.lock.release()

    def leave(self) -> None:
        """Leave it for the next process."""
        self.lock.release()


class Spool:
    """The jobs of one base."""

    def __init__(self, base: Path) -> None:
        self._folder = base / FOLDER

    def begin(self) -> Draft:
        """Make the folder of a new job, whose name is its id, and hold it."""
        folder = self._folder / token_hex(16)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        folder.mkdir(mode=0o700)
        lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
        lock.acquire()
        return Draft(folder, lock)

    def commit(self, draft: Draft, caller: str, items: Sequence[Item]) -> Spooled:
        """Write down what the folder holds; from then on the job is not lost."""
        order = Order(draft.folder.name, caller, tuple(items))
        write_whole(draft.folder / JOB, msgspec.json.encode(order))
        sync_folder(self._folder)
        return Spooled(draft.folder, order, draft.lock)

    def waiting(self) -> list[Spooled]:
        """The jobs that earlier processes left and nobody works at, oldest first; what was not acknowledged goes."""
        if not self._folder.is_dir():
            return []
        found: list[Spooled] = []
        for folder in sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime):
            lock = _hold(folder)
            if lock is None:
                continue
            try:
                order = msgspec.json.decode((folder / JOB).read_bytes(), type=Order)
            except (OSError, msgspec.DecodeError):
                shutil.rmtree(folder, ignore_errors=True)
                lock.release()
                continue
            found.append(Spooled(folder, order, lock))
        return found


async def write_stream(target: Path, pieces: AsyncIterator[bytes]) -> int:
    """Write what comes to a file, to the disk itself; returns its size in bytes."""
    size = 0
    with target.open("wb") as file:  # noqa: ASYNC230 - into the page cache, piece by small piece
        async for piece in pieces:
            size += file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return size


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, whole or not at all; it is on the disk itself when this returns."""
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        part.unlink(missing_ok=True)
        raise
    part.replace(path)
    sync_folder(path.parent)


def _hold(folder: Path) -> FileLock | None:
    lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except (Timeout, OSError):
        return None
    return lock

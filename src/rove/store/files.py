"""Where the files of a base are kept that are no rows of its catalog: its originals."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Protocol

PART = ".part"
PIECE_BYTES = 1 << 20
LEAST_ROOM_BYTES = 1 << 16
"""With less room than this a disk counts as full: SQLite needs half of it to begin."""


class Files(Protocol):
    """Files under the SHA-256 of their bytes, in hex. Calls block; one writer at a time is the caller's care.

    What `keep` has returned survives kill -9 and power loss. A name is no path: it never holds a separator.
    """

    def sizes(self) -> Mapping[str, int]:
        """Return the size in bytes of each file that is kept, by name; what else lies there is among them."""
        ...

    def keep(self, file: Path, name: str) -> bool:
        """Copy a file; False, and nothing kept, where its bytes do not hash to `name`.

        Raises:
            OSError: there is no room, or the file cannot be read; nothing is kept of it.
        """
        ...

    def remove(self, names: Collection[str]) -> None:
        """Take files away for good; unknown names are ignored."""
        ...

    def local(self, name: str) -> Path:
        """Return where the file can be read on this machine; it need not be there."""
        ...


class FolderFiles:
    """Files in a folder of this machine, which is made when the first is kept. See `Files`."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; nothing is made or read."""
        self._folder = folder

    def sizes(self) -> dict[str, int]:
        """Look at the folder's files."""
        if not self._folder.is_dir():
            return {}
        return {path.name: path.stat().st_size for path in self._folder.iterdir()}

    def keep(self, file: Path, name: str) -> bool:
        """Copy the file beside its place, to the disk itself, and move it there."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        part = self._folder / PART
        try:
            with file.open("rb") as source, part.open("wb") as target:
                digest = digest_of(source, target)
                target.flush()
                os.fsync(target.fileno())
        except OSError:
            part.unlink(missing_ok=True)  # what fits in part must not fill the disk
            raise
        if digest != name:
            part.unlink()
            return False
        part.replace(self._folder / name)
        sync_folder(self._folder)
        return True

    def remove(self, names: Collection[str]) -> None:
        """Unlink the files."""
        for name in names:
            (self._folder / name).unlink(missing_ok=True)
        if names:
            sync_folder(self._folder)

    def local(self, name: str) -> Path:
        """Return the file's own place."""
        return self._folder / name


def digest_of(file: BinaryIO, copy: BinaryIO | None = None) -> str:
    """Read a file to its end; returns its SHA-256 in hex. `copy` is given all that is read."""
    digest = sha256()
    while piece := file.read(PIECE_BYTES):
        digest.update(piece)
        if copy:
            copy.write(piece)
    return digest.hexdigest()


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file, whole or not at all, whatever yielding its pieces raises; it is on the disk when this returns."""
    part = path.with_name(f"{path.name}{PART}")
    try:
        with part.open("wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    part.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable, where folders can be synced."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_full(folder: Path) -> bool:
    """Say whether the disk that a folder lies on has no room."""
    try:
        return shutil.disk_usage(folder).free < LEAST_ROOM_BYTES
    except OSError:
        return False


def is_writable(folder: Path) -> bool:
    """Say whether this user may write in a folder, and there is room on its disk."""
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids) and not is_full(folder)

"""Keeps what takes long to make in the user's cache folder: one file each, whole or not there.

A file is written beside its place and moved there once it is on the disk, so that neither two processes that write at
once nor a power cut do harm. Where that folder cannot be written, a private one among the temporary files serves; where
none can, or a file is damaged, that costs time and nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from io import BytesIO
from mmap import ACCESS_READ, mmap
from pathlib import Path
from time import time

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]

OTHERS = 0o077
DIGEST_BYTES = hashlib.sha256().digest_size
UNKNOWN_FIELD = bytes((100 << 3 & 127 | 2 | 128, 100 >> 4, DIGEST_BYTES))
"""Field 100 of a protocol buffer, which holds so many bytes."""
LEFT_S = 3_600.0
SETTLED_S = 5.0
"""A file that was written within so many seconds is read each time."""


def cache_folder() -> Path:
    """`$ROVE_CACHE`, else the platform's folder for caches."""
    named = os.environ.get("ROVE_CACHE")
    if named:
        return Path(named)
    if sys.platform == "darwin":
        return Path("~/Library/Caches/rove").expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local")).expanduser() / "rove" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "rove"


def cached(name: str, make: Callable[[], bytes]) -> bytes:
    """Return the data kept under `name`, or make and keep it. The file is their SHA-256, then the data.

    Args:
        name: must change with everything that the data depend on.
        make: called where nothing whole is kept.
    """
    for path in _cache_file_paths(name):
        if (known := _read_cache_file(path)) is not None:
            return known
    data = make()
    _write_cache_file(name, hashlib.sha256(data).digest() + data)
    return data


def cached_array(name: str, make: Callable[[], Array]) -> Array:
    """Return the array kept under `name`, or make and keep it, as `cached` does; what is kept is mapped, not copied.

    The file is NumPy's own, and behind it its SHA-256.
    """
    for path in _cache_file_paths(name):
        with contextlib.suppress(OSError, ValueError, EOFError):
            if _is_sound(path):
                return np.load(path, mmap_mode="r", allow_pickle=False)
    array = make()
    data = BytesIO()
    np.save(data, array, allow_pickle=False)
    data.write(hashlib.sha256(data.getbuffer()).digest())
    _write_cache_file(name, data.getbuffer())
    return array


def cached_model(name: str, make: Callable[[], bytes]) -> Path | bytes:
    """Return where the ONNX model kept under `name` lies, or make and keep it, as `cached` does.

    A runtime that opens the file holds no copy of it beside its own. Behind the model stands its SHA-256, as a field
    that no version of the format knows, and readers skip. Where nothing can be kept, the model itself is returned.
    """
    for path in _cache_file_paths(name):
        with contextlib.suppress(OSError, ValueError):
            if _is_sound(path):
                return path
    data = make() + UNKNOWN_FIELD
    data += hashlib.sha256(data).digest()
    return _write_cache_file(name, data) or data


def checksum_of(file: Path) -> str:
    """Return the SHA-256 of a file that hardly ever changes, in hexadecimal digits.

    It is read where its size, its time or its place on the disk are not those of the last time, and where it is so new
    that a change might leave them as they are.

    Raises:
        OSError: the file cannot be read.
    """
    with file.open("rb") as opened:
        return _recall_file_digest(file, lambda: hashlib.file_digest(opened, "sha256").digest()).hex()


def _recall_file_digest(file: Path, reckon: Callable[[], bytes]) -> bytes:
    """Return the digest of a file that is as it was when that was last reckoned: 59 MB take 50 ms a process."""
    facts = file.stat()
    seen = f"{facts.st_dev} {facts.st_ino} {facts.st_size} {facts.st_mtime_ns}"
    name = f"{hashlib.sha256(os.fsencode(file.absolute())).hexdigest()[:16]}.digest"
    for path in _cache_file_paths(name):
        with contextlib.suppress(OSError, ValueError):
            before, _, digest = path.read_text("ascii").rpartition(" ")
            if before == seen:
                return bytes.fromhex(digest)
    digest = reckon()
    if time() - facts.st_mtime > SETTLED_S:
        _write_cache_file(name, f"{seen} {digest.hex()}".encode())
    return digest


def drop_cached(name: str) -> None:
    """Drop what is kept under `name`, if anything is."""
    for path in _cache_file_paths(name):
        with contextlib.suppress(OSError):
            path.unlink()


def _cache_file_paths(name: str) -> Iterator[Path]:
    """Where it may be kept, the best place first."""
    with contextlib.suppress(RuntimeError):  # no home folder is known
        yield cache_folder() / name
        if _can_be_written(cache_folder()):
            return
    with contextlib.suppress(OSError):
        if folder := private_folder():
            yield folder / name


def _can_be_written(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def private_folder() -> Path | None:
    """This user's own folder among the temporary files; None where another user has made it, or could write to it."""
    if sys.platform == "win32":
        return None
    folder = Path(tempfile.gettempdir()) / f"rove-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    facts = folder.lstat()
    mine = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & OTHERS
    return folder if mine else None


def _read_cache_file(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            kept, data = file.read(DIGEST_BYTES), file.read()
        return data if _recall_file_digest(path, lambda: hashlib.sha256(data).digest()) == kept else None
    except OSError:
        return None


def _is_sound(path: Path) -> bool:
    """Say whether a file ends with the digest of all that stands before."""

    def reckoned() -> bytes:
        with memoryview(mapped) as whole, whole[:-DIGEST_BYTES] as data:
            return hashlib.sha256(data).digest()

    with (
        path.open("rb") as file,
        mmap(file.fileno(), 0, access=ACCESS_READ) as mapped,
    ):
        return _recall_file_digest(path, reckoned) == mapped[-DIGEST_BYTES:]


def _write_cache_file(name: str, data: bytes | memoryview) -> Path | None:
    """Keep the data, and return where; None on a full or read-only disk: this process has them all the same."""
    for path in _cache_file_paths(name):
        with contextlib.suppress(OSError):
            _write_to(path, data)
            return path
    return None


def _write_to(path: Path, data: bytes | memoryview) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_stale_temp_files(path.parent)
    handle, temporary = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _remove_stale_temp_files(folder: Path) -> None:
    """Take away what a process that was killed amid writing has left: none takes `LEFT_S` for it."""
    for left in folder.glob("*.tmp"):
        with contextlib.suppress(OSError):  # gone already, or another user's
            if abs(time() - left.stat().st_mtime) > LEFT_S:
                left.unlink()

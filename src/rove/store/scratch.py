"""A folder for what is on its way into a base: it goes when that is done, and after a crash with the next one."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from filelock import FileLock, Timeout

from rove.store.presence import INCOMING

PREFIX, LOCK = "import-", "lock"


@contextmanager
def scratch(base: Path) -> Generator[Path]:
    """Make a folder within the base for the length of the block, and take away those of processes that have ended.

    It is locked as long as it lives. A server that starts takes away what nobody holds here too.
    """
    incoming = base / INCOMING
    incoming.mkdir(mode=0o700, exist_ok=True)
    with scratch_in(incoming, PREFIX) as folder:
        yield folder


@contextmanager
def scratch_in(parent: Path, prefix: str) -> Generator[Path]:
    """Make a folder in another one, with such a name; else as `scratch`."""
    for left in parent.glob(f"{prefix}*"):
        _remove(left)
    folder, lock = _make_locked_folder(parent, prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()


def _make_locked_folder(parent: Path, prefix: str) -> tuple[Path, FileLock]:
    """Make a folder and lock it; anew where somebody was quicker, and took it for one that nobody holds."""
    while True:
        folder = parent / f"{prefix}{token_hex(8)}"
        folder.mkdir(mode=0o700)
        lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
        try:
            lock.acquire()
        except (Timeout, FileNotFoundError):
            continue
        return folder, lock


def _remove(left: Path) -> None:
    lock = FileLock(left / LOCK, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except (Timeout, OSError):  # held, or gone already
        return
    shutil.rmtree(left, ignore_errors=True)
    lock.release()

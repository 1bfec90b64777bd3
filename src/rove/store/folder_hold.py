"""Who has the base in a folder open: processes share a lock on the folder, which who replaces the catalog has alone.

The lock lies on the folder itself, so that there is no file that could be left behind, and that a folder which nobody
may write to can be held too. The kernel lets go of it when a process ends, however it ends.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from rove.errors import ServiceError
from rove.store.presence import LOCK, SERVING
from rove.store.private import file_mode

try:
    import fcntl
except ImportError:  # Windows: there the lock of the writers alone keeps others out
    fcntl = None

LOCKS = Path("/proc/locks")
"""Where Linux says which process holds which lock."""


class FolderHold:
    """A process's part in the lock of a folder while it has the base open. It holds nothing where none can be had."""

    def __init__(self, folder: Path, *, alone: bool = False) -> None:
        """Take it; `alone`: so that no other process has the base open.

        Raises:
            BlockingIOError: others hold it otherwise.
        """
        self._handle = _open_folder_handle(folder)
        try:
            self.is_held = _lock_folder_handle(self._handle, alone=alone)
        except BlockingIOError:
            os.close(self._handle)
            raise

    def close(self) -> None:
        """Let go of it, on behalf of forked children too."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_UN)
            os.close(handle)


def shared_hold(folder: Path) -> FolderHold:
    """Hold the folder of a base that is opened.

    Raises:
        ServiceError: another process has it alone.
    """
    try:
        return FolderHold(folder)
    except BlockingIOError as error:
        message = f"The base {folder} is being given a new catalog by another process."
        raise ServiceError(message, cure="Wait until that has ended, and run the same again.") from error


@contextmanager
def base_alone(folder: Path) -> Generator[None]:
    """Have the base in a folder alone for the length of the block: nobody has it open, nobody writes to it.

    Raises:
        ServiceError: a server, or another process, has it open; the cure names it where it is known.
    """
    try:
        hold = FolderHold(folder, alone=True)
    except BlockingIOError as error:
        raise _in_use(folder) from error
    if not hold.is_held and _is_process_alive(_server_in(folder)[1]):
        hold.close()
        raise _in_use(folder)
    lock = FileLock(folder / LOCK, timeout=0, thread_local=False, mode=file_mode(folder))
    try:
        lock.acquire()
        yield
    except Timeout as error:
        raise _in_use(folder) from error
    finally:
        lock.release()
        hold.close()


def holders(folder: Path) -> list[int]:
    """The processes that hold the folder's lock, as far as this system says; it says nothing of other machines."""
    try:
        found, lines = folder.stat(), LOCKS.read_text("ascii", "replace").splitlines()
    except OSError:
        return []
    place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    fields = [line.split() for line in lines]
    pids = {int(one[4]) for one in fields if len(one) > 5 and one[1] == "FLOCK" and one[5] == place}  # noqa: PLR2004
    return sorted(pid for pid in pids if pid > 0)


def _in_use(folder: Path) -> ServiceError:
    """Say who has the base open: the server that has left word in the folder, or which processes."""
    pids = holders(folder)
    url, pid = _server_in(folder)
    if pid in pids or (not pids and _is_process_alive(pid)):
        message = f"A server has the base {folder} open, {f'at {url}, ' if url else ''}as process {pid}."
        return ServiceError(message, cure="Stop that server, and run the same again.")
    if os.getpid() in pids:
        message = f"This process has the base {folder} open itself."
        return ServiceError(message, cure="Close it first.")
    named = f" (process {', '.join(map(str, pids))})" if pids else ""
    message = f"Another process has the base {folder} open{named}."
    return ServiceError(message, cure="Stop it (a server, a watch, an add, a script), and run the same again.")


def _server_in(folder: Path) -> tuple[str, int]:
    """Where the server listens that has left word in the folder, and its process; "" and 0 where none has."""
    try:
        told = json.loads((folder / SERVING).read_bytes()[: 1 << 16])
        return str(told.get("url") or ""), int(told["pid"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "", 0


def _is_process_alive(pid: int) -> bool:
    try:
        if pid > 0:
            os.kill(pid, 0)
    except PermissionError:  # another user's
        return True
    except OSError:
        return False
    return pid > 0


def _open_folder_handle(folder: Path) -> int:
    if fcntl is None:
        return -1
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:  # another user's folder, whose names this one may not list
        return -1


def _lock_folder_handle(handle: int, *, alone: bool) -> bool:
    """Lock the folder; False where that cannot be done. Raises BlockingIOError where others hold it otherwise."""
    if handle < 0 or fcntl is None:
        return False
    try:
        fcntl.flock(handle, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:  # a file system that locks no folders
        return False
    return True

"""What a reading process may still reach of files and other processes, by Landlock, as far as the kernel has it."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath
from stat import S_ISDIR

CREATE, ADD_RULE, RESTRICT = 444, 445, 446  # calls with the same numbers on all machines
ASK_VERSION, RULE_BENEATH = 1, 1
READ_FILE, READ_DIR = 1 << 2, 1 << 3
# From which version of Landlock on a right can be given up. The first has all of writing, making and removing files
# (running them stays allowed: who can read the system's own loader can run anything by it).
FILE_RIGHTS = {1: 0b1_1111_1111_1110, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}  # …, moving, truncating, devices' ioctl
NETWORK_RIGHTS = {4: 0b11}  # TCP: bind, connect
SCOPES = {6: 0b11}  # abstract Unix sockets and signals: none to processes that have not given up the same
SIGNALS_SINCE = 6
# What of these folders can be read; all others at the root can be read whole. /proc tells of other processes, /dev has
# whole disks.
PARTS = {
    "proc": ("self", "cpuinfo", "meminfo", "stat", "filesystems", "sys/vm/overcommit_memory"),
    "dev": ("null", "random", "urandom", "shm"),
}


@dataclass(frozen=True, slots=True)
class Reach:
    """What was left: `version` is Landlock's, 0 where the kernel has none; `roots` names the folders at the root."""

    version: int = 0
    roots: frozenset[tuple[int, int]] = frozenset()

    def covers(self, path: bytes) -> bool:
        """Say whether a path can be as readable as it was: False where its topmost folder has come since (a disk)."""
        if not self.version:
            return True
        top = os.path.join(b"/", *path.split(b"/")[1:2])  # noqa: PTH118 - a path as bytes
        try:
            facts = os.stat(top)  # noqa: PTH116 - the same
        except OSError:  # reading it says what is wrong
            return True
        return (facts.st_dev, facts.st_ino) in self.roots


def restrict(libc: ctypes.CDLL, room: str = "") -> Reach:
    """Give up, for good, writing files and reading what tells of others. Pipes that are open stay so.

    `room` names a folder in which anything can be done.
    """
    version = libc.syscall(CREATE, None, 0, ASK_VERSION)
    if version < 1:
        return Reach()
    files, network, scopes = (
        _rights_mask_for_version(rights, version) for rights in (FILE_RIGHTS, NETWORK_RIGHTS, SCOPES)
    )
    rights = struct.pack("=QQQ", files, network, scopes)
    ruleset = libc.syscall(CREATE, rights, len(rights), 0)
    if ruleset < 0:
        return Reach()
    roots = frozenset(_allow_reading(libc, ruleset))
    if room:
        _allow(libc, ruleset, room, files)
    restricted = libc.syscall(RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return Reach(version, roots) if restricted else Reach()


def _rights_mask_for_version(rights: dict[int, int], version: int) -> int:
    return sum(bits for since, bits in rights.items() if since <= version)


def _allow_reading(libc: ctypes.CDLL, ruleset: int) -> Iterator[tuple[int, int]]:
    """Allow what is at the root, whole or in part; yield the device and number of each, also where that fails."""
    for name in os.listdir("/"):  # noqa: PTH208 - light
        top = PurePosixPath("/", name)
        for part in PARTS.get(name, ("",)):
            _allow(libc, ruleset, str(top / part))
        with suppress(OSError):
            facts = os.stat(top)  # noqa: PTH116 - light
            yield facts.st_dev, facts.st_ino


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, folder_rights: int = READ_FILE | READ_DIR) -> None:
    with suppress(OSError):
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rights = folder_rights if S_ISDIR(os.fstat(handle).st_mode) else READ_FILE
        libc.syscall(ADD_RULE, ruleset, RULE_BENEATH, struct.pack("=Qi", rights, handle), 0)
        os.close(handle)

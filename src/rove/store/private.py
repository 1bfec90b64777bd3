"""Who may read a base: its owner alone, or the group as well where its folder was given to one.

A folder whose group may write, or whose set-group-id bit is set, was shared on purpose: there the group keeps what it
has, and everybody else loses it. Bits are only ever taken away, so that a stricter umask or mode holds.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rove.store.presence import CATALOG, EVALUATIONS, INCOMING, INDEX, LOCK, ORIGINALS, RESIDENT, SERVING, SHARDS, TURNS

OWN = (CATALOG, LOCK, TURNS, INDEX, RESIDENT, ORIGINALS, INCOMING, EVALUATIONS, SHARDS, SERVING)
"""What the names in a base's folder begin with that Rove makes. Whatever else lies there is left as it is."""
SETTINGS = "rove.toml"
OWNER, OWNER_AND_GROUP = 0o700, 0o770


def make_folder(folder: Path) -> None:
    """Make the folder of a base, where it is missing, for its owner alone; within a shared folder, for the group too.

    Its catalog is made too, empty, so that it is nobody else's from the first moment.
    """
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        given = bool(folder.parent.stat().st_mode & stat.S_ISGID)
        folder.mkdir(mode=OWNER_AND_GROUP if given else OWNER, exist_ok=True)
    if not (folder / CATALOG).exists():
        with suppress(OSError):  # who has no right to make it hears so from SQLite
            (folder / CATALOG).touch(mode=file_mode(folder))


def make_private(folder: Path) -> None:
    """Make a folder within that of a base, if it is missing, as open to others as the base is."""
    folder.mkdir(mode=_permission_bits(folder.parent), exist_ok=True)


def file_mode(folder: Path) -> int:
    """The mode of a new file in this folder; the umask takes from it."""
    return _permission_bits(folder) & 0o666


def keep_private(folder: Path) -> None:
    """Take from everybody else what they may do with the base's files, wherever this user may do so.

    The folder itself is left as it is where it holds more than a base.
    """
    if os.name == "nt":
        return
    with suppress(OSError):
        allowed = _permission_bits(folder)
        entries = list(folder.iterdir())
        own = [path for path in entries if path.name.startswith(OWN)]
        for path in own:
            for each in _walk_folder_paths(path):
                _restrict_permissions(each, allowed)
        if all(path in own or path.name == SETTINGS for path in entries):
            _restrict_permissions(folder, allowed)


def _permission_bits(folder: Path) -> int:
    shared = folder.stat().st_mode & (stat.S_ISGID | stat.S_IWGRP)
    return OWNER_AND_GROUP if shared else OWNER


def _walk_folder_paths(path: Path) -> Iterator[str]:
    yield str(path)
    if path.is_dir() and not path.is_symlink():
        for at, folders, files in os.walk(path):
            yield from (os.path.join(at, name) for name in (*folders, *files))  # noqa: PTH118 - thousands of names


def _restrict_permissions(path: str | Path, allowed: int) -> None:
    with suppress(OSError):  # it has gone meanwhile, or is another user's
        mode = os.lstat(path).st_mode
        if not stat.S_ISLNK(mode) and mode & 0o777 & ~allowed:
            os.chmod(path, stat.S_IMODE(mode) & (allowed | 0o7000))  # noqa: PTH101 - as above

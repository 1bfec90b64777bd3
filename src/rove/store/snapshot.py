"""The resident index on disk: arrays that a fresh process maps into memory instead of reading the catalog again.

A snapshot is a folder of two files: the arrays, and `facts.json`, which has the type, shape and checksums of each. It
is written beside its place, then moved there whole. As any index it is a projection: one that is torn, damaged or of
another catalog is not used.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any

from rove.store.array_file import Array, ArrayFile, ArrayPlace, ArrayWriter
from rove.store.blocks import ArrayInParts

FORMAT = 9
FACTS, ARRAYS = "facts.json", "arrays.bin"
PARTS_HELD = 16
"""Parts of an array after which the memory of what was read for them is given back."""
SAMPLED = {"upper", "lower", "shallow_upper", "shallow_lower"}
"""Arrays that `read_snapshot` checks by samples where they are large: most bytes; a wrong one moves a score only.

See `Mapped.is_sound` for the rest."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Arrays and facts of the base as it was at `revision`."""

    revision: int
    arrays: Mapping[str, Array | ArrayInParts]
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mapped(Snapshot):
    """A snapshot as it is read: a large one is mapped, so that parts that are not used cost no memory."""

    arrays: Mapping[str, Array]
    mark: str
    file: ArrayFile

    @property
    def rows(self) -> int:
        """How many chunks it holds."""
        return len(self.arrays["language_codes"])

    @property
    def is_partly_checked(self) -> bool:
        """Whether only samples of some of it were held against their checksums when it was read."""
        return self.file.is_mapped

    def is_sound(self, stop: Event) -> bool:
        """Hold all of it against its checksums, unless `stop` ends that."""
        return self.file.is_sound(stop=stop)

    def is_untouched(self) -> bool:
        """Say whether nobody has written to what is mapped since it was read. Takes a microsecond."""
        return self.file.is_untouched()

    def let_go(self) -> None:
        """Let the system take back the memory of what was read; it is mapped still, and read again when needed."""
        self.file.let_go()


def write_snapshot(folder: Path, snapshot: Snapshot, *, source: Mapped | None = None) -> str:
    """Write a snapshot into `folder`, beside those that are there; returns the mark by which `read_snapshot` knows it.

    `source`: the snapshot that most of the arrays are read from; little of it stays in memory.

    Raises:
        OSError: the disk is full, or cannot be written to; nothing is left behind then.
    """
    place = folder / f"new-{secrets.token_hex(8)}"
    try:
        place.mkdir(parents=True)
        arrays = {name: asdict(kept) for name, kept in _write_arrays(place / ARRAYS, snapshot.arrays, source).items()}
        facts = {"format": FORMAT, "revision": snapshot.revision, "arrays": arrays, **snapshot.facts}
        described = json.dumps(facts).encode()
        _write_bytes(place / FACTS, described)
        final = folder / _snapshot_mark(described)
        _remove_snapshot_path(final)  # damaged, perhaps
        place.rename(final)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return final.name


def sweep(folder: Path, mark: str) -> None:
    """Remove every other snapshot, and unfinished ones of killed processes. A process that has one mapped keeps it."""
    for other in _snapshot_folder_entries(folder):
        if other.name != mark:
            _remove_snapshot_path(other)


def read_snapshot(folder: Path, mark: str, *, thorough: bool = False) -> Mapped | None:
    """Open the snapshot of that mark; None where it is missing or damaged, whatever is wrong with it.

    `thorough`: check all of a large one, too. Otherwise it takes milliseconds: see `SAMPLED`.
    """
    facts = _read_snapshot_facts(folder, mark)
    if facts.get("format") != FORMAT:
        return None
    try:
        file = ArrayFile(folder / mark / ARRAYS, {name: ArrayPlace.of(one) for name, one in facts["arrays"].items()})
        sound = file.is_sound(stop=Event()) if thorough else file.is_sound(SAMPLED)
        return Mapped(int(facts["revision"]), file.arrays, facts, mark, file) if sound else None
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None


def revision(folder: Path, mark: str) -> int:
    """The revision of the snapshot of that mark, -1 where it is missing; its arrays are not looked at.

    One of another version of Rove is as good as missing: it is written anew.
    """
    facts = _read_snapshot_facts(folder, mark)
    return int(facts["revision"]) if facts.get("format") == FORMAT else -1


def is_of_another_version(folder: Path, mark: str) -> bool:
    """Say whether there is a snapshot of that mark which another version of Rove has written."""
    return _read_snapshot_facts(folder, mark).get("format", FORMAT) != FORMAT


def _read_snapshot_facts(folder: Path, mark: str) -> dict[str, Any]:
    """The facts of the snapshot of that mark, none where they are missing or torn: their hash is looked at first."""
    try:
        described = (folder / mark / FACTS).read_bytes() if mark else b""
        return json.loads(described) if mark and mark == _snapshot_mark(described) else {}
    except (OSError, ValueError, RecursionError):
        return {}


def newest(folder: Path) -> Mapped | None:
    """Open the snapshot of the highest revision that is there: what is left to look at where the catalog is lost."""
    found = (read_snapshot(folder, path.name) for path in _snapshot_folder_entries(folder))
    return max(filter(None, found), key=lambda kept: kept.revision, default=None)


def drop(folder: Path) -> None:
    """Take every snapshot away."""
    _remove_snapshot_path(folder)


def drop_before(folder: Path, since: int) -> None:
    """Take snapshots away that are older than that revision. A process that has one mapped keeps it."""
    for other in _snapshot_folder_entries(folder):
        if 0 <= revision(folder, other.name) < since:
            _remove_snapshot_path(other)


def _snapshot_folder_entries(folder: Path) -> Sequence[Path]:
    """What lies in the folder of snapshots; nothing where that cannot be read, or is no folder."""
    try:
        return list(folder.iterdir())
    except OSError:
        return ()


def _remove_snapshot_path(path: Path) -> None:
    """Remove a folder with all that is in it, or what stands in its place, as far as the system lets us."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _snapshot_mark(facts: bytes) -> str:
    """Return the name of a snapshot: a hash of its facts, which hold the checksums of all arrays."""
    return sha256(facts).hexdigest()[:32]


def _write_arrays(
    file: Path, arrays: Mapping[str, Array | ArrayInParts], source: Mapped | None
) -> Mapping[str, ArrayPlace]:
    """Write arrays so that they are on the disk; returns where they lie, and their checksums."""
    with file.open("wb") as stream:
        writer = ArrayWriter(stream)
        for name, array in arrays.items():
            blocks = array if isinstance(array, ArrayInParts) else ArrayInParts.of(array)
            for number, _ in enumerate(writer.write(name, blocks)):
                if source and number % PARTS_HELD == PARTS_HELD - 1:
                    source.let_go()
            if source:
                source.let_go()
        stream.flush()
        os.fsync(stream.fileno())
    return writer.places


def _write_bytes(file: Path, data: bytes) -> None:
    with file.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())

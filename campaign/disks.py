"""A full disk at a random byte: it is said with a cure, nothing acknowledged is lost, and with room it goes on.

As root the base lies in a small file system in memory, in a mount namespace that ends with the child; else, and in half
of the trials anyway, a limit of the size of files stands for the disk.
"""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
from pathlib import Path
from random import Random

from campaign.bases import FAKE, GONE, Known, check_base, document, held
from campaign.children import Child, Tell, complete, load_heavy, store_of
from campaign.kills import STEPS_BY_NAME, TEMPLATE, Step, make, plan
from campaign.trial import Faults, Trial
from rove.errors import RoveError
from rove.records import Text
from rove.sync import Rove

CLONE_NEWNS, MS_REC, MS_PRIVATE, MS_REMOUNT = 0x20000, 0x4000, 1 << 18, 32
HUNG_S = 90.0
MOST_STEPS = 25
ROOM_BYTES = 64 << 20
DOING = {"add", "replace", "files", "delete", "enrich", "doctor", "import", "walk"}


class Disks:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        load_heavy()
        self.folder = folder
        self.template = folder / "template"
        complete(lambda _: make(self.template, TEMPLATE))
        self.can_mount = Child(lambda _: mount(folder, 1 << 20)).wait().state == "done"

    def close(self) -> None:
        """The mounts have gone with the children."""

    def trial(self, seed: int) -> Trial:
        """Work until the disk is full, look, make room, go on."""
        chance, faults, place = Random(seed), Faults(), self.folder / f"disk{seed}"
        place.mkdir()
        mounted = self.can_mount and chance.random() < 0.5
        try:
            child = Child(lambda tell: live(self.template, place, chance, tell, mounted=mounted))
            ended = child.wait(limit_s=HUNG_S)
            faults += [fault for line in ended.told for fault in line.get("faults", ())]
            faults.expect(ended.state == "done", f"{ended.state}: {ended.error}")
            full = any(line.get("full") for line in ended.told)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return faults.trial(("full disk" if mounted else "file limit") if full else "never full", int(full))


def mount(place: Path, size: int) -> None:
    """Put a small file system there, which only this process and its children see."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None):
        raise OSError(ctypes.get_errno(), "no mount namespace")
    _mounted(place, size, 0)


def _mounted(place: Path, size: int, flags: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"tmpfs", str(place).encode(), b"tmpfs", flags, f"size={size}".encode()):
        raise OSError(ctypes.get_errno(), "no tmpfs")


# -- in the child ----------------------------------------------------------------------------------------------------


def live(template: Path, place: Path, chance: Random, tell: Tell, *, mounted: bool) -> None:
    """Fill the disk, look, make room, look again."""
    faults, known, base = Faults(), Known({f"d{n}": {1} for n in range(TEMPLATE)}), place / "kb"
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size = sum(path.stat().st_size for path in template.rglob("*") if path.is_file())
    if mounted:
        mount(place, ROOM_BYTES)
    shutil.copytree(template, base)
    resident = chance.choice((0, 10_000))
    settings = {**FAKE, "store": store_of(resident)}
    steps = [step for step in plan(chance, 0, known) if step.do in DOING][:MOST_STEPS]
    with Rove.open(base, **settings) as kb:
        _limit(place, chance, size, mounted=mounted)
        full = _fill(kb, steps, known, faults)
        with faults.typed("reading on a full disk") as refused:
            held(kb, known, faults, "on a full disk")
            kb.search("letters harbour", top_k=3)
        faults += [f"reading on a full disk was refused: {error}" for error in refused]
        if mounted:
            _mounted(place, ROOM_BYTES, MS_REMOUNT)
        else:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        with faults.typed("going on with room") as refused:
            kb.add(Text("There is room again, says the note.", id="room"))
        faults += [f"with room it does not go on: {error}" for error in refused]
        known.end({"room": None})
        kb.delete("room")
    with Rove.open(base, **settings) as kb:
        check_base(kb, known, faults)
        kb.add(document("last", 1))
    tell(faults=list(faults), full=bool(full))


def _limit(place: Path, chance: Random, size: int, *, mounted: bool) -> None:
    """Leave room for so many bytes more, or let no file grow beyond so many."""
    if mounted:
        stat = os.statvfs(place)
        used = (stat.f_blocks - stat.f_bfree) * stat.f_frsize
        _mounted(place, used + 4096 * chance.randrange(1, 120), MS_REMOUNT)
    else:
        most = chance.choice((chance.randrange(1_000, 20_000), chance.randrange(20_000, 2 * size)))
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))


def _fill(kb: Rove, steps: list[Step], known: Known, faults: Faults) -> RoveError | None:
    """Work until something is refused."""
    there = set(known.may)
    for step in steps:
        changes = {n: v for n, v in step.changes.items() if v is not GONE or n in there}
        known.begin(changes)
        with faults.typed(f"{step.do} on a full disk") as refused:
            STEPS_BY_NAME[step.do](kb, changes, lambda **_: None)
            known.end(changes)
        if refused or faults:
            return refused[0] if refused else RoveError("untyped")
        there |= set(changes)
    return None

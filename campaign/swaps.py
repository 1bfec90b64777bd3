"""Catalogs that are moved, deleted, replaced or overwritten under who has them open, and rebuilds while others write.

What is acknowledged is in the catalog that is there then; where there is none, nothing is acknowledged.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

from campaign.bases import FAKE
from campaign.children import Child, Tell, complete, load_heavy
from campaign.trial import Faults, Trial
from rove.errors import CatalogReplacedError, RoveError, ServiceError
from rove.records import Text
from rove.sync import Rove
from rove.sync.rebuilding import rebuild_base

CATALOG = "catalog.sqlite"
MOST = 4
HUNG_S = 60.0


class Swaps:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        load_heavy()
        self.folder = folder
        self.template = folder / "template"
        complete(lambda _: _filled(self.template, 0, 3))

    def close(self) -> None:
        """Nothing was left."""

    def trial(self, seed: int) -> Trial:
        """Write, swap the catalog at some moment, and go on writing; or rebuild it meanwhile."""
        place, faults = self.folder / f"swap{seed}", Faults()
        place.mkdir()
        shutil.copytree(self.template, place / "backup")
        shutil.copytree(self.template, place / "kb")
        how = Random(seed).choice(sorted(WAYS))
        try:
            ended = Child(lambda tell: _live(place, seed, how, tell)).wait(limit_s=HUNG_S)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        faults.expect(ended.state == "done", f"{ended.state}: {ended.error}")
        faults += [fault for line in ended.told for fault in line.get("faults", ())]
        return faults.trial(how)


def _filled(folder: Path, first: int, count: int) -> None:
    with Rove.open(folder, **FAKE) as kb:
        for number in range(first, first + count):
            kb.add(Text(f"Ship {number} came home.", id=f"d{number}"))


def _live(place: Path, seed: int, how: str, tell: Tell) -> None:
    chance, faults, base = Random(seed), Faults(), place / "kb"
    chance.choice(sorted(WAYS))  # as the trial has drawn
    with Rove.open(base, **FAKE) as kb:
        for number in range(chance.randrange(MOST)):
            kb.add(Text(f"Boat {number} came home.", id=f"before{number}"))
        if chance.random() < 0.5:
            kb.search("ship", top_k=3)
        rebuilding = how.startswith("rebuild")
        with faults.typed(how) as refused:
            WAYS[how](place, chance)
        faults.expect(bool(refused) == rebuilding, f"{how}: it was {'refused' if refused else 'done'}")
        for name, call in _calls(kb):
            try:
                call()
            except CatalogReplacedError as error:
                faults.expect(error.cure, f"{name} after {how}: no cure")
                faults.expect(not rebuilding, f"{name} was refused though {how} was, too")
            except RoveError as error:
                faults.append(f"{name} after {how}: {type(error).__name__}: {error}")
            else:
                faults.expect(rebuilding, f"{name} was acknowledged after {how}")
    if rebuilding:
        with Rove.open(base, **FAKE) as kb:
            faults.expect("after" in {one.document_id for one in kb.documents()}, f"what came after {how} is lost")
    tell(faults=list(faults))


def _calls(kb: Rove) -> list[tuple[str, Callable[[], object]]]:
    return [
        ("add", lambda: kb.add(Text("The last ship came home.", id="after"))),
        ("search", lambda: kb.search("ship", top_k=3)),
        ("delete", lambda: kb.delete("d0")),
    ]


def _replaced(place: Path, chance: Random) -> None:
    source = place / "backup" / CATALOG
    shutil.copy(source, place / "new")
    (place / "new").replace(place / "kb" / CATALOG)
    if chance.random() < 0.5:
        for end in ("-wal", "-shm"):
            (place / "kb" / f"{CATALOG}{end}").unlink(missing_ok=True)


def _deleted(place: Path, chance: Random) -> None:
    (place / "kb" / CATALOG).unlink()
    if chance.random() < 0.5:
        (place / "kb" / CATALOG).touch()


def _moved(place: Path, chance: Random) -> None:
    (place / "kb").rename(place / "elsewhere")
    if chance.random() < 0.5:
        shutil.copytree(place / "backup", place / "kb")


def _gone(place: Path, chance: Random) -> None:
    del chance
    shutil.rmtree(place / "kb")


def _rebuilt(place: Path, chance: Random) -> None:
    rebuild_base(chance.choice(("here", str(place / "backup"))), place / "kb", **FAKE)


def _rebuilt_elsewhere(place: Path, chance: Random) -> None:
    source = chance.choice(("here", str(place / "backup")))
    ended = Child(lambda _: rebuild_base(source, place / "kb", **FAKE) and None).wait(limit_s=HUNG_S)
    if ended.state != "done":
        raise ServiceError(ended.error, cure="Stop it.")


WAYS: dict[str, Callable[[Path, Random], None]] = {
    "replaced": _replaced,
    "deleted": _deleted,
    "folder moved": _moved,
    "folder deleted": _gone,
    "rebuild": _rebuilt,
    "rebuild elsewhere": _rebuilt_elsewhere,
}

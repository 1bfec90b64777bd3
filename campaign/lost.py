"""Rows, tables, pages and snapshots of a base are lost or changed: its answers are right, or it says what is lost."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from campaign.bases import FAKE, document, text_of, word
from campaign.children import Child, Tell, complete, load_heavy
from campaign.torn import HUNG_S
from campaign.trial import Faults, Trial
from rove.records.walk_events import Budget
from rove.store import array_file, resident
from rove.store.presence import CATALOG, RESIDENT
from rove.store.row_counts import FIRST
from rove.sync import Rove
from rove.sync.rebuilding import rebuild_base

DOCUMENTS = 12
FLIPS = 16
"""Snapshots with one flipped bit that one trial opens."""
WANTED = "wanted.json"
GONE = ("dropped", "all rows", "one row")
"""Ways to lose rows for certain."""
MODES = ("keyword", "semantic", "hybrid")


class Lost:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        load_heavy()
        self.folder, self.whole = folder, folder / "whole"
        complete(lambda _: make(self.whole))

    def close(self) -> None:
        """Nothing is left running after a trial."""

    def trial(self, seed: int) -> Trial:
        """Damage the catalog or the snapshot, then use the base."""
        chance, faults, base = Random(seed), Faults(), self.folder / f"kb{seed}"
        shutil.copytree(self.whole, base)
        try:
            work, done = attack(base, chance)
            ended = Child(work).wait(limit_s=HUNG_S)
            faults += [fault for line in ended.told for fault in line.get("faults", ())]
            faults.expect(ended.state == "done", f"{ended.state}: {ended.error}")
            outcome = next((line["outcome"] for line in ended.told if "outcome" in line), ended.state)
        finally:
            shutil.rmtree(base, ignore_errors=True)
        if faults:
            faults.insert(0, f"lost: {done}")
        return faults.trial(outcome)


def make(whole: Path) -> None:
    """Make a base with a snapshot, a walk, words and questions; all of its catalog in one file."""
    resident.KEPT_FROM = 1
    with Rove.open(whole, **FAKE) as kb:
        kb.add([document(f"d{n}", 1) for n in range(DOCUMENTS)])
        kb.add(document("d1", 2))
        kb.delete("d2")
        kb.define({"harbour": ["port"]})
        kb.keep_question("Which letters were never opened?", "d3", (0, 5))
        list(kb.walk("Which letters were never opened?", budget=Budget(rounds=2)))
        kb.doctor()
        (whole / WANTED).write_text(json.dumps(answers(kb)), "utf-8")
    with closing(sqlite3.connect(whole / CATALOG)) as catalog:
        catalog.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def answers(kb: Rove) -> list[Any]:
    """What the base holds, and finds for words of each document, in the order of three modes."""
    names = sorted(info.document_id for info in kb.documents())
    found = [
        [hit.chunk.chunk_id for hit in kb.search(f"{word(name)} letters harbour", mode=mode, top_k=8)]
        for name in names
        for mode in MODES
    ]
    return json.loads(json.dumps([[(name, kb.text(name)) for name in names], found]))


def attack(base: Path, chance: Random) -> tuple[Callable[[Tell], None], str]:
    """Choose a damage, and do it; returns what is to be done in a child, and what it was."""
    if chance.random() < 0.4:
        (arrays,) = (base / RESIDENT).glob("*/arrays.bin")
        mapped = chance.random() < 0.5
        if chance.random() < 0.6:
            damage = chance.choice((cut, longer, zeroed, reversed_, noise, removed, folder))
            file = chance.choice((arrays, arrays.with_name("facts.json")))
            damage(file, chance)
            return lambda tell: use(base, tell, mapped=mapped), f"{file.name} {damage.__name__}, mapped: {mapped}"
        seed = chance.random()
        return lambda tell: flips(base, Random(seed), tell, mapped=mapped), f"flipped bits, mapped: {mapped}"
    done = lose(base / CATALOG, chance)
    gone = done.endswith(GONE)
    return lambda tell: use(base, tell, strict=True, gone=gone), done


def lose(file: Path, chance: Random) -> str:
    """Take rows, a table, or the root page of a table or an index out of a catalog."""
    with closing(sqlite3.connect(file, isolation_level=None)) as catalog:
        (size,) = catalog.execute("PRAGMA page_size").fetchone()
        trees = catalog.execute("SELECT type, name, rootpage FROM sqlite_master WHERE rootpage > 0").fetchall()
        held = [name for kind, name, _ in trees if kind == "table" and not name.startswith(("sqlite", "row_counts"))]
        held = [name for name in held if catalog.execute(f'SELECT 1 FROM "{name}"').fetchone()]  # noqa: S608
        how = chance.choice(("zeroed", "emptied", "noise", *GONE))
        if how not in GONE:
            kind, name, page = chance.choice(trees)
        else:
            kind, name, page = "table", chance.choice(FIRST if chance.random() < 0.6 else held), 0
            some = f' WHERE rowid = (SELECT rowid FROM "{name}" ORDER BY rowid LIMIT 1)' if how == "one row" else ""  # noqa: S608
            catalog.execute(f'DROP TABLE "{name}"' if how == "dropped" else f'DELETE FROM "{name}"{some}')  # noqa: S608
    if page:
        empty = bytes([13 if kind == "table" else 10, 0, 0, 0, 0, *(size & 0xFFFF).to_bytes(2, "big")])
        data = bytearray(file.read_bytes())
        pages = {"zeroed": bytes(size), "emptied": empty.ljust(size, b"\0"), "noise": chance.randbytes(size)}
        data[(page - 1) * size : page * size] = pages[how]
        file.write_bytes(data)
    return f"{kind} {name}: {how}"


# -- damages of a file of a snapshot ---------------------------------------------------------------------------------


def cut(file: Path, chance: Random) -> None:
    """Its end is missing, or all of it."""
    data = file.read_bytes()
    file.write_bytes(data[: chance.choice((0, chance.randrange(len(data)), len(data) - 1))])


def longer(file: Path, chance: Random) -> None:
    """Something stands behind it."""
    file.write_bytes(file.read_bytes() + chance.randbytes(chance.choice((1, 4096))))


def zeroed(file: Path, chance: Random) -> None:
    """A range of it is zeroes, or all."""
    data = bytearray(file.read_bytes())
    at = chance.choice((0, chance.randrange(len(data))))
    data[at:] = bytes(len(data) - at)
    file.write_bytes(data)


def reversed_(file: Path, chance: Random) -> None:
    """It stands the wrong way round."""
    del chance
    file.write_bytes(file.read_bytes()[::-1])


def noise(file: Path, chance: Random) -> None:
    """It is noise, of the same length."""
    file.write_bytes(chance.randbytes(file.stat().st_size))


def removed(file: Path, chance: Random) -> None:
    """It is not there."""
    del chance
    file.unlink()


def folder(file: Path, chance: Random) -> None:
    """A folder stands in its place."""
    removed(file, chance)
    file.mkdir()


# -- in the child ----------------------------------------------------------------------------------------------------


def use(base: Path, tell: Tell, *, mapped: bool = False, strict: bool = False, gone: bool = False) -> None:
    """Do with the base what its owner would: search, list, doctor, write, and make it anew where that is said to help.

    `strict`: rows may be lost, so that doctor may not find it sound unless all answers are right. `gone`: some are.
    """
    set_up(mapped=mapped)
    faults, wanted = Faults(), json.loads((base / WANTED).read_text("utf-8"))
    right = False
    with faults.typed("open and search") as refused, Rove.open(base, **FAKE) as kb:
        right = faults.expect(answers(kb) == wanted, "it answers otherwise than before, and says nothing")
    faults.expect(refused or not gone, "rows are gone, and it says nothing")
    with faults.typed("doctor") as unhealed, Rove.open(base, **FAKE) as kb:
        kb.doctor()
        faults.expect(right or not strict, "doctor finds nothing, and rows are missing")
        kb.add(document("last", 1))
        kb.delete("last")
        faults.expect(kb.doctor().ok, "doctor still finds something right after it has mended")
    outcome = "right" if right and not unhealed else "healed"
    if unhealed:
        outcome = "said, and made anew"
        with faults.typed("make it anew") as lost:
            rebuild_base("here", base, **FAKE)
        faults.expect(not lost, f"it is not made anew by its own cure: {lost}")
        with faults.typed("use what was made anew") as again, Rove.open(base, **FAKE) as kb:
            faults.expect(kb.doctor().ok, "doctor finds something in what was made anew")
            held = {name: text for name, text in answers(kb)[0]}
            wrong = [name for name, text in held.items() if text not in {text_of(name, 1), text_of(name, 2)}]
            faults.expect(not wrong, f"made anew, {wrong} are not what they were")
        faults.expect(not again, f"what was made anew is refused: {again}")
    faults.expect(not refused or unhealed or not strict, f"doctor says nothing of what a search refuses: {refused}")
    tell(faults=list(faults), outcome=outcome)


def flips(base: Path, chance: Random, tell: Tell, *, mapped: bool) -> None:
    """Search by snapshots of which one bit each is another, among them the first bytes of each file."""
    set_up(mapped=mapped)
    faults, wanted = Faults(), json.loads((base / WANTED).read_text("utf-8"))
    for number in range(FLIPS):
        file = chance.choice(sorted(path for path in (base / RESIDENT).glob("*/*") if path.is_file()))
        data = bytearray(file.read_bytes())
        bit = chance.randrange(1_024 if number % 2 else 8 * len(data))
        data[bit // 8] ^= 1 << bit % 8
        file.write_bytes(data)
        with faults.typed(f"search with bit {bit} of {file.name} flipped") as refused, Rove.open(base, **FAKE) as kb:
            faults.expect(answers(kb) == wanted, f"bit {bit} of {file.name}: it answers otherwise")
        faults.expect(not refused, f"bit {bit} of {file.name} is refused: {refused}")
        if file.exists():  # in a large base the rest is checked meanwhile, and it may be gone
            data[bit // 8] ^= 1 << bit % 8
            file.write_bytes(data)
        else:
            break
    tell(faults=list(faults), outcome="right")


def set_up(*, mapped: bool) -> None:
    """Keep snapshots of few chunks; `mapped`: as those of many are read."""
    resident.KEPT_FROM = 1
    if mapped:
        array_file.MEMORY_BYTES = 0

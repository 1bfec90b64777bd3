"""Files of a base that are torn: it opens as it was, heals, or is refused with a cure; it never lies, never crashes."""

from __future__ import annotations

import asyncio
import os
import shutil
import tomllib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random

from campaign.bases import FAKE, document, text_of, word
from campaign.children import Child, Tell, complete, load_heavy, store_of
from campaign.kills import served, waiting
from campaign.trial import Faults, Trial
from rove.records.walk_events import Budget
from rove.serve.admission.keys import hash_key, make_key
from rove.serve.documents.spool import Item, Spool
from rove.serve.spaces import Spaces
from rove.settings import read_settings
from rove.store.originals import Offered
from rove.sync import Rove

DOCUMENTS = 10
UNAUTHORIZED = 401
HUNG_S = 60.0
KINDS = ("catalog.sqlite", "catalog.sqlite-wal", "index", "originals", "rove.toml", "evaluations.sqlite", "incoming")
WEIGHTS = (8, 4, 10, 2, 2, 1, 1)

Damage = Callable[[bytes, Random], bytes]


def cut(data: bytes, chance: Random) -> bytes:
    """Its end is missing."""
    return data[: chance.choice((chance.randrange(max(1, len(data))), len(data) // 4096 // 2 * 4096))]


def zeroed(data: bytes, chance: Random) -> bytes:
    """A range of it is zeroes."""
    start, size = chance.randrange(max(1, len(data))), chance.choice((1, 16, 512, 4096, 65_536))
    return data[:start] + b"\0" * min(size, len(data) - start) + data[start + size :]


def flipped(data: bytes, chance: Random) -> bytes:
    """A few bits of it are others."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 3, 20)) if data else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def overwritten(data: bytes, chance: Random) -> bytes:
    """A range of it is noise."""
    start, size = chance.randrange(max(1, len(data))), chance.choice((16, 100, 4096))
    return data[:start] + chance.randbytes(min(size, len(data) - start)) + data[start + size :]


def swapped(data: bytes, chance: Random) -> bytes:
    """Two pages of it have changed places."""
    pages = [data[at : at + 4096] for at in range(0, len(data), 4096)]
    if len(pages) > 2:
        one, other = chance.sample(range(len(pages) - 1), 2)
        pages[one], pages[other] = pages[other], pages[one]
    return b"".join(pages)


def emptied(data: bytes, chance: Random) -> bytes:
    """It has 0 bytes."""
    del data, chance
    return b""


DAMAGES: tuple[Damage, ...] = (cut, cut, zeroed, zeroed, flipped, flipped, overwritten, swapped, emptied)


class Torn:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        load_heavy()
        self.folder = folder
        self.early, self.late = folder / "early", folder / "late"
        complete(lambda _: make(self.early, self.late))

    def close(self) -> None:
        """Nothing is left running after a trial."""

    def trial(self, seed: int) -> Trial:
        """Tear one file or two, then use the base."""
        chance, faults, base = Random(seed), Faults(), self.folder / f"kb{seed}"
        shutil.copytree(self.late, base)
        try:
            done = [self.tear(base, chance) for _ in range(chance.choice((1, 1, 1, 2)))]
            ended = Child(lambda tell: use(base, done, seed % 2 * 10_000, tell)).wait(limit_s=HUNG_S)
            faults += [fault for line in ended.told for fault in line.get("faults", ())]
            faults.expect(ended.state == "done", f"{ended.state}: {ended.error}")
            outcome = next((line["outcome"] for line in ended.told if "outcome" in line), ended.state)
        finally:
            shutil.rmtree(base, ignore_errors=True)
        if faults:
            faults.insert(0, f"torn: {', '.join(done)}")
        return faults.trial(outcome)

    def tear(self, base: Path, chance: Random) -> str:
        """Damage one file; returns which, and how."""
        part = chance.choices(KINDS, WEIGHTS)[0]
        found = sorted(path for path in (base / part).rglob("*") if path.is_file()) if (base / part).is_dir() else []
        file = chance.choice(found) if found else base / part
        name = str(file.relative_to(base))
        roll = chance.random()
        if not file.is_file():
            return f"{name} untouched"
        if roll < 0.1:
            file.unlink()
            return f"{name} removed"
        if roll < 0.2 and (self.early / name).is_file():
            shutil.copyfile(self.early / name, file)
            return f"{name} older"
        if roll < 0.24 and part == "index":
            shutil.rmtree(base / "index")
            return "index removed"
        damage = chance.choice(DAMAGES)
        before = file.read_bytes()
        after = damage(before, chance)
        file.write_bytes(after)
        return f"{name} {damage.__name__ if before != after else 'untouched'}"


def make(early: Path, late: Path) -> None:
    """Make a base at two times: with an index, an original, a walk, keys, a queue, and a log of the last writes."""
    with Rove.open(early, **FAKE, store=store_of(0)) as kb:
        kb.add([document(f"d{n}", 1) for n in range(DOCUMENTS)])
        (early / "rove.toml").write_text(keys_of(), "utf-8")
        (early / "originals").mkdir(exist_ok=True)
        list(kb.walk("Which letters were never opened?", budget=Budget(rounds=2)))
    shutil.copytree(early, late)
    kb = Rove.open(late, **FAKE, store=store_of(0))
    kb.add([document(f"d{n}", 2) for n in range(0, DOCUMENTS, 2)])
    kb.delete(f"d{DOCUMENTS - 1}")
    kb.add(document("e0", 1))
    note = late / "note.md"
    note.write_text("# Note\n\nA note that lies beside.\n", "utf-8")
    kb._run(kb._kb.store.keep_originals([Offered("e0", sha256(note.read_bytes()).hexdigest(), note)], 1 << 20))  # noqa: SLF001
    spool = Spool(late)
    queued = Item("upload:/queued", "queued", {}, text="What waits is not lost.", kind="text", document_id="queued")
    spool.commit(spool.begin(), "anna", [queued])
    os._exit(0)  # without closing: the write-ahead log stays, as after a crash


def keys_of() -> str:
    """A settings file with a key, as `rove serve key` writes it."""
    return f'[serve.keys.anna]\nhash = "{hash_key(make_key())}"\nspaces = ["*"]\nrights = ["read"]\n'


# -- in the child ----------------------------------------------------------------------------------------------------


def use(base: Path, done: list[str], resident: int, tell: Tell) -> None:
    """Do with a torn base what its owner would: open, list, search, ask, doctor, write, open again, serve."""
    faults = Faults()
    settings = {**FAKE, "store": store_of(resident)}
    outcome = _open(base, settings, done, faults)
    keys = base / "rove.toml"
    if any("rove.toml" in one for one in done) and keys.is_file():
        with faults.typed("serve") as refused:
            spaces = Spaces.open(read_settings(keys, path=base, **FAKE), base)
            faults.expect(_is_closed(keys, spaces), "a torn settings file opens the server to everybody")
        outcome = "refused" if refused else outcome
    if any("incoming" in one for one in done):
        with faults.typed("serve what waits"):
            asyncio.run(asyncio.wait_for(_served(base), HUNG_S / 2))
    tell(faults=list(faults), outcome=outcome)


async def _served(base: Path) -> None:
    async with served(base) as client:
        for _ in range(100):
            if not waiting(base):
                return
            await asyncio.sleep(0.05)
        reply = await client.get("/v1/spaces/default/documents")
        if reply.status_code != UNAUTHORIZED:  # the base has keys, and this is nobody's
            reply.raise_for_status()


def _is_closed(keys: Path, spaces: Spaces) -> bool:
    """Whoever had set up keys must not find the server open: unless the file, as it is, says nothing of any."""
    return bool(spaces.settings.keys) or "serve" not in tomllib.loads(keys.read_text("utf-8"))


def _open(base: Path, settings: dict, done: list[str], faults: Faults) -> str:
    kb: Rove | None = None
    with faults.typed("open") as refused:
        kb = Rove.open(base, **settings)
    if kb is None:
        return "refused" if refused else "broke"
    try:
        return _used(kb, done, faults)
    finally:
        with faults.typed("close"):
            kb.close()


def _used(kb: Rove, done: list[str], faults: Faults) -> str:
    outcome, told = "opened", ()
    with faults.typed("read") as refused:
        _is_no_lie(kb, done, faults)
        kb.search("letters harbour", top_k=3)
        kb.ask("Which letters were never opened?")
    with faults.typed("doctor") as unhealed:
        health = kb.doctor()
        outcome = "opened" if health.ok else "healed"
        told = health.left
    if refused and not unhealed:
        outcome = "healed"
    with faults.typed("write") as unwritten:
        kb.add(document("last", 1))
        kb.delete("last")
    if unhealed or unwritten:
        return "refused"
    with faults.typed("read after doctor") as again:
        health = kb.doctor()  # what it cannot mend it says again, with what to do
        still = not health.problems and health.left == told
        faults.expect(still, "doctor still finds something right after it has mended")
        _is_no_lie(kb, done, faults)
        _are_found(kb, faults)
    faults += [f"refused after doctor had mended it: {error}" for error in again]
    return outcome


def _is_no_lie(kb: Rove, done: list[str], faults: Faults) -> None:
    """What is listed is what was: no base that had documents is empty without a word."""
    listed = {info.document_id for info in kb.documents()}
    early = {f"d{n}" for n in range(DOCUMENTS)}
    late = early - {f"d{DOCUMENTS - 1}"} | {"e0"}
    log = any("-wal" in one or "older" in one for one in done)
    wanted = early & late if log else late
    changed = [one for one in done if "flipped" in one or "overwritten" in one or "zeroed" in one or "swapped" in one]
    lost = wanted - listed
    faults.expect(not lost or (changed and listed), f"{len(lost)} of {len(wanted)} documents are gone without a word")


def _are_found(kb: Rove, faults: Faults) -> None:
    for info in kb.documents():
        name, text = info.document_id, kb.text(info.document_id)
        for version in (1, 2):
            if text_of(name, version) == text:
                found = [hit.chunk.document_id for hit in kb.search(word(name, version), mode="keyword", top_k=5)]
                faults.expect(name in found, f"{name} is there, and not found after doctor")

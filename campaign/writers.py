"""Processes that write and search one base at once: what is only ever replaced is found at all times, old or new."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from time import monotonic

from campaign.bases import FAKE, Known, check_base, document, text_of, word
from campaign.children import Child, Tell, complete, load_heavy, store_of
from campaign.trial import Faults, Trial
from rove.sync import Rove

SHARED = 4
"""Documents that are there from the beginning, and that every writer only ever replaces."""
TURNS = 14
HUNG_S = 120.0
TOO_LONG_S = 30.0


class Writers:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        load_heavy()
        self.folder = folder
        self.template = folder / "template"
        complete(lambda _: make(self.template))

    def close(self) -> None:
        """Nothing is left running after a trial."""

    def trial(self, seed: int) -> Trial:
        """Two or three writers and one or two readers on one base, then a look at what is there."""
        chance, faults, base = Random(seed), Faults(), self.folder / f"kb{seed}"
        shutil.copytree(self.template, base)
        resident = chance.choice((0, 10_000))
        known = Known({f"s{n}": {0} for n in range(SHARED)})
        try:
            writers = [
                Child(lambda tell, n=n: write(base, n, Random(f"{seed} {n}"), resident, tell))
                for n in range(chance.choice((2, 3)))
            ]
            readers = [Child(lambda tell, n=n: read(base, n, resident, tell)) for n in range(chance.choice((1, 2)))]
            told = []
            for child in writers:
                ended = child.wait(limit_s=HUNG_S)
                told += ended.told
                faults.expect(ended.state == "done", f"a writer {ended.state}: {ended.error}")
            (base / "stop").touch()
            searches = 0
            for child in readers:
                ended = child.wait(limit_s=HUNG_S)
                faults.expect(ended.state == "done", f"a reader {ended.state}: {ended.error}")
                faults += [fault for line in ended.told for fault in line.get("faults", ())][:5]
                searches += sum(line.get("searches", 0) for line in ended.told)
            (base / "stop").unlink()
            for line in told:
                faults += line.get("faults", ())
                if "own" in line:
                    known.end(line["own"])
                    for name, versions in line["shared"].items():
                        known.may[name] |= set(versions)
            faults.expect(searches, "no reader has searched")
            ended = Child(lambda tell: look(base, known, resident, tell)).wait(limit_s=HUNG_S)
            faults += [fault for line in ended.told for fault in line.get("faults", ())]
            faults.expect(ended.state == "done", f"looking: {ended.state}: {ended.error}")
        finally:
            shutil.rmtree(base, ignore_errors=True)
        return faults.trial(f"agreed ({'LanceDB' if not resident else 'in memory'})")


def make(base: Path) -> None:
    """Make the base that all begin with."""
    with Rove.open(base, **FAKE) as kb:
        kb.add([document(f"s{n}", 0) for n in range(SHARED)])


# -- in the children -------------------------------------------------------------------------------------------------


def write(base: Path, me: int, chance: Random, resident: int, tell: Tell) -> None:
    """Add, replace and delete documents of its own, and replace those that all share."""
    faults, own, shared = Faults(), dict[str, int | None](), {f"s{n}": [0] for n in range(SHARED)}
    with Rove.open(base, **FAKE, store=store_of(resident)) as kb:
        for turn in range(1, TURNS):
            began = monotonic()
            live = [name for name, version in own.items() if version is not None]
            roll = chance.random()
            if roll < 0.4:
                name, version = f"s{chance.randrange(SHARED)}", 100 * (me + 1) + turn
                shared[name].append(version)
                kb.add(document(name, version))
            elif roll < 0.6 and live:
                name = chance.choice(live)
                kb.delete(name)
                own[name] = None
            elif roll < 0.8 and live:
                name = chance.choice(live)
                own[name] = (own[name] or 0) + 1
                kb.add(document(name, own[name] or 0))
            else:
                names = [f"w{me}-{turn}-{n}" for n in range(3)]
                kb.add([document(name, 0) for name in names])
                own |= dict.fromkeys(names, 0)
            waited = monotonic() - began
            faults.expect(waited < TOO_LONG_S, f"a writer waited {waited:.0f} s for one operation")
    tell(own=own, shared=shared, faults=list(faults))


def read(base: Path, me: int, resident: int, tell: Tell) -> None:
    """Search what is only ever replaced, until told to stop: it is always there, and whole."""
    faults, searches = Faults(), 0
    with Rove.open(base, **FAKE, store=store_of(resident)) as kb:
        while not (base / "stop").exists() and len(faults) < 5:
            name = f"s{(searches + me) % SHARED}"
            for mode in ("keyword", "hybrid"):
                hits = kb.search(word(name), mode=mode, top_k=50)
                ids = [hit.chunk.document_id for hit in hits]
                faults.expect(
                    name in ids, f"search {searches} ({mode}) did not find {name}, which is only ever replaced"
                )
                heads = [hit.chunk.text for hit in hits if hit.chunk.document_id == name and hit.chunk.span[0] == 0]
                faults.expect(len(heads) < 2, f"search {searches} ({mode}) found two versions of {name} at once")
                searches += 1
    tell(faults=list(faults), searches=searches)


def look(base: Path, known: Known, resident: int, tell: Tell) -> None:
    """Hold what is there against what the writers say."""
    faults = Faults()
    with Rove.open(base, **FAKE, store=store_of(resident)) as kb:
        for name in [f"s{n}" for n in range(SHARED)]:
            text = kb.text(name)
            last = [version for version in known.may[name] if version is not None and text_of(name, version) == text]
            faults.expect(last, f"{name} is at no version that anybody wrote")
            known.may[name] = set(last) or known.may[name]
        check_base(kb, known, faults)
    tell(faults=list(faults))

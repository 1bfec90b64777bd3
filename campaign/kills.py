"""Kill -9 at random moments and at failpoints: nothing acknowledged is lost, nothing is doubled, nothing half there."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import httpx

from campaign.bases import FAKE, GONE, Known, check_base, document, held, residue, text_of, word
from campaign.children import Child, Ended, Tell, complete, load_heavy, store_of
from campaign.trial import Faults, Trial
from rove.records import content_hash
from rove.records.walk_events import Budget
from rove.serve.app import create_app
from rove.serve.documents.upload import uri_of
from rove.serve.spaces import Spaces
from rove.settings import read_settings
from rove.store.failpoints import ENRICHING, NAMES
from rove.sync import Rove

TEMPLATE = 8
STEPS = 40
"""Operations of a child: more than it has time for before it is killed."""
SHORT = 20
"""Characters that ids of a server's making do not have fewer of."""
LONGEST_S = 0.5
HUNG_S = 60.0
DOING = ("add", "replace", "replace", "files", "delete", "enrich", "doctor", "import", "walk", "serve")
Changes = dict[str, int | None]


@dataclass(frozen=True, slots=True)
class Step:
    """An operation: what it does, and the versions to which it brings which documents.

    A server makes the ids of what is handed in: `names` has what its documents are called there.
    """

    do: str
    changes: Changes
    names: Mapping[str, str] = field(default_factory=dict[str, str])


def plan(chance: Random, first: int, known: Known) -> Iterator[Step]:
    """Make up the operations of one child: by seed, and by what may be in the base."""
    there = {name: max((v for v in versions if v is not GONE), default=0) for name, versions in known.may.items()}
    live = [name for name, versions in known.may.items() if GONE not in versions and len(name) < SHORT]
    for number in range(first, first + STEPS):
        do = chance.choice(DOING)
        fresh = [f"n{number}-{n}" for n in range(chance.randrange(1, 4))]
        some = chance.sample(live, min(len(live), chance.randrange(1, 4)))
        changes: Changes = {}
        names = {content_hash("text", uri_of(name, ())): name for name in fresh} if do == "serve" else {}
        if do in {"add", "files", "import", "serve"}:
            changes = dict.fromkeys(names or fresh, 1)
            live += changes if not names else ()  # a job that waits could overtake a later change
        elif do == "replace":
            changes = {name: there[name] + 1 for name in some}
        elif do == "delete":
            changes = dict.fromkeys(some, GONE)
            live = [name for name in live if name not in changes]
        there |= {name: version for name, version in changes.items() if version is not GONE}
        yield Step(do, changes, names)


class Kills:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        load_heavy()
        self.folder = folder
        self.template = folder / "template"
        complete(lambda _: make(self.template, TEMPLATE))

    def close(self) -> None:
        """Nothing is left running after a trial."""

    def trial(self, seed: int) -> Trial:
        """Kill, once or twice in a row, then look."""
        chance, faults, base = Random(seed), Faults(), self.folder / f"kb{seed}"
        shutil.copytree(self.template, base)
        known = Known({f"d{n}": {1} for n in range(TEMPLATE)})
        walks: dict[str, int] = {}
        killed, history = 0, list[str]()
        try:
            for turn in range(chance.choice((1, 1, 2))):
                steps = list(plan(chance, 100 * turn, known))
                failpoint = (
                    f"{chance.choice(NAMES + ENRICHING)}:{chance.randrange(1, 4)}" if chance.random() < 0.4 else ""
                )
                resident = chance.choice((0, 10_000))
                child = Child(lambda tell, s=steps, f=failpoint, r=resident: work(base, s, f, r, tell))
                ended = child.wait(chance.uniform(0, LONGEST_S), armed_by="opened", limit_s=HUNG_S)
                killed += ended.state == "killed"
                faults.expect(ended.state in {"killed", "done"}, f"{ended.state} at {failpoint!r}: {ended.error}")
                told(ended, steps, known, walks)
                history.append(f"{failpoint or 'at random'} amid {' '.join(done_of(ended, steps)) or 'opening'}")
            resident = chance.choice((0, 10_000))
            ended = Child(lambda tell: look(base, known, walks, resident, tell)).wait(limit_s=HUNG_S)
            faults += [fault for line in ended.told for fault in line.get("faults", ())]
            faults.expect(ended.state == "done", f"looking: {ended.state}: {ended.error}")
        finally:
            shutil.rmtree(base, ignore_errors=True)
        if faults:
            faults.append(f"killed {'; then '.join(history)}")
        return faults.trial("killed" if killed else "finished first", killed)


def make(base: Path, count: int) -> None:
    """Make a base of `count` documents, some of them changed once, so that it has a history."""
    with Rove.open(base, **FAKE) as kb:
        kb.add([document(f"d{n}", 0) for n in range(0, count, 2)])
        kb.add([document(f"d{n}", 1) for n in range(count)])


def told(ended: Ended, steps: Sequence[Step], known: Known, walks: dict[str, int]) -> None:
    """Take over what a child had begun and what was acknowledged before it was killed."""
    for line in ended.told:
        if "begin" in line:
            known.begin(steps[line["begin"]].changes)
        elif "end" in line:
            known.end(steps[line["end"]].changes)
        elif "walk" in line:
            walks[line["walk"]] = line["events"]


def done_of(ended: Ended, steps: Sequence[Step]) -> list[str]:
    """What a child had begun; a star stands where it had not been acknowledged."""
    acknowledged = {line["end"] for line in ended.told if "end" in line}
    begun = [line["begin"] for line in ended.told if "begin" in line]
    return [steps[number].do + "*" * (number not in acknowledged) for number in begun]


# -- in the child ----------------------------------------------------------------------------------------------------


def work(base: Path, steps: Sequence[Step], failpoint: str, resident: int, tell: Tell) -> None:
    """Do step after step, and tell before and after each."""
    os.environ["ROVE_FAILPOINT"] = failpoint
    kb = Rove.open(base, **FAKE, store=store_of(resident))
    tell(opened=True)
    for number, step in enumerate(steps):
        tell(begin=number)
        if step.do == "serve":
            kb.close()
            asyncio.run(serve(base, step))
            kb = Rove.open(base, **FAKE, store=store_of(resident))
        else:
            STEPS_BY_NAME[step.do](kb, step.changes, tell)
        tell(end=number)


def _add(kb: Rove, changes: Changes, tell: Tell) -> None:
    del tell
    report = kb.add([document(name, version) for name, version in changes.items() if version is not GONE])
    if not report.ok:
        raise SystemExit(str(report.failed))


def _files(kb: Rove, changes: Changes, tell: Tell) -> None:
    """The same by the other door: one `add` each, as an upload of single notes does."""
    for name, version in changes.items():
        _add(kb, {name: version}, tell)


def _delete(kb: Rove, changes: Changes, tell: Tell) -> None:
    del tell
    there = {info.document_id for info in kb.documents()}
    if names := [name for name in changes if name in there]:
        kb.delete(*names)


def _enrich(kb: Rove, changes: Changes, tell: Tell) -> None:
    del changes, tell
    fields = {info.document_id: {"rank": len(info.document_id)} for info in kb.documents()}
    store = kb._kb.store  # noqa: SLF001 - what an enricher is given
    kb._run(store.enrich(fields))  # noqa: SLF001


def _doctor(kb: Rove, changes: Changes, tell: Tell) -> None:
    del changes, tell
    kb.doctor()


def _import(kb: Rove, changes: Changes, tell: Tell) -> None:
    """Take in an export of a base with these documents, made on the way."""
    del tell
    with (
        TemporaryDirectory(dir=kb.settings.path.parent) as other,
        Rove.open(other, **FAKE, store={"index": "memory"}) as source,
    ):
        source.add([document(name, version) for name, version in changes.items() if version is not GONE])
        lines = list(source.export())
    kb.import_(lines)


def _walk(kb: Rove, changes: Changes, tell: Tell) -> None:
    del changes
    walk = kb.walk("Which letters about the harbour were never opened?", budget=Budget(rounds=3, seconds=5))
    for number, event in enumerate(walk, 1):
        tell(walk=walk.walk_id, events=number, kind=type(event).__name__)


STEPS_BY_NAME: dict[str, Callable[[Rove, Changes, Tell], None]] = {
    "add": _add, "replace": _add, "files": _files, "delete": _delete, "enrich": _enrich, "doctor": _doctor,
    "import": _import, "walk": _walk,
}  # fmt: skip


async def serve(base: Path, step: Step) -> None:
    """Hand documents in to a server; its 202 is the acknowledgement, whether or not they are in yet."""
    async with served(base) as client:
        for document_id, name in step.names.items():
            body = {"text": text_of(document_id, 1), "name": name}
            reply = await client.post("/v1/spaces/default/documents", json=body)
            if reply.status_code != 202:
                raise SystemExit(reply.text)


@asynccontextmanager
async def served(base: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A server in this process, and a client of it."""
    spaces = Spaces.open(read_settings(base, **FAKE), base.parent)
    app = create_app(spaces)
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as client,
    ):
        yield client


async def drained(base: Path) -> None:
    """Let a server take in what an earlier one has acknowledged and not taken in."""
    async with served(base):
        while waiting(base):  # noqa: ASYNC110 - nobody tells when nothing waits
            await asyncio.sleep(0.02)


def waiting(base: Path) -> bool:
    """Say whether a server has acknowledged what is not in the base yet."""
    return any((base / "incoming").rglob("job.json"))


def look(base: Path, known: Known, walks: dict[str, int], resident: int, tell: Tell) -> None:
    """Open the base anew, and hold it against what is known."""
    os.environ["ROVE_FAILPOINT"] = ""
    faults = Faults()
    if waiting(base):
        asyncio.run(drained(base))
    with Rove.open(base, **FAKE, store=store_of(resident)) as kb:
        check_base(kb, known, faults)
        for walk, events in walks.items():
            kept = sum(1 for _ in kb.replay(walk))
            faults.expect(kept >= events, f"walk {walk} had told {events} events; {kept} are kept")
        kb.add(document("last", 1))
        known.end({"last": 1})
        held(kb, known, faults, "after one more")
    left = residue(base, [word(name) for name in known.gone()])
    faults.expect(not left, f"what was deleted still stands in {left}")
    tell(faults=list(faults))

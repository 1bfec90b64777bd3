"""`python killed_adds.py KILLS SEED WORKERS FOLDER`: adds that are killed at random, taken up, and looked at.

Every run is an `add` in a process of its own, forked with everything loaded. What is killed with -9, at a random moment
or at a failpoint, is drawn by seed: the process itself (driver and committer in one), a worker, a reading process, or a
node of Ray's. What ended before it could be killed is not counted. After a few runs one goes to its end; then every
document and chunk has to be there once, as in a base that was made without workers. A line of JSON says what was done.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from time import monotonic

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

# ruff: noqa: E402, T201 - a script, of which the output is what it has counted
from campaign.children import Child, Ended, Tell, complete, load_heavy
from ray_cluster import RayCluster, ray_cluster
from worker_bases import FAKE, below, check_once, kill, rows, texts

from rove import Rove
from rove.events import Event, SourceDone, SourcesAt
from rove.store.failpoints import FINISHED, NAMES

COUNT = 500
IN_A_ROW = 4
LIMIT_S = 600.0
"""Longer than Ray may take to find a place for an actor: 300 s, which it takes where the machine is busy."""
STARTING = "The reading process does not run"
NO_ROOM = "Ray has no CPU to give"
"""What an add says that found no machine within its minute, as where the last one has just been killed."""
ON_RAY = ("add", "failpoint", "actor", "actor", "node", "node")
VICTIMS = ("add", "add", "failpoint", "failpoint", "worker", "worker", "reader")
COMMANDS = {"worker": "rove.ingest.workers.child", "reader": "rove.sandbox.child"}


class Add(Child):
    """An `add` in a child process. `kill` kills what was drawn, or the child where it is not there; then the child."""

    def __init__(
        self, work: Callable[[Tell], None], victim: str, chance: Random, cluster: RayCluster | None = None
    ) -> None:
        self.victim, self.chance, self.killed, self.cluster = victim, chance, "", cluster
        super().__init__(work)

    def kill(self) -> None:
        """Kill -9."""
        if self.cluster and self.victim == "node" and not self.killed:
            self.killed = "node"
            self.cluster.kill_node(self.chance.randrange(len(self.cluster.nodes)))
            return
        there = (
            sorted(self.cluster.actors())
            if self.cluster and self.victim == "actor"
            else sorted(below(self.pid, COMMANDS[self.victim]))
            if self.victim in COMMANDS
            else []
        )
        if there and not self.killed:
            self.killed = self.victim
            kill([self.chance.choice(there)])
        else:
            self.killed = self.killed or "add"
            super().kill()


def adding(base: Path, workers: str, failpoint: str, tell: Tell) -> None:
    """Add everything, and tell of what is made and of what is acknowledged."""
    os.environ["ROVE_FAILPOINT"] = failpoint

    def listen(event: Event) -> None:
        if isinstance(event, SourcesAt) and event.stage == "chunked":
            tell(made=True)
        if isinstance(event, SourceDone) and event.entry.state == "live" and not event.entry.outcome:
            tell(live=event.entry.source)

    with Rove.open(base, **FAKE, load={"workers": workers}) as kb:
        tell(opened=True)
        report = kb.add(texts(COUNT), listener=listen)
    tell(unchanged=report.unchanged, failed=[entry.reason for entry in report.failed])


def shards(base: Path) -> int:
    """How many shards lie there."""
    return len(list((base / "shards").glob("*.parquet")))


def victims(chance: Random, kinds: tuple[str, ...]) -> Iterator[str]:
    """Yield what to kill: each kind once, then any."""
    yield from chance.sample(sorted(set(kinds)), len(set(kinds)))
    while True:
        yield chance.choice(kinds)


def run(
    base: Path, workers: str, victim: str, chance: Random, cluster: RayCluster | None, whole_s: float
) -> tuple[str, Ended]:
    """One `add`, in which something is killed; returns what, or nothing where it had ended before.

    `whole_s` is how long an `add` takes in which nothing is killed.
    """
    points = (*NAMES[:4], FINISHED)
    failpoint = f"{chance.choice(points)}:{chance.choice((1, 1, 2))}" if victim == "failpoint" else ""
    child = Add(lambda tell: adding(base, workers, failpoint, tell), victim, chance, cluster)
    armed_by, longest = ("opened", whole_s) if chance.random() < 0.5 else ("made", whole_s / 4)
    ended = child.wait(None if failpoint else chance.uniform(0, longest), armed_by=armed_by, limit_s=LIMIT_S)
    return child.killed or (victim if ended.state == "killed" else ""), ended


def main(kills: int, seed: int, workers: str, folder: Path) -> int:
    """Kill so many, look after each few, and say what was done."""
    load_heavy()
    if not workers.startswith("ray"):
        return kill_adds(kills, seed, workers, folder, None)
    with ray_cluster(folder / "ray") as cluster:
        os.environ["RAY_ADDRESS"] = cluster.address
        return kill_adds(kills, seed, workers, folder, cluster)


def kill_adds(kills: int, seed: int, workers: str, folder: Path, cluster: RayCluster | None) -> int:
    """See `main`."""
    chance, killed, done = Random(seed), Counter[str](), Counter[str]()
    complete(lambda tell: adding(folder / "alone", "", "", tell))
    wanted = rows(folder / "alone")
    base, whole_s = folder / "kb", 0.0
    drawn = victims(chance, ON_RAY if cluster else VICTIMS)
    while killed.total() < kills:
        live = set[str]()
        for _ in range(chance.randrange(1, IN_A_ROW + 1) if whole_s else 0):
            what, ended = run(base, workers, next(drawn), chance, cluster, whole_s)
            amid = what == "reader" and STARTING in ended.error  # then the add says so, as it does without workers
            amid |= what == "node" and NO_ROOM in ended.error
            assert amid or ended.state in {"killed", "done"}, (what, ended.state, ended.error)
            failed = [reason for line in ended.told for reason in line.get("failed", ())]
            assert len(failed) <= (what == "reader"), failed  # whose source takes the blame, and is read anew
            killed.update([what] if what else [])
            done["runs"] += 1
            live |= {line["live"] for line in ended.told if "live" in line}
            done["shards left"] += shards(base)
            if ended.state == "done":
                break
        began = monotonic()
        ended = Child(lambda tell: adding(base, workers, "", tell)).wait(limit_s=LIMIT_S)
        assert ended.state == "done" and not any(line.get("failed") for line in ended.told), ended.error
        unchanged = next(line["unchanged"] for line in ended.told if "unchanged" in line)
        assert unchanged >= len(live), f"{len(live)} were acknowledged, and {unchanged} were there"
        check_once(base, wanted)
        whole_s = whole_s or monotonic() - began
        shutil.rmtree(base)
        done["checked"] += 1
        print(json.dumps({"kills": killed, **done}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], Path(sys.argv[4])))

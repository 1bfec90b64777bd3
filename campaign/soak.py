"""Soak: one process adds, replaces, deletes, searches, asks and walks for as long as it is told, and is watched.

Run: `.venv/bin/python -m campaign.soak --minutes 2`. Needs Linux: what a process holds is read from /proc.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import re
import sys
import tempfile
import threading
import time
import tracemalloc
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any

import numpy as np

from campaign.children import store_of
from campaign.long_soak import with_section
from rove.engine import AsyncRove
from rove.records import Text
from rove.serve.heaps import share_heaps

DOCUMENTS = 60
SAMPLE_S, MOST_SAMPLES = 2.0, 400
"""How often memory is looked at; in a long soak less often, since what is seen takes memory itself."""
WARM_CALLS = 4_000
"""Calls before which growth says nothing: threads are begun, and caches fill. Some two minutes by itself."""
VERSIONS = 20
"""So many versions there are of a text: each has been met before the half. With new numbers for ever, bounded caches
of words would fill all the time (some MB, `rove.language.words`, `rove.models.e5.tokens`), and hide what is not."""
OBJECTS_FROM = 400
"""Calls after which Python's objects are looked at: there are no more of them later."""
WALKS_BEFORE = 20
"""Walks before anything is looked at: the first ones load 10,000 objects of words, units and statements, and of the
calls they are few."""
LEAST_SAMPLES = 10
SUBJECTS = {
    "en": ["The committee {0} approves the budget of unit {1} in version {2}.", "Which committee approves budgets?"],
    "de": ["Der Ausschuss {0} genehmigt den Haushalt der Abteilung {1}, Fassung {2}.", "Wer genehmigt den Haushalt?"],
    "hu": ["A(z) {0}. bizottság jóváhagyja a(z) {1}. osztály költségvetését, {2}. változat.", "Ki hagyja jóvá?"],
    "zh": ["委员会{0}批准第{1}部门的预算，第{2}版。", "哪个委员会批准预算？"],
    "ja": ["委員会{0}は部門{1}の予算を承認する。第{2}版。", "どの委員会が予算を承認しますか。"],
}
RESIDENT = re.compile(r"^Rss(?:Anon|File):\s+(\d+) kB", re.MULTILINE)
MODES = ["keyword", "semantic", "hybrid", "sparse", "gather", "walk"]


@dataclass(frozen=True, slots=True)
class Sample:
    """What the process held at one moment. `seconds` since the start, after `calls`; sizes in bytes.

    `memory` is the process' own. `mapped`: pages of files that were read (the models' weights), which the system takes
    back when it needs them; they become more with every word that is met first, up to the size of the files.
    `objects`: of Python, those that hold others, after garbage was collected, and without what bounded caches hold.
    """

    seconds: float
    calls: int
    objects: int
    memory: int
    mapped: int
    handles: int
    threads: int
    folder: int
    files: int


@dataclass(frozen=True, slots=True)
class SoakResult:
    """What a soak showed. `slope_mb_h`: growth of memory in the second half, by linear regression, in MB an hour.

    `noise_mb_h`: its standard error, infinite where the soak ended before. `calls_h`: calls an hour meanwhile.
    `objects_a_call`: of Python, by which there were more at the end than after `OBJECTS_FROM` calls.
    """

    minutes: float
    seed: int
    calls: dict[str, int]
    wrong: tuple[str, ...]
    slope_mb_h: float
    noise_mb_h: float
    calls_h: float
    objects_a_call: float
    samples: tuple[Sample, ...]
    growing: tuple[str, ...] = field(default=())

    @property
    def handles(self) -> tuple[int, int]:
        """Open handles: the most at the half, and the most in the last tenth."""
        return _most(self.samples, "handles")

    @property
    def threads(self) -> tuple[int, int]:
        """Threads: the most at the half, and the most in the last tenth."""
        return _most(self.samples, "threads")

    def by_tenths(self) -> list[float]:
        """Memory in MB at the end of each tenth of the time."""
        last = len(self.samples) - 1
        return [self.samples[last * tenth // 10].memory / 1e6 for tenth in range(1, 11)]

    def told_slope(self) -> str:
        """The growth of memory in words."""
        if not np.isfinite(self.noise_mb_h):
            return f"too short for a slope: caches fill over the first {WARM_CALLS:,} calls"
        slope, noise = f"{self.slope_mb_h:+.1f}", f"{self.noise_mb_h:.1f}"
        a_call = f"{1_000 * self.slope_mb_h / self.calls_h:+.2f} kB a call"
        return f"in the second half {slope} ± {noise} MB/h, {a_call} at {self.calls_h / 3600:.0f} calls a second"

    def told(self) -> str:
        """The result in words."""
        last = self.samples[-1]
        lines = [
            f"{self.minutes:g} minutes, seed {self.seed}: {sum(self.calls.values())} calls ({self.calls})",
            f"memory {last.memory / 1e6:.0f} MB, and {last.mapped / 1e6:.0f} MB of files; {self.told_slope()}",
            f"objects {last.objects}, {self.objects_a_call:+.2f} a call",
            f"handles {self.handles[0]} → {self.handles[1]}, threads {self.threads[0]} → {self.threads[1]}",
            f"folder {last.folder / 1e6:.1f} MB in {last.files} files, "
            f"at most {max(s.folder for s in self.samples) / 1e6:.1f} MB in {max(s.files for s in self.samples)}",
            f"memory in MB by tenths of the time: {', '.join(f'{at:.0f}' for at in self.by_tenths())}",
            *(f"wrong: {one}" for one in self.wrong),
            *(f"grew: {one}" for one in self.growing),
        ]
        return "\n".join(lines)


def run(minutes: float, seed: int, *, trace: bool = False, lancedb: bool = False, pause_s: float = 0.0) -> SoakResult:
    """Soak for so many minutes, with a pause after each call.

    `trace` says which lines hold more memory in the end than at the half; it slows.
    """
    with tempfile.TemporaryDirectory(prefix="rove-soak-") as folder:
        return asyncio.run(_Soak(Path(folder) / "kb", minutes, seed, lancedb, pause_s).run(trace=trace))


class _Soak:
    def __init__(self, folder: Path, minutes: float, seed: int, lancedb: bool, pause_s: float) -> None:
        self.folder = folder
        self.pause_s = pause_s
        self.minutes = minutes
        self.seed = seed
        self.chance = random.Random(seed)
        self.settings: dict[str, Any] = {"embedder": {"name": "fake"}, "store": store_of(not lancedb)}
        self.held: dict[str, str] = {}
        self.calls = Counter[str]()
        self.wrong: list[str] = []
        self.samples: list[Sample] = []
        self.version = 0
        self.every_s = max(SAMPLE_S, 60 * minutes / MOST_SAMPLES)

    async def run(self, *, trace: bool) -> SoakResult:
        half: tracemalloc.Snapshot | None = None
        async with AsyncRove.open(self.folder, **self.settings) as kb:
            await kb.add([self._text(n) for n in range(DOCUMENTS)])
            for _ in range(WALKS_BEFORE):
                await self._walk(kb)
            began, ends = time.monotonic(), time.monotonic() + 60 * self.minutes
            if trace:
                tracemalloc.start(5)
            while (now := time.monotonic()) < ends:
                await self._step(kb)
                await asyncio.sleep(self.pause_s)
                if not self.samples or now - began - self.samples[-1].seconds >= self.every_s:
                    made = self.calls.total()
                    self.samples.append(await asyncio.to_thread(_sample, now - began, made, self.folder))
                if trace and half is None and now - began > (ends - began) / 2:
                    gc.collect()
                    half = tracemalloc.take_snapshot()
        growing = _growing(half) if half else ()
        slope, noise, calls_h = _slope(self.samples)
        return SoakResult(
            self.minutes,
            self.seed,
            dict(self.calls),
            tuple(self.wrong),
            slope,
            noise,
            calls_h,
            _objects_a_call(self.samples),
            tuple(self.samples),
            growing,
        )

    async def _step(self, kb: AsyncRove) -> None:
        kind = self.chance.choices(
            ["replace", "delete", "add", "search", "ask", "walk", "read"], [20, 3, 3, 50, 12, 2, 10]
        )[0]
        try:
            await getattr(self, f"_{kind}")(kb)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
            self._note(f"{kind}: {error!r}")
        self.calls[kind] += 1

    async def _replace(self, kb: AsyncRove) -> None:
        if self.held:
            await self._put(kb, int(self.chance.choice(list(self.held))[1:]))

    async def _add(self, kb: AsyncRove) -> None:
        await self._put(kb, self.chance.randrange(DOCUMENTS))

    async def _put(self, kb: AsyncRove, number: int) -> None:
        report = await kb.add(self._text(number))
        if not report.ok:
            self._note(f"add: {report.failed}")

    async def _delete(self, kb: AsyncRove) -> None:
        if len(self.held) > DOCUMENTS // 2:
            name = self.chance.choice(list(self.held))
            await kb.delete(name)
            del self.held[name]

    async def _search(self, kb: AsyncRove) -> None:
        mode, language = self.chance.choice(MODES), self.chance.choice(list(SUBJECTS))
        hits = await kb.search(SUBJECTS[language][1], mode=mode, top_k=5)
        self._live(f"search {mode}", [hit.chunk.document_id for hit in hits])

    async def _ask(self, kb: AsyncRove) -> None:
        answer = await kb.ask(SUBJECTS[self.chance.choice(list(SUBJECTS))][1])
        self._live("ask", [citation.document_id for one in answer.sentences for citation in one.citations])

    async def _walk(self, kb: AsyncRove) -> None:
        walk = kb.walk(SUBJECTS[self.chance.choice(list(SUBJECTS))][1])
        answer = await walk.answered()
        await kb.forget_walk(walk.walk_id)  # what walks leave behind is data: the base would grow, and its cache
        await kb.memory().clear()
        self._live("walk", [citation.document_id for one in answer.sentences for citation in one.citations])

    async def _read(self, kb: AsyncRove) -> None:
        listed = {info.document_id for info in await kb.documents()}
        if listed != set(self.held):
            self._note(f"documents: {sorted(listed ^ set(self.held))} differ")
        name = self.chance.choice(list(self.held))
        if await kb.text(name) != self.held[name]:
            self._note(f"text: {name} is not as it was added")

    def _live(self, what: str, document_ids: list[str]) -> None:
        if unknown := set(document_ids).difference(self.held):
            self._note(f"{what}: {sorted(unknown)} had been deleted")

    def _text(self, number: int) -> Text:
        self.version = self.version % VERSIONS + 1
        language = list(SUBJECTS)[number % len(SUBJECTS)]
        line = SUBJECTS[language][0]
        text = "\n\n".join(line.format(number, part, self.version) for part in range(1 + number % 7))
        self.held[f"d{number}"] = text
        return Text(text, id=f"d{number}", title=f"Budget {number}")

    def _note(self, what: str) -> None:
        if len(self.wrong) < 100:
            self.wrong.append(what)


def _empty_caches() -> None:
    """Empty Rove's caches that are bounded: what they hold is no leak, and it takes them thousands of calls to fill."""
    for one in gc.get_objects():
        own = isinstance(one, _lru_cache_wrapper) and str(getattr(one, "__module__", "")).startswith("rove.")
        if own and one.cache_info().maxsize is not None:
            one.cache_clear()


def _sample(seconds: float, calls: int, folder: Path) -> Sample:
    _empty_caches()
    gc.collect()
    objects = len(gc.get_objects())
    sizes: list[int] = []
    for path in folder.rglob("*"):
        try:
            sizes.append(path.stat().st_size if path.is_file() else 0)
        except FileNotFoundError:  # tidied away meanwhile
            continue
    handles = len(list(Path("/proc/self/fd").iterdir()))
    own, mapped = (1024 * int(found) for found in RESIDENT.findall(Path("/proc/self/status").read_text()))
    return Sample(seconds, calls, objects, own, mapped, handles, threading.active_count(), sum(sizes), len(sizes))


def _slope(samples: list[Sample]) -> tuple[float, float, float]:
    """Growth of memory in the second half of the time and its standard error, in MB an hour; and calls an hour."""
    late = [sample for sample in samples[len(samples) // 2 :] if sample.calls >= WARM_CALLS]
    if len(late) < LEAST_SAMPLES:
        return 0.0, float("inf"), 1.0
    hours = np.array([sample.seconds for sample in late]) / 3600
    megabytes = np.array([sample.memory for sample in late]) / 1e6
    slope, at = np.polyfit(hours, megabytes, 1)
    left = megabytes - (slope * hours + at)
    spread = float(((hours - hours.mean()) ** 2).sum())
    noise = float(np.sqrt((left @ left) / (len(late) - 2) / spread))
    return float(slope), noise, float((late[-1].calls - late[0].calls) / (hours[-1] - hours[0]))


def _objects_a_call(samples: list[Sample]) -> float:
    """By how many objects a call there were more in the last third than in the first, from `OBJECTS_FROM` on.

    The least of each third, since walks and threads that are under way come and go.
    """
    late = [sample for sample in samples if sample.calls >= OBJECTS_FROM]
    if len(late) < LEAST_SAMPLES:
        return 0.0
    some = len(late) // 3
    first, last = (min(part, key=lambda sample: sample.objects) for part in (late[:some], late[-some:]))
    return (last.objects - first.objects) / max(last.calls - first.calls, 1)


def _most(samples: tuple[Sample, ...], name: str) -> tuple[int, int]:
    middle, tenth = len(samples) // 2, max(len(samples) // 10, 1)
    return (
        max(getattr(sample, name) for sample in samples[max(middle - tenth, 0) : middle + 1]),
        max(getattr(sample, name) for sample in samples[-tenth:]),
    )


def _growing(half: tracemalloc.Snapshot) -> tuple[str, ...]:
    gc.collect()
    found = tracemalloc.take_snapshot().compare_to(half, "lineno")
    tracemalloc.stop()
    return tuple(f"{one.size_diff / 1e3:+.0f} kB {one.traceback}" for one in found[:12] if one.size_diff > 20_000)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trace", action="store_true", help="say which lines hold more and more memory")
    parser.add_argument("--lancedb", action="store_true", help="let LanceDB compare the vectors")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds of rest after each call")
    parser.add_argument("--write", type=Path, default=None, help="write what it told into this page of the campaign")
    given = parser.parse_args()
    share_heaps()  # as a server does
    result = run(given.minutes, given.seed, trace=given.trace, lancedb=given.lancedb, pause_s=given.pause)
    sys.stdout.write(result.told() + "\n")
    if given.write:
        said, day = f"python -m campaign.soak {' '.join(sys.argv[1:])}", f"{datetime.now(UTC):%Y-%m-%d %H:%M}"
        given.write.write_text(with_section(given.write.read_text("utf-8"), result.told(), said, day), "utf-8")
    sys.exit(bool(result.wrong))

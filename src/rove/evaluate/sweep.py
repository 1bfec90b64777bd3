"""Run a sweep: make each base once, ask it in every way, keep what was found as it comes.

Whatever ends the process, the same call takes up where it stopped: what is in the results is not asked again, and a
base that was half made is made to its end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rove.engine import Given
from rove.errors import ConfigError
from rove.evaluate.ask_all import ask_all, question_key
from rove.evaluate.dataset import Dataset
from rove.evaluate.lab import Lab, LabCache
from rove.evaluate.plan import Base, Opening, Plan
from rove.evaluate.results import Ingested, Outcome, Results
from rove.evaluate.workers import ask_in_processes, workers_for
from rove.events import ChunksEmbedded, Event, Listener, ignore
from rove.store.database import Database, get_fact
from rove.store.sqlite import SqliteDialect
from rove.store.vectors import VectorCache


@dataclass(frozen=True, slots=True)
class BaseStarted:
    """The `number`th base (from 1) of `of` is made; its configurations are named."""

    number: int
    of: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ingesting:
    """`count` more chunks have vectors."""

    count: int


@dataclass(frozen=True, slots=True)
class AskedSome:
    """`count` more outcomes are known, now or from an earlier run."""

    count: int


Step = BaseStarted | Ingesting | AskedSome
Watcher = Callable[[Step], None]


class Sweep:
    """One run of a plan over a dataset."""

    def __init__(
        self, plan: Plan, dataset: Dataset, results: Results, *, processes: int = 0, near: bool = False
    ) -> None:
        """See `rove.evaluate.sweep`; `near`: what is found is compared with what is expected, too."""
        self.plan = plan
        self.dataset = dataset
        self.results = results
        self.processes = processes
        self.near = near
        self._memory = LabCache()
        self._made: list[tuple[str, Database]] = []

    async def run(self, watch: Watcher) -> None:
        """Make the bases and ask them.

        Raises:
            ConfigError: a configuration cannot be run; the message names it.
            ServiceError: a model or the disk has failed; what was found stays, and the next run goes on from there.
        """
        try:
            for number, base in enumerate(self.plan.bases, 1):
                watch(BaseStarted(number, len(self.plan.bases), base.names))
                for opening in base.openings:
                    await self._opening(base, opening, watch)
                self._remember(base)
        finally:
            for _, database in self._made:
                database.close()

    async def _opening(self, base: Base, opening: Opening, watch: Watcher) -> None:
        asked = {question_key(question) for question in self.dataset.questions}
        held = self.results.known((way.key for way in opening.ways), near=self.near)
        known = {pair for pair in held if pair[1] in asked}
        watch(AskedSome(len(known)))
        left = len(opening.ways) * len(asked) - len(known)
        if not left and self.results.ingest(base.key):
            return
        lab = self._open(base, opening)
        try:
            if not self.results.ingest(base.key):
                await self._make(base, lab, watch)
            workers = workers_for(left, self.processes)
            if left and workers == 1:
                await ask_all(lab, opening.ways, self.dataset.questions, self.dataset.gold, known, self._keeper(watch))
        finally:
            await lab.close()
        if left and workers > 1:
            await ask_in_processes(
                opening,
                self.dataset.questions,
                dict(self.dataset.gold),
                self.results,
                known,
                workers,
                lambda n: watch(AskedSome(n)),
                near=self.near,
            )

    def _keeper(self, watch: Watcher) -> Callable[[Sequence[Outcome]], None]:
        def keep(outcomes: Sequence[Outcome]) -> None:
            self.results.keep(outcomes)
            watch(AskedSome(len(outcomes)))

        return keep

    def _open(self, base: Base, opening: Opening) -> Lab:
        try:
            lab = Lab.open(opening.settings, self._memory)
        except ConfigError as error:
            message = f"{base.names[0]!r}: {error.reason}"
            raise ConfigError(message, cure=error.cure) from error
        model = str(lab.embedder.fingerprint)
        if self.near:
            lab.compare()
        lab.embedder.elsewhere = [VectorCache(database) for name, database in self._made if name == model]
        return lab

    async def _make(self, base: Base, lab: Lab, watch: Watcher) -> None:
        self.results.keep_ingest(base.key, await ingest(lab, self.dataset.documents, lambda event: _tell(event, watch)))

    def _remember(self, base: Base) -> None:
        """Let later bases take from this one what it has embedded."""
        catalog = base.settings.folder / "catalog.sqlite"
        if catalog.is_file():
            database = Database(SqliteDialect(catalog))
            with database.read() as connection:
                self._made.append((get_fact(connection, "embedder"), database))


async def ingest(lab: Lab, documents: Iterable[Given], listener: Listener = ignore) -> Ingested:
    """Put the documents into a base, or those of them that an interrupted run has left out.

    Raises:
        ConfigError: none of them could be read, or cut as the configuration says.
    """
    catalog = lab.base.store.catalog
    resumed = await asyncio.to_thread(catalog.count) > 0
    report = await lab.base.add(documents, listener=listener)
    chunks = await asyncio.to_thread(catalog.count)
    if report.failed and not chunks:
        first = report.failed[0]
        message = f"No document could be taken in; the first, {first.source}: {first.reason}"
        raise ConfigError(message, cure=first.cure)
    size = sum(file.stat().st_size for file in lab.base.settings.folder.rglob("*") if file.is_file())
    documents_in = len(await lab.base.documents())
    return Ingested(report.seconds, report.embed_seconds, documents_in, chunks, size, len(report.failed), resumed)


def _tell(event: Event, watch: Watcher) -> None:
    if isinstance(event, ChunksEmbedded):
        watch(Ingesting(event.count))

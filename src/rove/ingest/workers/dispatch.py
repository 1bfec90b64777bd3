"""Between the ingest and its workers: groups go out, shards come in, what a dead worker left goes to another."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from queue import Empty, Full, Queue
from threading import Condition, Event, Thread

from rove.errors import ConfigError, ServiceError
from rove.ingest.workers import WORKER_POOLS, NoWorkerError, Ready, ShardTaken, WorkerDiedError, WorkerPool, named
from rove.ingest.workers.making import Done, Failed, Group, Order, reply_of
from rove.ingest.workers.shards import DamagedShardError, Shards
from rove.prepare import Recipe
from rove.records import PageRead, SourceEnd
from rove.sandbox.checked import CheckedSources, NotOfTheSourceError
from rove.sandbox.messages import Task, encoder
from rove.sandbox.pool import TICK_S, Begun, Job, Known, Pool, Slices
from rove.settings import Settings
from rove.store.presence import SHARDS

TRIES = 3
"""So often a group is given to a worker, then each of its sources by itself as often."""
AHEAD = 2
"""Shards for each worker that may wait for the ingest; then the workers wait."""
MOST_DEATHS = 24
"""After so many deaths, and not one shard, it is not a source that ends the workers."""
CURE = "Add it again; if it stays so, leave it out, give the machine more memory, or add it without --workers."

Item = Ready | PageRead | SourceEnd | ShardTaken | None


def workers_of(settings: Settings, pool: Pool, *, own_embedder: bool) -> Workers:
    """Make the workers that the settings name. See `rove.ingest.readers.readers_of`."""
    load = settings.load
    if own_embedder:
        message = "Workers build the embedder from the settings, and here it is an object that was handed in."
        raise ConfigError(message, cure='Name it in the settings, as a plug-in, or leave load.workers at "".')
    name, address = named(load.workers)
    shards = load.shards or str((settings.folder / SHARDS).absolute())
    order = Order.of(pool.recipe, pool.limits, settings.embedder, shards)
    made: WorkerPool = WORKER_POOLS.get(name)(address, encoder.encode(order))
    return Workers(made, Shards(shards), pool.recipe)


@dataclass(slots=True)
class _Group:
    jobs: Sequence[Job]
    tries: int = 0


@dataclass(frozen=True, slots=True)
class _Made:
    group: _Group
    shard: ShardTaken


_Came = Item | _Made | Exception


class Workers:
    """Reads as `rove.sandbox.pool.Pool` does, by workers; what comes has its vectors. One `read` at a time."""

    def __init__(self, pool: WorkerPool, shards: Shards, recipe: Recipe) -> None:
        self._pool = pool
        self._shards = shards
        self._recipe = recipe
        self._began = datetime.now(UTC)

    def pay_for(self, jobs: Sequence[Job]) -> bool:
        """Say whether there is more than one group to work on."""
        return len(Slices(jobs).take()) < len(jobs)

    def read(self, jobs: Sequence[Job], begun: Begun, known: Known) -> Iterator[Item]:
        """Yield what the sources hold, shard by shard; of each source in order, its end last; a None where none comes.

        Raises:
            ServiceError: the embedder, the folder of shards or the machines of the workers failed.
            ConfigError: their set-up is wrong.
        """
        groups = sum(1 for _ in iter(Slices(jobs).take, []))
        slots = min(self._pool.open(), groups)
        run = _Run(jobs, begun, known, Queue(AHEAD * slots))
        threads = [Thread(target=self._serve, args=(slot, run), daemon=True) for slot in range(slots)]
        for thread in threads:
            thread.start()
        try:
            while not run.is_done():
                got = run.next()
                if got is None and not any(thread.is_alive() for thread in threads) and run.is_stuck():
                    message = f"No worker is left: {run.why}."
                    raise ServiceError(message, cure="See that the machines of the workers are up, and add it again.")
                if isinstance(got, Exception):
                    raise got
                if isinstance(got, _Made):
                    yield from self._taken(got, run)
                else:
                    yield got
                    if isinstance(got, SourceEnd):
                        run.settled()
        finally:
            run.stop()
            if any(thread.is_alive() for thread in threads) and not run.is_done():
                self._pool.stop()
            for thread in threads:
                thread.join()

    def taken(self, names: Sequence[str]) -> None:
        """The base has what these shards hold: they can go."""
        self._shards.remove(names)

    def finish(self) -> None:
        """The `add` is done: shards of earlier ones that were given up can go as well."""
        self._shards.sweep(self._began)

    def close(self) -> None:
        """End the workers."""
        self._pool.close()

    def _taken(self, made: _Made, run: _Run) -> Iterator[Item]:
        """Yield what a shard holds; where it is damaged, or was erased, it is made again."""
        try:
            items = self._shards.read(made.shard.name)
            _check_shard_items(items, made.group.jobs, self._recipe, made.shard.name)
        except DamagedShardError as error:
            self._shards.remove([made.shard.name])
            if end := run.failed(made.group, str(error)):
                yield end
                run.settled()
            return
        yield from items
        yield made.shard
        run.settled()

    def _serve(self, slot: int, run: _Run) -> None:
        """Let one worker, and those that replace it, make shard after shard."""
        try:
            while run.has_more() and self._started(slot, run):
                if (group := run.take()) is None:
                    continue  # another has taken it
                run.begun([location.uri for location, _ in group.jobs])
                try:
                    reply = reply_of(self._pool.make(slot, run.message(group), run.put))
                except WorkerDiedError as error:
                    run.died(group, str(error))
                    continue
                if isinstance(reply, Failed):
                    raise reply.error  # noqa: TRY301 - raised again where the documents are taken
                if isinstance(reply, Done):
                    run.put(_Made(group, ShardTaken(reply.name, reply.seconds)))
        except Exception as error:  # noqa: BLE001 - raised where the documents are taken
            run.put(error)

    def _started(self, slot: int, run: _Run) -> bool:
        """Get a worker ready; says whether there is one. Where there is none, others may do what it would."""
        for _ in range(TRIES):
            try:
                self._pool.start(slot, run.has_open)
            except (WorkerDiedError, NoWorkerError) as error:
                run.why = str(error)
                if isinstance(error, NoWorkerError) or not run.has_open():
                    break
            else:
                return True
        return False


def _check_shard_items(items: Sequence[Item], jobs: Sequence[Job], recipe: Recipe, name: str) -> None:
    """Hold what a shard says against what was to be read: others may have written it.

    Raises:
        DamagedShardError: it holds something else.
    """
    sources = CheckedSources(jobs, recipe)
    try:
        for item in items:
            if isinstance(item, Ready | PageRead | SourceEnd):
                sources.check(item.prepared if isinstance(item, Ready) else item)
    except NotOfTheSourceError as error:
        message = f"the shard {name} holds what is not of its sources ({error})"
        raise DamagedShardError(message) from error
    if sources.ended != len(jobs):
        message = f"the shard {name} is not whole"
        raise DamagedShardError(message)


class _Run:
    """What one `read` and its threads share: which groups wait, how many are not taken yet, and what has come."""

    def __init__(self, jobs: Sequence[Job], begun: Begun, known: Known, results: Queue[_Came]) -> None:
        self.begun = begun
        self.why = "none was started"
        self._slices = Slices(jobs)
        self._known = known
        self._results = results
        self._waiting = deque[_Group]()
        self._open = self._deaths = self._taken = 0
        self._empty = False
        self._stopped = Event()
        self._changed = Condition()

    # -- in the thread of a worker --------------------------------------------------------------------------------

    def has_more(self) -> bool:
        """Say whether a group waits; while one may still come back, that is waited for."""
        with self._changed:
            while not self._stopped.is_set():
                if self._waiting:
                    return True
                if not self._empty and (part := self._slices.take()):
                    self._open += 1
                    self._waiting.append(_Group(part))
                    return True
                self._empty = True
                if not self._open:
                    return False
                self._changed.wait(TICK_S)
        return False

    def has_open(self) -> bool:
        """Say whether there is still something to do, or something that may come back."""
        return not self._stopped.is_set() and not self.is_done()

    def take(self) -> _Group | None:
        """The group that waits longest, or none."""
        with self._changed:
            return self._waiting.popleft() if self._waiting else None

    def message(self, group: _Group) -> bytes:
        """What a worker is told of a group."""
        return encoder.encode(Group([Task.of(at, live, self._known.get(at.uri, {})) for at, live in group.jobs]))

    def put(self, item: _Came) -> None:
        """Hand on, and wait while too much is waiting already."""
        while not self._stopped.is_set():
            with suppress(Full):
                self._results.put(item, timeout=TICK_S)
                return

    def died(self, group: _Group, how: str) -> None:
        """A worker has died of a group, or amid it."""
        if self._stopped.is_set():
            return
        with self._changed:
            self._deaths += 1
            hopeless = not self._taken and self._deaths >= MOST_DEATHS
        if hopeless:
            message = f"{self._deaths} workers have died, and none has made anything: {how}."
            raise ServiceError(message, cure="See that there is memory for so many workers.")
        if end := self.failed(group, f"workers have died of it ({how})"):
            self.put(end)

    def again(self, groups: Sequence[_Group]) -> None:
        """Let workers have these, in place of one that they had."""
        with self._changed:
            self._waiting.extend(groups)
            self._open += len(groups) - 1
            self._changed.notify_all()

    def failed(self, group: _Group, why: str) -> SourceEnd | None:
        """A group came to nothing: it is tried again, then each of its sources; returns the end of a hopeless one."""
        group.tries += 1
        if group.tries < TRIES:
            self.again([group])
        elif len(group.jobs) > 1:
            self.again([_Group([job]) for job in group.jobs])
        else:
            location = group.jobs[0][0]
            reason = f"{location.uri} was not read: {TRIES} times {why}."
            return SourceEnd(location.uri, location.kind, "", "service", reason, CURE)
        return None

    # -- where the documents are taken ----------------------------------------------------------------------------

    def next(self) -> _Came:
        """What has come next; None where nothing came for a while."""
        with suppress(Empty):
            return self._results.get(timeout=TICK_S)
        return None

    def settled(self) -> None:
        """A group is done."""
        with self._changed:
            self._open -= 1
            self._taken += 1
            self._changed.notify_all()

    def is_done(self) -> bool:
        """Say whether all that was given has come."""
        with self._changed:
            return self._empty and not self._open

    def is_stuck(self) -> bool:
        """Say whether something is left to do, and nothing has come."""
        return not self.is_done() and self._results.empty()

    def stop(self) -> None:
        """Let the threads end."""
        self._stopped.set()
        with self._changed:
            self._changed.notify_all()

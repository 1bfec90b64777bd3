"""Who reads what is given: the reading processes of this one, and workers where the settings name some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rove.ingest.recipe import pool_of
from rove.load.discover import DATABASE, DATABASE_SCHEMA, Location
from rove.prepare import Recipe
from rove.registry import load_extra
from rove.sandbox.pool import Pool
from rove.settings import Settings

if TYPE_CHECKING:  # what shards are written with takes a while to load
    from rove.ingest.workers.dispatch import Workers


@dataclass(frozen=True, slots=True)
class Readers:
    """The reading processes of a base, and its workers, if any. None of them is started before it is needed."""

    pool: Pool
    workers: Workers | None = None

    @property
    def recipe(self) -> Recipe:
        """How sources are read."""
        return self.pool.recipe

    def for_many(self, locations: Sequence[Location]) -> Workers | None:
        """Return the workers, where there is more to read than goes into one shard. A database is read here."""
        files = [(at, "") for at in locations if at.kind not in {DATABASE, DATABASE_SCHEMA}]
        return self.workers if self.workers and self.workers.pay_for(files) else None

    def close(self) -> None:
        """Let the processes go, and end the workers."""
        self.pool.close()
        if self.workers:
            self.workers.close()


def readers_of(settings: Settings, model: str, *, with_chat: bool, own_embedder: bool, read_by: str = "") -> Readers:
    """Say who reads, by the settings and the embedder's fingerprint.

    `own_embedder`: the caller has handed in an embedder, which cannot be sent to a worker. `read_by`: see `recipe_of`.

    Raises:
        ConfigError: the settings are wrong, or name workers that cannot be had.
    """
    pool = pool_of(settings, model, with_chat=with_chat, read_by=read_by)
    if not settings.load.workers:
        return Readers(pool)
    workers_of = load_extra("rove.ingest.workers.dispatch:workers_of", "parquet", "The setting load.workers")
    return Readers(pool, workers_of(settings, pool, own_embedder=own_embedder))

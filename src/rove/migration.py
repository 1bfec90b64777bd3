"""Another embedder without downtime: the base is switched to it at once, and both are searched until it is whole.

The settings say the new one under [embedder], and the one before under [embedder.previous]. What is done is kept
whatever happens: the next call goes on, and so does the next writer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Unpack

import numpy as np
from sqlalchemy import func, select

from rove.argument_checks import checked
from rove.embedder_training import EmbedderTraining
from rove.enrich.vectors import embed
from rove.errors import ConfigError
from rove.events import ChunksEmbedded, Listener, ignore
from rove.ingest.two_speeds import deepen_all
from rove.models import EMBEDDERS, Embedder, passages_with_tokens
from rove.records.chunk import indexed
from rove.records.ledger import LostChunk
from rove.retrieve.stand_in import embedder_of, note_of
from rove.settings import Address, EmbedderSettings, OneEmbedderSettings, Settings, read_settings
from rove.settings.tables import AllTables
from rove.store import Vector, tables
from rove.store.catalog import Catalog
from rove.store.database import EMBEDDER
from rove.store.home import home_of
from rove.store.own_vectors import OwnText, own_vectors
from rove.store.shallow import StandInNote
from rove.store.store import Store

SAMPLED = 32
"""Passages that are embedded to say how long it takes."""


@dataclass(frozen=True, slots=True)
class MigrationEstimate:
    """What a migration comes to.

    `before`, `after`: fingerprints of embedders. `passages`: those that `after` has yet to reach, of `of` in all;
    `others`: vectors of memories and summaries, made before the switch. `seconds`: by a sample of the base's own.
    """

    before: str
    after: str
    passages: int
    of: int
    others: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Migrated:
    """What came of it: how many passages there are, and how many have the vectors of the embedder before yet.

    `lost`: what the new one refuses, and the base has let go. `settings`: what is to be changed in them, if anything.
    """

    before: str
    after: str
    passages: int
    left: int
    lost: tuple[LostChunk, ...] = ()
    settings: tuple[str, ...] = ()


class Migration:
    """A base on its way to another embedder: `estimate`, then `run`, as often as it takes."""

    def __init__(self, settings: Settings, to: str = "") -> None:
        """Find out which embedders these are; nothing is changed.

        `to`: the name of the new one, if it is not the one of the settings.

        Raises:
            ConfigError: there is no base; or it was made with an embedder that the settings do not tell of.
        """
        self._settings = settings
        self._home = home_of(settings.path)
        self._home.check_there()
        known, note = self._looked(lambda catalog: (catalog.fact(EMBEDDER), catalog.stand_in()))
        told = settings.embedder
        table = _new(told, to)
        self._after = embedder_of(table)
        self._note = note_of(table.name, self._after)
        self.began = known == self._note.model
        """Whether the base is switched already."""
        self._former: Embedder | None = None
        self._before = note if self.began and note and note.previous else None
        if not self.began:
            self._before, self._former = self._found(known)

    def _looked(self, look: Callable[[Catalog], Any]) -> Any:  # noqa: ANN401 - what `look` returns
        """Look into the catalog, whichever embedder it has."""
        catalog = Catalog(self._home.dialect())
        try:
            return look(catalog)
        finally:
            catalog.close()

    def _found(self, model: str) -> tuple[StandInNote, Embedder]:
        """Find the embedder that has this fingerprint, by what the settings tell.

        Raises:
            ConfigError: they do not tell of it.
        """
        told = self._settings.embedder
        for one in (told, told.previous, *(OneEmbedderSettings(name=name) for name in EMBEDDERS.table)):
            with suppress(ConfigError):
                if one and str((made := embedder_of(one)).fingerprint) == model:
                    return note_of(one.name, made, previous=True), made
        message = f"{self._home} was made with the embedder [{model}], of which the settings do not tell."
        raise ConfigError(message, cure="Name it, and how it is reached, under [embedder.previous].")

    @asynccontextmanager
    async def _opened(self, note: StandInNote) -> AsyncGenerator[Store]:
        settings = self._settings
        store = Store(settings.path, model=note.model, dimension=note.dimension, settings=settings.store)
        try:
            yield store
        finally:
            await store.close()

    async def estimate(self) -> MigrationEstimate:
        """Say what is to be done, and how long that takes here: some passages are embedded to know it.

        Raises:
            ServiceError: the new embedder cannot be reached.
        """
        depth, note, others, texts = await asyncio.to_thread(self._looked, _catalog_summary)
        left = depth.shallow
        if not self.began:  # what it has reached as the stand-in, or before it was replaced itself, stays
            left = depth.chunks - (depth.shallow if note and note.model == self._note.model else 0)
        others = 0 if self.began else others
        each = await _seconds_each(self._after, texts) if left + others else 0.0
        before = self._before.model if self._before else ""
        return MigrationEstimate(before, self._note.model, left, depth.chunks, others, each * (left + others))

    async def run(
        self, listener: Listener = ignore, *, deep: bool = True, until: Callable[[], bool] = lambda: False
    ) -> Migrated:
        """Switch the base to the new embedder, unless it is, and let that reach everything.

        Args:
            listener: told of `ChunksEmbedded` before the switch, and of `ChunksDeepened` after it.
            deep: without it the base is switched only: the next `run`, `add` or server goes on.
            until: asked now and then whether to stop.

        Raises:
            ServiceError: an embedder cannot be reached, or another process writes for too long; what is done is kept.
        """
        if not self.began and self._before:
            await self._switch(self._before, listener)
        async with self._opened(self._note) as store:
            await store.mend()  # an index beside the catalog is made anew
            await store.optimize()
            lost = await deepen_all(store, self._after, listener, until=until) if deep else []
            await store.optimize()
            depth = await asyncio.to_thread(store.catalog.depth)
        before = self._before.model if self._before else ""
        said = tuple(self._to_be_changed(depth.shallow))
        return Migrated(before, self._note.model, depth.chunks, depth.shallow, tuple(lost), said)

    async def _switch(self, before: StandInNote, listener: Listener) -> None:
        async with self._opened(before) as store:
            known = await asyncio.to_thread(store.catalog.stand_in)
            if self._former and known and known.model != self._note.model:  # else vectors of three would be compared
                await deepen_all(store, self._former, listener)
            vectors: dict[OwnText, Vector] = {}
            while missing := await _switch_base_embedder(store, before, self._note, vectors):
                vectors |= await _embed_own_texts(missing, self._after, listener)
        self.began = True

    def _to_be_changed(self, left: int) -> list[str]:
        told = self._settings.embedder
        lines: list[str] = []
        if _model_of(told) != self._note.model:
            lines.append(f'Write into the settings: [embedder] name = "{self._note.name}"')
        needed = left and self._before and _model_of(OneEmbedderSettings(name=self._before.name)) != self._before.model
        if needed and self._before and _model_of(told.previous) != self._before.model:
            lines.append(f'Until it is whole: [embedder.previous] name = "{self._before.name}", with what it needs')
        if not left and told.previous:
            lines.append("[embedder.previous] is no longer needed: take it out of the settings.")
        return lines


class Migrating(EmbedderTraining):
    """The call of `AsyncRove` that moves a base to another embedder, which is of no open base; and its training."""

    @staticmethod
    @checked
    async def migrate(
        location: str | Path | Address = "kb",
        *,
        to: str = "",
        deep: bool = True,
        listener: Listener = ignore,
        **settings: Unpack[AllTables],
    ) -> Migrated:
        """Let a base have another embedder, without downtime: both are searched until the new one has reached it all.

        Who has it open with the one before is told to open it again. Called again, it goes on where it was cut off.

        Args:
            location: see `open`.
            to: the name of the new embedder, if it is not the one of the settings; with that of the old one, it goes
                back.
            deep: without it the base is switched only: the next call, `add` or server goes on.
            listener: told of `ChunksEmbedded` before the switch, and of `ChunksDeepened` after it.
            settings: what wins over the file and the environment: `embedder={"name": "static"}`.

        Raises:
            ConfigError: there is no base; or it was made with an embedder that the settings do not tell of.
            ServiceError: an embedder cannot be reached, or another process writes for too long; what is done is kept.
        """
        return await Migration(read_settings(location, **settings), to).run(listener, deep=deep)


def _new(told: EmbedderSettings, to: str) -> EmbedderSettings:
    """Return the settings of the embedder of that name: as they are told, else as it comes."""
    if to in {"", told.name}:
        return told
    if told.previous and told.previous.name == to:
        return EmbedderSettings(**dict(told.previous))
    return EmbedderSettings(name=to, threads=told.threads, device=told.device)


def _model_of(one: OneEmbedderSettings | None) -> str:
    """The fingerprint of the embedder that these settings make, "" where they make none."""
    with suppress(ConfigError):
        return str(embedder_of(one).fingerprint) if one else ""
    return ""


def _catalog_summary(catalog: Catalog) -> tuple[Any, ...]:
    """How deep a base is, its stand-in, how many vectors hang on no passage, and some of its passages."""
    with catalog.database.read() as connection:
        others = len({one.text for one in own_vectors(connection)})
    return catalog.depth(), catalog.stand_in(), others, _sample_base_passages(catalog)


def _sample_base_passages(catalog: Catalog) -> list[str]:
    """Passages from all over a base."""
    c = tables.chunks.c
    query = select(c.prefix, c.text).order_by(c.seq).limit(1)
    texts: dict[str, None] = {}
    with catalog.database.read() as connection:
        first, last = connection.execute(select(func.min(c.seq), func.max(c.seq))).one()
        for at in np.linspace(first, last, SAMPLED, dtype=int).tolist() if first is not None else ():
            row = connection.execute(query.where(c.seq >= at)).one()
            texts[indexed(row.prefix, row.text)] = None
    return list(texts)


async def _seconds_each(embedder: Embedder, texts: list[str]) -> float:
    """Measure how long a text takes, once the model is loaded."""
    if not texts:
        return 0.0
    await passages_with_tokens(embedder, texts[:1])
    begun = monotonic()
    await passages_with_tokens(embedder, texts)
    return (monotonic() - begun) / len(texts)


async def _switch_base_embedder(
    store: Store, before: StandInNote, after: StandInNote, vectors: Mapping[OwnText, Vector]
) -> Collection[OwnText]:
    """See `Catalog.switch`."""
    async with store.writing():
        return await asyncio.to_thread(store.catalog.switch, before, after, vectors)


async def _embed_own_texts(texts: Collection[OwnText], embedder: Embedder, listener: Listener) -> dict[OwnText, Vector]:
    """Embed what hangs on no passage; what the embedder refuses is never found."""
    made: dict[OwnText, Vector] = {}
    for asks in (False, True):
        own = {one.text: one for one in texts if one.asks == asks}
        found = await embed(
            {text: text for text in own},
            embedder,
            progress=lambda count: listener(ChunksEmbedded(count)),
            queries=asks,
        )
        nothing: Vector = np.zeros(embedder.fingerprint.dimension, np.float32)
        made |= {one: found.vectors.get(text, nothing) for text, one in own.items()}
    return made

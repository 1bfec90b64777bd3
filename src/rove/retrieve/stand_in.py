"""The stand-in: a quick embedder that makes passages findable by meaning until the embedder itself has reached them."""

from __future__ import annotations

import asyncio
import warnings

from rove.errors import ConfigError, EmbedderWarning
from rove.models import EMBEDDERS, Embedder
from rove.models.cache import remembering
from rove.settings import EmbedderSettings, OneEmbedderSettings
from rove.store.shallow import StandInNote
from rove.store.store import Store

MISSING = (
    "The embedder before, [{model}], cannot be had: until the new one has reached them, passages are found by their "
    "words alone. Name it under [embedder.previous]."
)


class StandIn:
    """The stand-in that the settings name (`embedder.first`), and the one that a base has documents of."""

    def __init__(self, settings: EmbedderSettings) -> None:
        """Take the settings of the embedder; nothing is made before it is asked for."""
        self._settings = settings
        self._named: dict[str, Embedder] = {}
        self._made: dict[str, Embedder | None] = {}

    def wanted(self) -> tuple[Embedder, StandInNote] | None:
        """The one that new documents are given first, with what is noted of it; None where there is none.

        Raises:
            ConfigError: there is no such embedder, or it is the embedder itself.
        """
        name = self._settings.first
        if not name:
            return None
        if name == self._settings.name:
            message = f'embedder.first is "{name}", which is the embedder itself.'
            raise ConfigError(message, cure='Name a quicker one, such as "static", or leave it empty.')
        made = self._make(name)
        return made, note_of(name, made)

    def of(self, note: StandInNote) -> Embedder | None:
        """The one that has made the vectors of what is shallow; None where it cannot be had, or is another today."""
        if note.model not in self._made:
            try:
                made = self._former(note.name) if note.previous else self._make(note.name)
            except ConfigError:
                made = None
            self._made[note.model] = made if made and str(made.fingerprint) == note.model else None
            if note.previous and not self._made[note.model]:
                warnings.warn(MISSING.format(model=note.model), EmbedderWarning, stacklevel=2)
        return self._made[note.model]

    async def held(self, store: Store) -> Embedder | None:
        """See `of`: for a base as it is now."""
        note = await asyncio.to_thread(store.documents.stand_in)
        return self.of(note) if note else None

    def _make(self, name: str) -> Embedder:
        if name not in self._named:
            self._named[name] = embedder_of(self._settings.model_copy(update={"name": name, "first": ""}))
        return self._named[name]

    def _former(self, name: str) -> Embedder:
        """Make the embedder that the base had before, as the settings say, else as it comes by its name."""
        told, threads = self._settings.previous, self._settings.threads
        return embedder_of(told if told and told.name == name else OneEmbedderSettings(name=name, threads=threads))


def note_of(name: str, embedder: Embedder, *, previous: bool = False) -> StandInNote:
    """Return what a base notes of an embedder of that name."""
    return StandInNote(name, str(embedder.fingerprint), embedder.fingerprint.dimension, previous)


def embedder_of(settings: OneEmbedderSettings) -> Embedder:
    """Make the embedder that the settings name.

    Raises:
        ConfigError: there is none of that name, or its settings are wrong.
    """
    table = settings if isinstance(settings, EmbedderSettings) else EmbedderSettings(**dict(settings))
    return remembering(EMBEDDERS.get(table.name)(table))

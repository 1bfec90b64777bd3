"""The stand-in: a quick embedder that makes passages findable by meaning until the embedder itself has reached them."""

from __future__ import annotations

import asyncio

from rove.errors import ConfigError
from rove.models import EMBEDDERS, Embedder
from rove.models.cache import remembering
from rove.settings import EmbedderSettings
from rove.store.shallow import StandInNote
from rove.store.store import Store


class StandIn:
    """The stand-in that the settings name (`embedder.first`), and the one that a base has documents of."""

    def __init__(self, settings: EmbedderSettings) -> None:
        """Take the settings of the embedder; nothing is made before it is asked for."""
        self._settings = settings
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
        return made, StandInNote(name, str(made.fingerprint), made.fingerprint.dimension)

    def of(self, note: StandInNote) -> Embedder | None:
        """The one that has made the vectors of what is shallow; None where it cannot be had, or is another today."""
        if note.name not in self._made:
            try:
                self._make(note.name)
            except ConfigError:
                self._made[note.name] = None
        made = self._made[note.name]
        return made if made and str(made.fingerprint) == note.model else None

    async def held(self, store: Store) -> Embedder | None:
        """See `of`: for a base as it is now."""
        note = await asyncio.to_thread(store.documents.stand_in)
        return self.of(note) if note else None

    def _make(self, name: str) -> Embedder:
        settings = self._settings.model_copy(update={"name": name, "first": ""})
        made = self._made.get(name) or remembering(EMBEDDERS.get(name)(settings))
        self._made[name] = made
        return made

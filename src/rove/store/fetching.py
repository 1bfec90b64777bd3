"""What a search fetches of what it has found; what is gone by then is noted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import numpy as np
from numpy.typing import NDArray

from rove.records import Filter
from rove.records.filter import access_filter_of
from rove.store.catalog_view import Along
from rove.store.documents import Documents
from rove.store.judged import Judged
from rove.store.live_chunks import Found
from rove.store.resident import Resident
from rove.store.shallow import Depth
from rove.store.stale_reads import note_gone


class Fetching:
    """The part of the store that fetches chunks by their ids."""

    documents: Documents
    dimension: int
    judged: Judged
    searched: Resident

    async def depth(self, where: Filter | None = None) -> Depth:
        """How far the embedder is: of the base, or of what its access filter lets through, if it has one."""
        if access_filter := access_filter_of(where):
            return await asyncio.to_thread(self.searched.depth, access_filter)
        return await asyncio.to_thread(self.documents.depth)

    @asynccontextmanager
    async def of_one_embedder(self) -> AsyncGenerator[None]:
        """Where the block fails because the base has another embedder by now, say so in place of what it stumbled on.

        Raises:
            EmbedderMovedError: it has.
        """
        try:
            yield
        except Exception:
            await asyncio.to_thread(self.documents.check_embedder)
            raise

    async def find(self, chunk_ids: Sequence[str], along: Along = "") -> dict[str, Found]:
        """Fetch live chunks by id. See `Catalog.find`."""
        found = await asyncio.to_thread(self.documents.find, chunk_ids, along)
        note_gone(chunk_id for chunk_id in chunk_ids if chunk_id not in found)
        return found

    async def chunk_vectors(self, chunk_ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of chunks: (n, dimension) float32, in the order of the ids; zeros for one that has just gone.

        So it is for one that is damaged. Of one that is shallow it is what the embedder has made of it meanwhile, or
        zeros.
        """
        found = await asyncio.to_thread(self.documents.chunk_vectors, chunk_ids)
        if without := [chunk_id for chunk_id in chunk_ids if chunk_id not in found]:
            shallow = await asyncio.to_thread(self.judged.shallow_of, without)
            made = await asyncio.to_thread(self.judged.vectors, shallow)
            found |= {chunk_id: vector for chunk_id, vector in made.items() if len(vector) == self.dimension}
            await self._note_gone([chunk_id for chunk_id in without if chunk_id not in shallow])
        gone = np.zeros(self.dimension, np.float32)
        return np.stack([found.get(chunk_id, gone) for chunk_id in chunk_ids])

    async def chunk_tokens(self, chunk_ids: Sequence[str]) -> list[bytes]:
        """What late interaction compares of chunks, in the order of the ids; b"" for one that has none."""
        found = await asyncio.to_thread(self.documents.chunk_tokens, chunk_ids)
        if without := [chunk_id for chunk_id in chunk_ids if chunk_id not in found]:
            shallow = await asyncio.to_thread(self.judged.shallow_of, without)
            found |= await asyncio.to_thread(self.judged.tokens, shallow)
            await self._note_gone(without)
        return [found.get(chunk_id, b"") for chunk_id in chunk_ids]

    async def _note_gone(self, without: Sequence[str]) -> None:
        """Of chunks that lack something, note those that are there no longer."""
        if without:
            living = await asyncio.to_thread(self.documents.living, without)
            note_gone(chunk_id for chunk_id in without if chunk_id not in living)

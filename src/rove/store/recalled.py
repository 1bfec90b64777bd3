"""What the snapshot, or an index beside it, still knows of documents where the catalog is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from rove.errors import RoveError
from rove.settings import StoreSettings
from rove.store import INDEXES, Recalled, RecallingIndex, VectorIndex
from rove.store.embedded import NAMES
from rove.store.memory_index import MemoryIndex
from rove.store.presence import INDEX, RESIDENT
from rove.store.snapshot import newest


async def recalled(folder: Path, settings: StoreSettings) -> Mapping[str, Recalled]:
    """Return what is still known of each document of the base in `folder`, by its id, as far as it can be read."""
    by_index = await _recall_from_index(folder / INDEX, settings)
    return {**by_index, **await asyncio.to_thread(_by_snapshot, folder / RESIDENT)}


def _by_snapshot(folder: Path) -> Mapping[str, Recalled]:
    kept = newest(folder)
    if not kept:
        return {}
    index = MemoryIndex(dimension=kept.facts["dimension"])
    index.restore(kept)
    return index.recall()


async def _recall_from_index(folder: Path, settings: StoreSettings) -> Mapping[str, Recalled]:
    if settings.index in NAMES or not await asyncio.to_thread(folder.is_dir):
        return {}
    index: VectorIndex = INDEXES.get(settings.index)(folder=folder, dimension=1)
    try:
        return await index.recall() if isinstance(index, RecallingIndex) else {}
    except RoveError:
        return {}
    finally:
        await index.close()

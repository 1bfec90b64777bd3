"""A look at a base that cannot be written to: what `rove doctor` says of it, which mends nothing there."""

from __future__ import annotations

import asyncio
from pathlib import Path

from rove.errors import ServiceError
from rove.store import VectorIndex
from rove.store.catalog import Catalog
from rove.store.files import is_writable
from rove.store.health import Health, compare, damage_of
from rove.store.originals import Originals


async def look(
    catalog: Catalog, index: VectorIndex, originals: Originals, dimension: int, folder: Path, refused: ServiceError
) -> Health:
    """Say what `heal` would find in the catalog and in an index beside it, where nothing can be written.

    Raises:
        ServiceError: `refused`, which a writer was told, has another reason.
        ConfigError: the catalog itself is torn.
    """
    if await asyncio.to_thread(is_writable, folder):
        raise refused
    left = await asyncio.to_thread(damage_of, catalog, dimension)
    difference = await compare(catalog, index)
    return Health(
        chunks=await asyncio.to_thread(catalog.count),
        missing=len(difference.missing),
        extra=len(difference.extra),
        twice=len(difference.twice),
        originals=await asyncio.to_thread(originals.count),
        shallow=await asyncio.to_thread(catalog.shallow_count),
        problems=tuple(difference.problems()),
        unmended=refused.reason,
        left=left,
    )

"""Folders that are watched: when something in them has changed, and come to rest."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path, PurePath

from rove.errors import InputError
from rove.load.discover import SCHEMA_MARK, locate, spelled
from rove.registry import load
from rove.store.store import Store

REST_MS = 1_000
"""Changes that follow each other within this time are one."""


async def changes(folders: Sequence[str | Path], stop: asyncio.Event | None = None) -> AsyncIterator[int]:
    """Yield how many files have changed, each time that some have; ends when `stop` is set.

    Raises:
        InputError: one of them does not exist.
    """
    paths = [_existing(folder) for folder in folders]
    awatch: Callable[..., AsyncIterator[set[object]]] = load("watchfiles:awatch")
    async for changed in awatch(*paths, stop_event=stop, debounce=REST_MS, watch_filter=None):
        yield len(changed)


def vanished(store: Store, folders: Sequence[str | Path], ignored: Sequence[str]) -> list[str]:
    """Return the documents of files that were in these folders and are no more; blocks.

    A folder that is gone itself, empty or closed may be a disk that is not mounted just now: what was in it stays.
    """
    here = {location.uri for location in locate(folders, ignored)}
    roots = tuple(f"{spelled(os.path.abspath(folder))}{os.sep}" for folder in folders)  # noqa: PTH100 - as a link stands
    seen = tuple(root for root in roots if any(source.startswith(root) for source in here))
    held = {entry.source for entry in store.ledger.entries("live") if entry.source.startswith(seen)}
    gone = [
        source
        for source in held - here
        if source.removesuffix(SCHEMA_MARK) not in here and here.isdisjoint(map(str, PurePath(source).parents))
    ]
    return store.catalog.stale({source: () for source in gone})


def _existing(folder: str | Path) -> Path:
    path = Path(folder).expanduser()
    if not path.exists():
        message = f"{folder} does not exist."
        raise InputError(message, cure="Check the spelling.", outcome="unreadable")
    return path

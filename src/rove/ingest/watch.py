"""Folders that are watched: when something in them has changed, and come to rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from rove.errors import InputError
from rove.registry import load

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


def _existing(folder: str | Path) -> Path:
    path = Path(folder).expanduser()
    if not path.exists():
        message = f"{folder} does not exist."
        raise InputError(message, cure="Check the spelling.", outcome="unreadable")
    return path

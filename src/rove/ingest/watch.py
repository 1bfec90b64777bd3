"""Folders that are watched: when something in them has changed, and come to rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from rove.errors import InputError
from rove.load.system_files import is_of_base
from rove.registry import load

REST_MS = 1_000
"""Changes that follow each other within this time are one."""


async def changes(folders: Sequence[str | Path], base: Path, stop: asyncio.Event | None = None) -> AsyncIterator[int]:
    """Yield how many files have changed, each time that some have; ends when `stop` is set.

    The folder of the base may lie among them: what Rove itself writes there is no change.

    Raises:
        InputError: one of them does not exist.
    """
    paths = [_existing(folder) for folder in folders]
    awatch: Callable[..., AsyncIterator[set[object]]] = load("watchfiles:awatch")
    async for changed in awatch(*paths, stop_event=stop, debounce=REST_MS, watch_filter=_outside_base_filter(base)):
        yield len(changed)


def _outside_base_filter(base: Path) -> Callable[[object, str], bool]:
    own = base.resolve()

    def counts(_: object, path: str) -> bool:
        there = Path(path).resolve()
        return not there.is_relative_to(own) or not all(map(is_of_base, there.relative_to(own).parts[:1]))

    return counts


def _existing(folder: str | Path) -> Path:
    path = Path(folder).expanduser()
    if not path.exists():
        message = f"{folder} does not exist."
        raise InputError(message, cure="Check the spelling.", outcome="unreadable")
    return path

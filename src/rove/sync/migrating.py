"""The blocking face of `rove.migration`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from rove.events import Listener, ignore
from rove.migration import Migrated, Migration
from rove.settings import Address, read_settings


def migrate(
    location: str | Path | Address = "kb",
    *,
    to: str = "",
    deep: bool = True,
    listener: Listener = ignore,
    **settings: object,
) -> Migrated:
    """Let a base have another embedder, without downtime. See `rove.migration.Migration.run`.

    Args:
        location: see `Rove.open`.
        to: the name of the new embedder, if it is not the one of the settings.
        deep: without it the base is switched only: the next call, `add` or server goes on.
        listener: told of each step.
        settings: what wins over the file and the environment: `embedder={"name": "static"}`.

    Raises:
        ConfigError: there is no base; or it was made with an embedder that the settings do not tell of.
        ServiceError: an embedder cannot be reached, or another process writes for too long; what is done is kept.
    """
    return asyncio.run(Migration(read_settings(location, **settings), to).run(listener, deep=deep))

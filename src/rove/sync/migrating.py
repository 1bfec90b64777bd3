"""The blocking face of `rove.migration`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from rove.events import Listener, ignore
from rove.migration import Migrated
from rove.migration import Migrating as AsyncMigrating
from rove.settings import Address


class Migrating:
    """The call of `Rove` that moves a base to another embedder; it is of no open base."""

    @staticmethod
    def migrate(
        location: str | Path | Address = "kb",
        *,
        to: str = "",
        deep: bool = True,
        listener: Listener = ignore,
        **settings: object,
    ) -> Migrated:
        """See `AsyncRove.migrate`."""
        moving = AsyncMigrating.migrate(location, to=to, deep=deep, listener=listener, **settings)
        return asyncio.run(moving)

"""The blocking face of `rove.migration`."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from rove.argument_checks import checked
from rove.engine import AsyncRove
from rove.events import Listener, ignore
from rove.migration import Migrated
from rove.migration import Migrating as AsyncMigrating
from rove.settings import Address
from rove.settings.tables import AllTables
from rove.sync.docstrings import explained_by
from rove.sync.run_apart import run_apart


@explained_by(AsyncRove)
class Migrating:
    """The call of `Rove` that moves a base to another embedder; it is of no open base."""

    @staticmethod
    @checked
    def migrate(
        location: str | Path | Address = "kb",
        *,
        to: str = "",
        deep: bool = True,
        listener: Listener = ignore,
        **settings: Unpack[AllTables],
    ) -> Migrated:
        """See `AsyncRove.migrate`."""
        moving = AsyncMigrating.migrate(location, to=to, deep=deep, listener=listener, **settings)
        return run_apart(moving)

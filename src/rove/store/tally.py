"""What the servers of a base count together: how often somebody came, and how many places somebody has taken."""

from __future__ import annotations

from typing import Protocol


class Tally(Protocol):
    """Counts what each server has let pass by its own count already, for all servers. Names are of any form.

    Each method raises `ServiceError` where it cannot be asked.
    """

    async def take(self, name: str, per_minute: int) -> float:
        """Take one of so many a minute: 0.0, or in how many seconds there is one."""
        ...

    async def is_full(self, name: str, at_once: int) -> bool:
        """Say whether all places of a name are taken."""
        ...

    async def enter(self, name: str, at_once: int) -> bool:
        """Take a place, which `leave` gives back, and the end of this server too; False where there is none."""
        ...

    def leave(self, name: str) -> None:
        """Give a place back, soon."""
        ...


class OwnTally:
    """One server is all servers, and its own count is enough: everything passes. See `Tally`."""

    async def take(self, name: str, per_minute: int) -> float:
        """Let pass."""
        del name, per_minute
        return 0.0

    async def is_full(self, name: str, at_once: int) -> bool:
        """Have room."""
        del name, at_once
        return False

    async def enter(self, name: str, at_once: int) -> bool:
        """Let in."""
        del name, at_once
        return True

    def leave(self, name: str) -> None:
        """Count nothing."""

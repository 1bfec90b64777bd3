"""The servers of a base: they know which of them are alive, and do together what one cannot do alone."""

from __future__ import annotations

from typing import Protocol

from rove.store.incoming import Incoming
from rove.store.tally import OwnTally, Tally
from rove.store.walk_holds import OwnHolds, WalkHolds


class Team(Protocol):
    """The servers of a base, as one of them sees them."""

    @property
    def tally(self) -> Tally:
        """What they count together."""
        ...

    @property
    def holds(self) -> WalkHolds:
        """Which of them has which walk."""
        ...

    @property
    def incoming(self) -> Incoming | None:
        """What they have acknowledged and not taken in yet; None where it stays with the only one there is."""
        ...

    async def start(self) -> None:
        """Join: from now on this server is alive to the others. Where it cannot, it is on its own, and says so."""
        ...

    async def close(self) -> None:
        """Leave."""
        ...


class Alone:
    """The only server of a base in a folder. See `Team`."""

    def __init__(self) -> None:
        """Nothing is asked of anybody."""
        self.tally = OwnTally()
        self.holds = OwnHolds()
        self.incoming = None

    async def start(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""

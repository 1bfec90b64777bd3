"""Which server has which walk, and what others ask of it: so that a walk goes at one place, whoever is asked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Command:
    """Something that another server asks of a walk; `edit` is an event's text, or ""."""

    number: int
    walk_id: str
    action: str
    edit: str


class WalkHolds(Protocol):
    """Walks are held by one server at a time, until it lets go or ends. Raises `ServiceError` where it cannot be asked.

    `is_shared`: whether others can have them. What is posted to who holds a walk is carried out once, or not at all.
    """

    @property
    def is_shared(self) -> bool:
        """See the class."""
        ...

    async def hold(self, walk_id: str) -> bool:
        """Take a walk; False where it is held, by this server too."""
        ...

    async def let_go(self, walk_id: str) -> None:
        """Let others have it."""
        ...

    async def post(self, walk_id: str, action: str, edit: str) -> int:
        """Ask something of who holds a walk; returns the number to look for its outcome by."""
        ...

    async def withdraw(self, number: int) -> bool:
        """Take back what was posted; False where who holds the walk has taken it up."""
        ...

    async def outcome(self, number: int) -> str | None:
        """What came of it; None as long as it is not known. It is told once."""
        ...

    async def taken(self, walk_ids: Collection[str]) -> list[Command]:
        """Take up what was posted to these walks."""
        ...

    async def answer(self, number: int, outcome: str) -> None:
        """Say what came of it."""
        ...


class OwnHolds:
    """One server has all walks, and knows itself which. See `WalkHolds`."""

    is_shared = False

    async def hold(self, walk_id: str) -> bool:
        """Take it."""
        del walk_id
        return True

    async def let_go(self, walk_id: str) -> None:
        """Do nothing."""

    async def post(self, walk_id: str, action: str, edit: str) -> int:
        """Post nothing."""
        del walk_id, action, edit
        return 0

    async def withdraw(self, number: int) -> bool:
        """Nobody has taken anything up."""
        del number
        return True

    async def outcome(self, number: int) -> str | None:
        """Know nothing."""
        del number

    async def taken(self, walk_ids: Collection[str]) -> list[Command]:
        """Take up nothing."""
        del walk_ids
        return []

    async def answer(self, number: int, outcome: str) -> None:
        """Do nothing."""

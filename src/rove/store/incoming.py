"""What the servers of a base have acknowledged and not taken in yet, where one takes over from another."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol


class Incoming(Protocol):
    """Jobs, each with the server that has it. Each method raises `ServiceError` where it cannot be asked."""

    async def put(self, job_id: str, caller: str, order: bytes, files: Mapping[str, Path]) -> None:
        """Keep a job that this server has; once this returns it is not lost. Else nothing of it is kept."""
        ...

    async def taken_over(self) -> list[tuple[str, str]]:
        """Take over jobs of servers that have ended, the oldest first; returns their ids and callers."""
        ...

    async def is_ours(self, job_id: str) -> bool:
        """Say whether this server has a job still, and it is not done."""
        ...

    async def count(self, caller: str) -> int:
        """How many jobs of a caller's wait, at all servers."""
        ...

    async def read(self, job_id: str, folder: Path) -> bytes:
        """Write a job's files to a folder; returns its order."""
        ...

    async def done(self, job_id: str) -> None:
        """Take a job off."""
        ...

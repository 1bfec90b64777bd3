"""A tool that does not come back, as a source of the settings names it."""

from __future__ import annotations

import asyncio


async def disk_space(host: str, minutes: int = 60) -> str:
    """Return how full the volume of a storage host is, far too late.

    Args:
        host: Name of the storage host.
        minutes: Over how many minutes.
    """
    await asyncio.sleep(60)
    return host

"""Work that is under way, and whoever wants to know how far it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Self


@dataclass(slots=True, kw_only=True)
class Watched:
    """Something that changes until it is `over`."""

    _changed: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    @property
    def over(self) -> bool:
        """Whether nothing of it will change any more."""
        raise NotImplementedError

    def changed(self) -> None:
        """Wake those who watch."""
        before, self._changed = self._changed, asyncio.Event()
        before.set()

    async def watch(self) -> AsyncGenerator[Self]:
        """Yield it at once, and again after each change; how it ended is always the last that is seen."""
        while True:
            waiting, over = self._changed, self.over
            yield self
            if over:  # as it was when it was seen: it may have ended since
                return
            await waiting.wait()

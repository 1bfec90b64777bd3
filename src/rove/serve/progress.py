"""Progress of work under way, for whoever watches it."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

EVERY_S = 0.2
"""Whoever watches is told at most so often, whatever happens; of the end at once."""


@dataclass(slots=True, kw_only=True)
class Progress(ABC):
    """Something that changes until it is `over`."""

    _changed: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    _ended: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    @property
    @abstractmethod
    def over(self) -> bool:
        """Whether nothing of it will change any more."""

    def changed(self) -> None:
        """Wake those who watch."""
        before, self._changed = self._changed, asyncio.Event()
        before.set()
        if self.over:
            self._ended.set()

    async def watch(self) -> AsyncGenerator[Self]:
        """Yield it at once, and again after changes, at most every `EVERY_S`; how it ended is always seen last."""
        while True:
            waiting, over = self._changed, self.over
            yield self
            if over:  # as it was when it was seen: it may have ended since
                return
            await waiting.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(EVERY_S):
                    await self._ended.wait()

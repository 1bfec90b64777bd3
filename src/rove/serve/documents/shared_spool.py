"""The spool of a server that is one of several: what it acknowledges is in the base, where another finds it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

from rove.serve.documents.spool import JOB, Draft, Item, Order, Spool, Spooled
from rove.store.incoming import Incoming


class SharedSpool(Spool):
    """See `Spool`. The folders are this process's working copies, and go with it: they have no `job.json`."""

    def __init__(self, base: Path, incoming: Incoming) -> None:
        super().__init__(base)
        self._incoming = incoming
        self._orders: dict[str, Order] = {}

    async def keep(self, draft: Draft, caller: str, items: Sequence[Item]) -> Spooled:
        """See `Spool.keep`: into the base."""
        order = Order(draft.folder.name, caller, tuple(items))
        files = {item.file: draft.folder / item.file for item in items if item.file}
        await self._incoming.put(order.job_id, caller, msgspec.json.encode(order), files)
        self._orders[order.job_id] = order
        return Spooled(draft.folder, caller)

    async def items(self, spooled: Spooled) -> tuple[Item, ...]:
        """See `Spool.items`: of a job that was taken over, from the base."""
        if spooled.job_id not in self._orders and not (spooled.folder / JOB).is_file():
            await asyncio.to_thread(self._make_folder, spooled.folder)
            text = await self._incoming.read(spooled.job_id, spooled.folder)
            self._orders[spooled.job_id] = msgspec.json.decode(text, type=Order)
        order = self._orders.get(spooled.job_id)
        return order.items if order else await super().items(spooled)

    async def finish(self, spooled: Spooled) -> None:
        """See `Spool.finish`: off the base, too."""
        await self._incoming.done(spooled.job_id)
        await self.drop(spooled)

    async def drop(self, spooled: Spooled) -> None:
        """See `Spool.drop`."""
        self._orders.pop(spooled.job_id, None)
        await super().drop(spooled)

    async def is_ours(self, spooled: Spooled) -> bool:
        """See `Spool.is_ours`."""
        left_on_disk = (spooled.folder / JOB).is_file()
        return left_on_disk or await self._incoming.is_ours(spooled.job_id)

    async def taken_over(self) -> list[Spooled]:
        """See `Spool.taken_over`."""
        found = await self._incoming.taken_over()
        return [Spooled(self._own / job_id, caller) for job_id, caller in found]

    async def waiting_elsewhere(self, caller: str) -> int:
        """See `Spool.waiting_elsewhere`."""
        return await self._incoming.count(caller)

    def _make_folder(self, folder: Path) -> None:
        self._hold()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)

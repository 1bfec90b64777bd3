"""The part of a job that reads again what is in the base."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rove.engine import AsyncRove
from rove.events import Listener
from rove.recut import recut
from rove.serve.documents.spool import Item


async def read_again(kb: AsyncRove, items: Sequence[Item], listener: Listener) -> None:
    """Let what is to be read again not pass as unchanged, and cut anew of what only the text is there."""
    again = [item for item in items if item.again]
    if again:
        await asyncio.to_thread(kb.store.ledger.forget_read, [item.uri for item in again if not item.is_cut_only])
        await recut(kb, [item.document_id for item in again if item.is_cut_only], listener)

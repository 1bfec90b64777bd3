"""Erasing documents: from the base, and from all that quotes them, conversations, walks and runs of flows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rove.conversation.erasure import erase_from_conversations
from rove.errors import InputError
from rove.store.flow_log import FlowLog
from rove.store.store import Store
from rove.store.walk_log import WalkLog
from rove.walk.erasure import erase_from_walks

ERASE_NOW = "now"
"""As `--erase`: tables are written anew at once where the database would keep the bytes of what was deleted (Postgres).

That holds up who reads. A catalog in a folder overwrites them in any case.
"""


async def erase(store: Store, document_ids: Sequence[str], *, now: bool = False) -> None:
    """Erase documents by their ids alone, and the files that no other was read from.

    `now`: see `ERASE_NOW`.

    Raises:
        InputError: one is in a base that is only read; then nothing is erased.
    """
    await asyncio.to_thread(check_own, store, document_ids)
    database, erased = store.catalog.database, frozenset(document_ids)
    await asyncio.to_thread(erase_from_conversations, database, erased)
    await asyncio.to_thread(erase_from_walks, WalkLog(database), erased)
    await asyncio.to_thread(FlowLog(database).erase, document_ids)
    await store.remove(document_ids, erase=True)
    if await asyncio.to_thread(erase_from_conversations, database, erased):  # a turn was being answered
        await asyncio.to_thread(database.shrink)
    if now:
        await asyncio.to_thread(database.thin, 0)


def check_own(store: Store, document_ids: Sequence[str]) -> None:
    """See that documents are in the base that is written, and not in one that is only read with it. Blocks.

    Raises:
        InputError: one is not.
    """
    for document_id in document_ids:
        if store.documents.part_of(document_id) is not store.catalog:
            message = f"{document_id} is in another base, which is only read here."
            raise InputError(message, cure="Open that base by itself.")

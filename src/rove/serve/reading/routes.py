"""Reading a document: its blocks around a place, and where words stand in it."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query

from rove.language.block_window import Edge, window
from rove.serve.context import CallerViewIn, ServerContextIn
from rove.serve.reading.schema import BlocksOut, FindOut

router = APIRouter(prefix="/v1/spaces/{space}", tags=["documents"])
DocumentId = Annotated[str, Query(max_length=2_000)]
Offset = Annotated[int, Query(ge=0, le=10**10)]
PART = 20_000


@router.get("/blocks", response_model_exclude_defaults=True)
async def blocks(
    view: CallerViewIn,
    server: ServerContextIn,
    document_id: DocumentId,
    start: Offset = 0,
    end: Annotated[int | None, Query(ge=0, le=10**10)] = None,
    exact: Edge | None = None,
) -> BlocksOut:
    """A part of a document laid out, each block with its span; 20,000 characters without `end`.

    It is cut between blocks, or between the rows of a long table; `exact`: at this edge just where it is asked for,
    since another part lies there.
    """
    async with server.long_replies:
        info, document = await view.document(document_id)
        shown = await asyncio.to_thread(window, document.text, start, start + PART if end is None else end, exact=exact)
        return await asyncio.to_thread(BlocksOut.of, info, document, shown)


@router.get("/find")
async def find(
    view: CallerViewIn, server: ServerContextIn, document_id: DocumentId, words: Annotated[str, Query(max_length=500)]
) -> FindOut:
    """Where words stand in a document, one after the other, in any case, across line breaks and marks of markdown."""
    async with server.long_replies:
        _, document = await view.document(document_id)
        return await asyncio.to_thread(FindOut.of, document, words)

"""What administrators do: look after a base, and carry it away and back while it is served."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from io import TextIOWrapper
from tempfile import TemporaryFile
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import StreamingResponse

from rove.serve.caller_view import CallerView
from rove.serve.context import CallerViewIn, ServerContextIn
from rove.serve.documents.schema import SourceOut
from rove.serve.page import LIMIT, Cursor, Limit, page
from rove.serve.redaction import Said
from rove.serve.schema import Reply, Wire
from rove.serve.streams import BoundedStream

router = APIRouter(prefix="/v1/spaces/{space}", tags=["care"])
Word = Annotated[str, Field(max_length=200)]
PIECE_CHARS = 200_000
"""A line of an export is sent in pieces of so many characters, each once the one before it is on its way."""
StateIn = Literal["queued", "loaded", "chunked", "embedded", "indexed", "live", "failed"]


class HealthOut(Reply):
    """What was compared, what was mended, and whether the index had to be made anew; how many originals there are.

    The embedder has yet to reach `shallow` chunks; they can be found.
    """

    chunks: int
    shallow: int
    originals: int
    problems: list[Said]
    rebuilt: bool


class WordsIn(Wire):
    """Words to put in, each with other words for it, and words to take out."""

    put: dict[Word, Annotated[list[Word], Field(max_length=100)]] = Field(default={}, max_length=10_000)
    remove: list[Word] = Field(default=[], max_length=10_000)


class WordsOut(Reply):
    """The dictionary as it is now, and how many documents were analysed anew."""

    words: dict[str, list[str]]
    documents: int


class LedgerOut(Reply):
    """What became of sources, by name: of `total` that were asked for; `next_cursor` asks for what follows."""

    entries: list[SourceOut]
    next_cursor: int | None = None
    total: int = 0


class RestoredOut(Reply):
    """What came of an import. `failed` are the reasons of what did not go in."""

    documents: int
    chunks: int
    unchanged: int
    failed: list[Said]


@router.get("/words")
async def words(view: CallerViewIn, server: ServerContextIn) -> WordsOut:
    """The base's own dictionary: words, each with the other words for it."""
    async with server.long_replies:
        kept = await view.dictionary()
        return await asyncio.to_thread(lambda: WordsOut(words={word: list(kept[word]) for word in kept}, documents=0))


@router.post("/words")
async def define(wanted: WordsIn, view: CallerViewIn) -> WordsOut:
    """Put words into the base's own dictionary, and take others out; what holds one is analysed anew."""
    documents = await view.define(wanted.put, wanted.remove)
    kept = {word: list(others) for word, others in (await view.dictionary()).items()}
    return WordsOut(words=kept, documents=documents)


@router.post("/doctor")
async def doctor(view: CallerViewIn) -> HealthOut:
    """Compare catalog and index chunk by chunk, and mend the index."""
    health = await view.doctor()
    return HealthOut(
        chunks=health.chunks,
        shallow=health.shallow,
        originals=health.originals,
        problems=[*health.problems, *health.left],
        rebuilt=health.rebuilt,
    )


@router.get("/ledger")
async def ledger(
    view: CallerViewIn,
    server: ServerContextIn,
    state: Annotated[list[StateIn] | None, Query()] = None,
    cursor: Cursor = 0,
    limit: Limit = LIMIT,
) -> LedgerOut:
    """What became of every source that was handed in, or of those in these states."""
    states = tuple(state or ())
    async with server.long_replies:
        entries, following = page(await view.ledger(*states, first=cursor, most=limit + 1), cursor, limit)
        told = await asyncio.to_thread(lambda: [SourceOut.of(entry) for entry in entries])
        total = await asyncio.to_thread(view.kb.store.ledger.count, *states)
    return LedgerOut(entries=told, next_cursor=following, total=total)


@router.get("/export", response_class=StreamingResponse)
async def export(view: CallerViewIn, server: ServerContextIn) -> StreamingResponse:
    """The whole base as lines of JSON, while it is served: what `rove import` and POST /import take in."""
    view.require("admin")
    return BoundedStream(_encode_export_lines(view), server.exports, "application/x-ndjson")


@router.post("/import")
async def import_(request: Request, view: CallerViewIn) -> RestoredOut:
    """Take in what an export wrote, while the base is served."""
    view.require("admin")
    with TemporaryFile() as file:  # it has no name, and goes with this process whatever ends it
        async for piece in request.stream():
            file.write(piece)
        file.seek(0)
        with TextIOWrapper(file, "utf-8", "replace") as lines:
            report = await view.import_(lines)
    failed = [entry.reason for entry in report.failed]
    return RestoredOut(documents=report.documents, chunks=report.chunks, unchanged=report.unchanged, failed=failed)


async def _encode_export_lines(view: CallerView) -> AsyncGenerator[bytes]:
    async for line in view.export():
        whole = f"{line}\n"
        for at in range(0, len(whole), PIECE_CHARS):
            yield whole[at : at + PIECE_CHARS].encode()

"""Routes of the table of documents: their chunks and files, and what is done with many of them at once."""

from __future__ import annotations

from pathlib import PurePath
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query
from starlette.responses import FileResponse, Response

from rove.serve.context import CallerViewIn, SeenSpace, ServerContextIn
from rove.serve.documents.care import (
    ChangedOut,
    ChunkList,
    CorrectIn,
    CorrectionOut,
    ManyIn,
    ReindexIn,
    TagsIn,
    TakeBackIn,
    chunks_of,
    correct_words,
    corrections_of,
    delete_many,
    original_of,
    tag,
    take_back,
)
from rove.serve.documents.reindex import reindex as reread
from rove.serve.documents.schema import JobOut
from rove.serve.documents.upload import safe_name
from rove.serve.page import Cursor, Limit
from rove.serve.redaction import public_source

router = APIRouter(prefix="/v1/spaces/{space}", tags=["documents"])
DocumentId = Annotated[str, Query(max_length=2_000)]
SAFE = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'"}
"""A file of a client's is never a page of this server's."""


@router.get("/chunks")
async def chunks(
    view: CallerViewIn,
    server: ServerContextIn,
    document_id: DocumentId,
    cursor: Cursor = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> ChunkList:
    """The chunks of a document, in order, each with what is indexed before it."""
    async with server.long_replies:
        return await chunks_of(view, document_id, cursor, limit)


@router.get("/download", response_class=Response, responses={200: {"content": {"application/octet-stream": {}}}})
async def download(
    view: CallerViewIn, document_id: DocumentId, what: Literal["original", "text"] = "original"
) -> Response:
    """The file that a document was read from, where it is kept and still the same; or its canonical text."""
    if what == "text":
        info, document = await view.document(document_id)
        named = PurePath(safe_name(public_source(info.source))).with_suffix(".md").name
        return _set_download_headers(Response(document.text, media_type="text/markdown; charset=utf-8"), named)
    source, original = await original_of(view, document_id)
    named = safe_name(public_source(source).partition("#")[0])
    return FileResponse(original.path, media_type="application/octet-stream", filename=named, headers=SAFE)


@router.post("/documents/tags")
async def tags(wanted: TagsIn, view: CallerViewIn) -> ChangedOut:
    """Put tags on documents and take others off. They are kept when a document's file changes; filters name them."""
    return ChangedOut(documents=await tag(view, wanted))


@router.post("/documents/delete")
async def delete(wanted: ManyIn, view: CallerViewIn) -> ChangedOut:
    """Erase documents: their texts, chunks and vectors, and their bytes on disk."""
    return ChangedOut(documents=await delete_many(view, wanted.document_ids))


@router.get("/corrections")
async def corrections(
    view: CallerViewIn, server: ServerContextIn, document_id: DocumentId, cursor: Cursor = 0, limit: Limit = 1_000
) -> list[CorrectionOut]:
    """What people have corrected in a document, in the order in which they did: a page, the last if it is not full."""
    async with server.long_replies:
        return await corrections_of(view, document_id, cursor, limit)


@router.post("/corrections", status_code=204)
async def correct(wanted: CorrectIn, view: CallerViewIn) -> Response:
    """Correct words of a document: it gets a new version, and the correction is put in whenever its file is read.

    Where a changed file no longer holds its words, it is left out, and the ledger says so.
    """
    await correct_words(view, wanted)
    return Response(status_code=204)


@router.post("/corrections/take_back", status_code=204)
async def take_correction_back(wanted: TakeBackIn, view: CallerViewIn) -> Response:
    """Take a correction back: what stood before stands there again. That is a correction of its own, and listed so."""
    await take_back(view, wanted)
    return Response(status_code=204)


@router.post("/reindex", status_code=202)
async def reindex(wanted: ReindexIn, view: CallerViewIn, space: SeenSpace) -> JobOut:
    """Read documents again, as the settings say by now; what comes out as it was stays as it is.

    A file of the server's disk and a page are read where they lie, an upload from what is kept of it; where none of
    that is at hand, the document's own text is cut anew. `failed` (right `admin`): also what did not go in.
    """
    return JobOut.of(await reread(view, space.jobs, wanted.document_ids, failed=wanted.failed))


def _set_download_headers(response: Response, name: str) -> Response:
    """Let a reply be saved under a name."""
    plain = "".join(c if c.isascii() and c not in '"\\\\' else "_" for c in name)
    response.headers["Content-Disposition"] = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, '')}"
    response.headers.update(SAFE)
    return response

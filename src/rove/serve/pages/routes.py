"""Where words stand in print or in time: boxes and pages as pictures, and recordings, while the file is still there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from mimetypes import guess_type
from posixpath import dirname, join, normpath
from typing import Annotated, BinaryIO
from urllib.parse import quote, unquote

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from rove.errors import InputError
from rove.load import DRAWN, PICTURED, PLAYED
from rove.records import Document
from rove.records.moment import time_at
from rove.serve.caller_view import CallerView
from rove.serve.context import CallerViewIn
from rove.serve.pages.pictures import page_png
from rove.serve.problems import AbsentError
from rove.serve.questions.results import TimeOut
from rove.serve.schema import Reply
from rove.store.originals import Original

router = APIRouter(prefix="/v1/spaces/{space}", tags=["documents"])
DocumentId = Annotated[str, Query(max_length=2_000)]
Offset = Annotated[int, Query(ge=0, le=10**10)]
MAX_BOXES = 500
KEPT_S = 3_600
PIECE_BYTES = 1 << 18
SAFE = {"Cache-Control": "private, no-cache", "Content-Security-Policy": "sandbox; default-src 'none'"}


class BoxOut(Reply):
    """A box on a page: its edges as shares of the page's width and height, 0..1 from the upper left."""

    page: int
    left: float
    top: float
    right: float
    bottom: float


class PlacesOut(Reply):
    """Where a span stands. `page`: the first it stands on, None where the format has no pages.

    `pictures`: whether GET …/picture can draw the document's pages; `version`: of the file that they are drawn from.
    `time`: of a recording, when the span is said; `recording`: "audio" or "video" where GET …/recording has it, or "".
    Boxes of a recording are in time: `page` is the minute, and `left` and `right` are shares of it.
    """

    page: int | None
    pages: int
    pictures: bool
    version: str
    boxes: list[BoxOut]
    time: TimeOut | None = None
    recording: str = ""


@router.get("/places")
async def places(view: CallerViewIn, document_id: DocumentId, start: Offset = 0, end: Offset = 0) -> PlacesOut:
    """Where the characters from `start` to `end` of a document stand on its pages."""
    document, original = await view.original(document_id)
    boxes = document.boxes_at((start, end))[:MAX_BOXES]
    played = document.kind in PLAYED
    drawn = original if played or (document.pages and document.kind in DRAWN) else None
    whole = drawn is not None and await asyncio.to_thread(drawn.is_whole)
    return PlacesOut(
        page=document.page_at(start),
        pages=max((page.number for page in document.pages), default=0),
        pictures=whole and not played,
        version=_original_version(drawn) if drawn and whole else "",
        boxes=[BoxOut(page=b.page, left=b.left, top=b.top, right=b.right, bottom=b.bottom) for b in boxes],
        time=TimeOut.of(time_at(document, (start, end))),
        recording=document.kind if whole and played else "",
    )


@router.get("/recording", response_class=StreamingResponse, responses={200: {"content": {"audio/mpeg": {}}}})
async def recording(view: CallerViewIn, document_id: DocumentId) -> StreamingResponse:
    """The recording that a document was read from, if it has not changed since: those very bytes."""
    document, original = await view.original(document_id)
    file = await asyncio.to_thread(original.opened) if original and document.kind in PLAYED else None
    if file is None:
        message = "There is no recording of this document."
        raise AbsentError(message, cure="Read its text.")
    kind = guess_type(document.source)[0] or ""
    media = kind if kind.startswith(("audio/", "video/")) else "application/octet-stream"
    return StreamingResponse(_iter_recording_bytes(file), media_type=media, headers=SAFE)


def _iter_recording_bytes(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(PIECE_BYTES):
            yield piece


@router.get("/picture", response_class=Response, responses={200: {"content": {"image/png": {}}}, 304: {}})
async def page_picture(
    view: CallerViewIn,
    request: Request,
    document_id: DocumentId,
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    scale: Annotated[int, Query(ge=1, le=2)] = 1,
    version: Annotated[str, Query(max_length=100)] = "",
    name: Annotated[str, Query(max_length=1_000)] = "",
) -> Response:
    """A page of a PDF or an image as a picture, drawn from the file it was read from, if that has not changed since.

    With `name` a picture that stands in a document, as `target` of its block has it: in the file itself, or beside it
    if it is a document of this space too. A client keeps a picture for an hour where it names the `version` that it
    wants, as GET …/places gives it.
    """
    while True:
        document, original = await _page_holder(view, document_id, name)
        inside = name if document.kind in PICTURED else ""
        if original is None or not (inside or _has_page(document, page)):
            message = "There is no such picture." if name else "There is no picture of this page."
            raise AbsentError(message, cure="Read its text.")
        headers = _picture_cache_headers(original, page, scale, version, inside)
        if request.headers.get("If-None-Match") == headers["ETag"] and await asyncio.to_thread(original.is_whole):
            return Response(status_code=304, headers=headers)
        try:
            drawn = await page_png(original, document.kind, page, scale, name=inside)
            return Response(drawn, media_type="image/png", headers=headers)
        except AbsentError:
            if (await _page_holder(view, document_id, name))[1] == original:  # else it was replaced while it was drawn
                raise


async def _page_holder(view: CallerView, document_id: str, name: str) -> tuple[Document, Original | None]:
    """The document whose file holds a page or a picture: this one, or the picture beside it that it names."""
    document, original = await view.original(document_id)
    wanted = unquote(name)
    if "\0" in name + wanted:  # no name of a file, and no argument of a process
        return document, None
    if not name or document.kind in PICTURED:
        return document, original
    beside = normpath(join(dirname(document.source), wanted))
    try:
        found = await view.kb.named(beside, whole=True)
    except InputError:
        return document, None
    return await view.original(found[0].document_id)


def _has_page(document: Document, page: int) -> bool:
    return document.kind in DRAWN and page in {one.number for one in document.pages}


def _original_version(original: Original) -> str:
    return original.digest[:16]


def _picture_cache_headers(original: Original, page: int, scale: int, version: str, name: str) -> dict[str, str]:
    """How long a browser keeps a picture: for the one who has asked for it, with the key that was shown."""
    same = version == _original_version(original)
    return {
        "ETag": f'"{_original_version(original)}-{quote(name, safe="") or page}-{scale}"',
        "Cache-Control": f"private, max-age={KEPT_S}" if same else "private, no-cache",
        "Vary": "Authorization, Cookie",
    }

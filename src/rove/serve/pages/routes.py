"""Where words stand in print: their boxes, and the pages as pictures where the file is still there."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from rove.serve.context import CallerViewIn
from rove.serve.pages.pictures import picture
from rove.serve.problems import AbsentError
from rove.serve.schema import Reply

router = APIRouter(prefix="/v1/spaces/{space}", tags=["documents"])
DocumentId = Annotated[str, Query(max_length=2_000)]
Offset = Annotated[int, Query(ge=0, le=10**10)]
MAX_BOXES = 500


class BoxOut(Reply):
    """A box on a page: its edges as shares of the page's width and height, 0..1 from the upper left."""

    page: int
    left: float
    top: float
    right: float
    bottom: float


class PlacesOut(Reply):
    """Where a span stands. `page`: the first it stands on, None where the format has no pages.

    `pictures`: whether GET …/picture can draw the document's pages.
    """

    page: int | None
    pages: int
    pictures: bool
    boxes: list[BoxOut]


@router.get("/places")
async def places(view: CallerViewIn, document_id: DocumentId, start: Offset = 0, end: Offset = 0) -> PlacesOut:
    """Where the characters from `start` to `end` of a document stand on its pages."""
    document, original = await view.original(document_id)
    boxes = document.boxes_at((start, end))[:MAX_BOXES]
    return PlacesOut(
        page=document.page_at(start),
        pages=max((page.number for page in document.pages), default=0),
        pictures=original is not None and await asyncio.to_thread(original.is_whole),
        boxes=[BoxOut(page=b.page, left=b.left, top=b.top, right=b.right, bottom=b.bottom) for b in boxes],
    )


@router.get("/picture", response_class=Response, responses={200: {"content": {"image/png": {}}}})
async def page_picture(
    view: CallerViewIn, document_id: DocumentId, page: Annotated[int, Query(ge=1, le=100_000)] = 1
) -> Response:
    """A page of a PDF or an image as a picture, drawn from the file it was read from, if that has not changed since."""
    document, original = await view.original(document_id)
    while True:
        if original is None or page not in {one.number for one in document.pages}:
            message = "There is no picture of this page."
            raise AbsentError(message, cure="Read its text.")
        try:
            return Response(await picture(original, document.kind, page), media_type="image/png")
        except AbsentError:
            drawn = original
            document, original = await view.original(document_id)
            if original == drawn:  # else it was replaced while it was drawn
                raise

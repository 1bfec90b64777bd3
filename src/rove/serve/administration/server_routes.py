"""The server itself: is it up, which spaces there are, and its numbers."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from fastapi import APIRouter, Request
from starlette.responses import Response

from rove.errors import CatalogReplacedError, RoveError
from rove.serve.admission.callers import EVERY_SPACE
from rove.serve.admission.middleware import caller_of
from rove.serve.context import ServerContextIn
from rove.serve.redaction import Cure
from rove.serve.schema import Reply

router = APIRouter(tags=["server"])
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


MOVED, MOVED_CURE = "moved", "Name the embedder that its base has by now in the settings, under [embedder]."
REPLACED = "replaced"


class UpOut(Reply):
    """The server is up. `status`: "ok"; "moved" or "replaced" where a space answers nothing, then with a `cure`."""

    status: str = "ok"
    cure: Cure = ""


class SpacesOut(Reply):
    """The names of the spaces that the key opens, and the rights that it gives there.

    `can_make`: a folder is set in which an administrator of every space can make more.
    """

    spaces: list[str]
    rights: list[str]
    can_make: bool = False


@router.get("/health")
async def health(server: ServerContextIn, response: Response) -> UpOut:
    """Say that the server is up; this needs no key, and names no space.

    Where bases were moved to another embedder since they were opened, or their catalogs were replaced, that is said;
    with 503, if no space is left.
    """
    moved = server.spaces.moved
    if not moved:
        return UpOut()
    response.status_code = 503 if len(moved) == len(server.spaces) else 200
    replaced = next((error for error in moved.values() if isinstance(error, CatalogReplacedError)), None)
    return UpOut(status=REPLACED, cure=replaced.cure) if replaced else UpOut(status=MOVED, cure=MOVED_CURE)


@router.get("/v1/spaces")
async def spaces(request: Request, server: ServerContextIn) -> SpacesOut:
    """List the spaces of this key."""
    caller = caller_of(request.scope)
    can_make = server.spaces.folder.path is not None and "admin" in caller.rights and EVERY_SPACE in caller.spaces
    return SpacesOut(spaces=server.spaces.visible(caller), rights=sorted(caller.rights), can_make=can_make)


@router.get("/metrics", response_class=Response)
async def metrics(request: Request, server: ServerContextIn) -> Response:
    """Numbers for Prometheus: for administrators of every space."""
    caller = caller_of(request.scope)
    caller.require_every_space()
    for name in server.spaces.visible(caller):
        catalog = server.spaces.get(name, caller).kb.store.catalog
        with suppress(RoveError):  # the other numbers are told all the same
            server.journal.note_shallow(name, await asyncio.to_thread(catalog.shallow_count))
    return Response(server.journal.text(), media_type=PROMETHEUS)

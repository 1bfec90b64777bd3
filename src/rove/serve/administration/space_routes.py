"""Spaces, as administrators see and change them: what each holds, a new one, and one that goes for good."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from rove.errors import InputError
from rove.serve.admission.callers import EVERY_SPACE
from rove.serve.admission.middleware import caller_of
from rove.serve.context import CallerViewIn, SeenSpace, ServerContext, ServerContextIn
from rove.serve.schema import Reply, Wire
from rove.serve.spaces import Space

router = APIRouter(prefix="/v1/spaces", tags=["spaces"])


class SpaceNameIn(Wire):
    """What the new space is called: by letters, digits, dots, dashes and underscores."""

    name: str = Field(min_length=1, max_length=64, examples=["legal"])


class SpaceOut(Reply):
    """What a space holds, and who opens it.

    `disk_bytes`: of its folder, None where its base lives in a database of its own. `keys` are the names of the keys
    that open it. `removable`: it was made over HTTP, and can be taken away so.
    """

    name: str
    documents: int
    chunks: int
    disk_bytes: int | None
    embedder: str
    keys: list[str]
    removable: bool


@router.post("", status_code=201)
async def make(wanted: SpaceNameIn, request: Request, server: ServerContextIn) -> SpaceOut:
    """Make a space in the folder that the setting `serve.spaces_folder` names; for administrators of every space."""
    caller_of(request.scope).require_every_space()
    return await _to_space_out(await server.spaces.make(wanted.name), server)


@router.get("/{space}/about")
async def about(view: CallerViewIn, space: SeenSpace, server: ServerContextIn) -> SpaceOut:
    """What a space holds, how large it is, and which keys open it."""
    view.require("admin")
    return await _to_space_out(space, server)


@router.delete("/{space}", status_code=204)
async def remove(
    view: CallerViewIn,
    space: SeenSpace,
    server: ServerContextIn,
    confirm: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    """Take a space away that was made over HTTP, with all that it holds; `confirm`: its name, where it is not empty."""
    view.require("admin")
    named = [name for name, key in server.callers.keys.items() if space.name in key.spaces]
    if names := ", ".join(sorted([*named, *server.people.naming(space.name)])):
        message = f"Keys or people name this space: {names}."
        raise InputError(message, cure="Take it out of their spaces first.")
    if confirm != space.name and (await asyncio.to_thread(view.kb.store.catalog.size))[0]:
        message = "There are documents in this space."
        raise InputError(message, cure="Give its name as `confirm` to delete it with all of them.")
    await server.spaces.remove(space.name)
    return Response(status_code=204)


async def _to_space_out(space: Space, server: ServerContext) -> SpaceOut:
    store = space.kb.store
    documents, chunks = await asyncio.to_thread(store.catalog.size)
    keys = server.callers.keys
    return SpaceOut(
        name=space.name,
        documents=documents,
        chunks=chunks,
        disk_bytes=None if store.home.is_shared else await asyncio.to_thread(_folder_size_bytes, store.folder),
        embedder=space.kb.embedder.fingerprint.model,
        keys=sorted(name for name, key in keys.items() if EVERY_SPACE in key.spaces or space.name in key.spaces),
        removable=server.spaces.is_made(space),
    )


def _folder_size_bytes(folder: Path) -> int:
    sizes = 0
    for path in folder.rglob("*"):
        try:
            sizes += path.stat().st_size if path.is_file() else 0
        except OSError:  # it has gone meanwhile
            continue
    return sizes

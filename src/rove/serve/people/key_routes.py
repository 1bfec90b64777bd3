"""Keys for programs, as administrators of every space see, make and revoke them."""

from __future__ import annotations

import asyncio
import logging
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from rove.errors import ConfigError, InputError
from rove.serve.admission.keys import hash_key, make_key
from rove.serve.admission.middleware import caller_of
from rove.serve.context import ServerContextIn
from rove.serve.page import LIMIT, Cursor, Limit, page
from rove.serve.people.people_routes import check_name, check_spaces
from rove.serve.people.roles import SEES_ALL, SEES_ALL_CURE
from rove.serve.people.schema import KeyIn, KeyOut, KeysOut, MadeKeyOut, distinct_words
from rove.serve.problems import AbsentError
from rove.settings import KeySettings
from rove.store.made_keys import MadeKey

router = APIRouter(prefix="/v1/keys", tags=["keys"])
NOT_OURS = "This key stands in settings that this server cannot change."
NOT_OURS_CURE = "Take it out of the settings file, or out of the environment."
log = logging.getLogger("rove.serve")


@router.get("")
async def listed(request: Request, server: ServerContextIn, cursor: Cursor = 0, limit: Limit = LIMIT) -> KeysOut:
    """The keys that count."""
    caller_of(request.scope).require_every_space()
    in_file = server.callers.file_keys
    keys, following = page(sorted(server.callers.keys.items())[cursor:], cursor, limit)
    told = [KeyOut.of(name, key, in_file=name in in_file) for name, key in keys]
    return KeysOut(keys=told, next_cursor=following)


@router.post("", status_code=201)
async def make(wanted: KeyIn, request: Request, server: ServerContextIn) -> MadeKeyOut:
    """Make a key; it is told once, and counts at once."""
    caller_of(request.scope).require_every_space()
    check_name(server, wanted.name)
    check_spaces(server, wanted.spaces, wanted.labels)
    if wanted.labels is not None and "admin" in wanted.rights:
        raise InputError(SEES_ALL, cure=SEES_ALL_CURE)
    key = make_key()
    labels = None if wanted.labels is None else tuple(distinct_words(wanted.labels))
    spaces, rights = tuple(distinct_words(wanted.spaces)), tuple(distinct_words(wanted.rights))
    made = MadeKey(wanted.name, hash_key(key), spaces, rights, labels)
    async with server.people.changing():
        await asyncio.to_thread(server.people.made_keys.put, made)
    log.info("key made", extra={"key": wanted.name, "by": caller_of(request.scope).name})
    told = KeySettings.model_validate({"hash": made.hash, "spaces": spaces, "rights": rights, "labels": labels})
    return MadeKeyOut(**KeyOut.of(wanted.name, told, in_file=False).model_dump(), key=key)


@router.delete("/{name}", status_code=204)
async def revoke(
    name: Annotated[str, Path(max_length=200, description="The name of a key")],
    request: Request,
    server: ServerContextIn,
) -> Response:
    """Revoke a key; what is being done for its holder ends."""
    caller_of(request.scope).require_every_space()
    if name not in server.callers.keys:
        message = "There is no key of this name."
        raise AbsentError(message, cure="Look at the list of keys.")
    if name not in server.callers.file_keys:
        async with server.people.changing():
            await asyncio.to_thread(server.people.made_keys.remove, name)
    elif server.keyring is None:
        raise InputError(NOT_OURS, cure=NOT_OURS_CURE)
    else:
        try:
            await asyncio.to_thread(server.keyring.revoke, name)
        except (ConfigError, OSError) as error:
            raise InputError(NOT_OURS, cure=NOT_OURS_CURE) from error
        left = {other: key for other, key in server.callers.file_keys.items() if other != name}
        server.open_requests.end(server.callers.replace(left))
    log.info("key revoked", extra={"key": name, "by": caller_of(request.scope).name})
    return Response(status_code=204)

"""Settings over HTTP, for administrators of every space: read, changed, and models tried."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request

from rove.serve.administration.model_trials import tried
from rove.serve.administration.settings_schema import (
    SettingsChangedOut,
    SettingsIn,
    SettingsOut,
    TriedOut,
    TryIn,
)
from rove.serve.administration.settings_told import settings_out
from rove.serve.administration.space_settings import SpaceSettingsFile
from rove.serve.admission.middleware import caller_of
from rove.serve.context import CallerViewIn, ServerContextIn
from rove.settings.described import described_settings
from rove.settings.section import Counts

router = APIRouter(prefix="/v1/spaces/{space}/settings", tags=["settings"])


@router.get("")
async def settings(request: Request, view: CallerViewIn, server: ServerContextIn) -> SettingsOut:
    """Every setting: its value, what it does, where the value comes from, and when a change counts. No secrets."""
    caller_of(request.scope).require_every_space()
    found = await SpaceSettingsFile.read(server.spaces, view.space)
    return await asyncio.to_thread(settings_out, found)


@router.patch("")
async def change(
    wanted: SettingsIn, request: Request, view: CallerViewIn, server: ServerContextIn
) -> SettingsChangedOut:
    """Change settings in the settings file, all or none; what can count at once does."""
    caller_of(request.scope).require_every_space()
    async with server.changing_settings:
        await (await SpaceSettingsFile.read(server.spaces, view.space)).change(wanted, view.caller.name)
        after = await asyncio.to_thread(settings_out, await SpaceSettingsFile.read(server.spaces, view.space))
    return SettingsChangedOut(
        now=_counting("now", wanted),
        start=_counting("start", wanted),
        documents=_counting("documents", wanted),
        settings=after,
    )


@router.post("/try")
async def try_model(wanted: TryIn, request: Request, view: CallerViewIn, server: ServerContextIn) -> TriedOut:
    """Try the chat model, the embedder, the reranker or the judge that is set up, by one tiny request."""
    caller_of(request.scope).require_every_space()
    found, usage = await tried(view.kb, wanted.model)
    server.journal.note_usage(usage)
    return found


def _counting(when: Counts, wanted: SettingsIn) -> list[str]:
    return [name for name in wanted.values if described_settings()[name].change.counts == when]

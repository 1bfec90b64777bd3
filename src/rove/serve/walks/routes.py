"""Walks: begun, listened to, paused, edited, resumed, stopped, forked, listed, forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Response
from pydantic import JsonValue, TypeAdapter
from starlette.responses import StreamingResponse

from rove.errors import RoveError
from rove.records.walk_events import WalkEvent
from rove.serve.context import CallerViewIn, ServerContext, ServerContextIn
from rove.serve.page import LIMIT, Cursor, Limit, page
from rove.serve.problems import problem_of
from rove.serve.questions.asking import check_question
from rove.serve.streams import EVENT_STREAM, event, stream
from rove.serve.walks.live_walks import CallerWalks
from rove.serve.walks.schema import EditIn, ForkIn, ForkOut, WalkEventOut, WalkIn, WalkList, WalkOut, WalkTold

router = APIRouter(prefix="/v1/spaces/{space}/walks", tags=["walks"])
STREAMED: dict[int | str, dict[str, Any]] = {200: {"content": {EVENT_STREAM: {}}}}
fields: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


async def walking(view: CallerViewIn, server: ServerContextIn) -> CallerWalks:
    """The caller's walks in the space that the path names."""
    return CallerWalks(view, server.listened)


WalkingIn = Annotated[CallerWalks, Depends(walking)]


@router.post("", response_model=WalkEventOut, responses=STREAMED)
async def begin(wanted: WalkIn, walks: WalkingIn, server: ServerContextIn) -> StreamingResponse:
    """Walk for an answer. The reply is a stream of events; the first, `WalkStarted`, has the walk's id.

    Whoever stops listening lets the walk rest: GET …/events goes on with it.
    """
    check_question(wanted.question, server)
    budget = wanted.budget.record if wanted.budget else None
    walk = await walks.begin(wanted.question, wanted.condition, budget)
    return _stream(server, walks, walks.going(walk))


@router.get("")
async def listed(walks: WalkingIn, server: ServerContextIn, cursor: Cursor = 0, limit: Limit = LIMIT) -> WalkList:
    """The walks of this key, the latest first."""
    async with server.long_replies:
        found, following = page(await walks.listed(cursor, limit + 1), cursor, limit)
    return WalkList(walks=[WalkOut.of(info) for info in found], next_cursor=following)


@router.get("/{walk_id}")
async def told(walk_id: str, walks: WalkingIn) -> WalkTold:
    """All that a walk has told so far, without going on with it."""
    kept = await walks.events(walk_id)
    made = await asyncio.to_thread(lambda: [walks.told(one) for one in kept])
    return WalkTold(walk_id=walk_id, events=[WalkEventOut(event=name, data=data) for name, data in made])


@router.get("/{walk_id}/events", response_model=WalkEventOut, responses=STREAMED)
async def events(walk_id: str, walks: WalkingIn, server: ServerContextIn) -> StreamingResponse:
    """Listen to a walk: what it has told so far, then, unless it is paused or over, as it goes on."""
    await walks.check_free(walk_id)
    return _stream(server, walks, walks.listen(walk_id))


@router.post("/{walk_id}/edit", status_code=204)
async def edit(walk_id: str, wanted: EditIn, walks: WalkingIn) -> Response:
    """Change the question, the budget, facts or leads; a walk that was over can go on.

    Where the budget alone is changed it goes further than it would: to what the question finds next, and to all leads.
    """
    await walks.steer(walk_id, "edit", wanted.record)
    return Response(status_code=204)


@router.post("/{walk_id}/fork", status_code=201)
async def fork(walk_id: str, wanted: ForkIn, walks: WalkingIn) -> ForkOut:
    """Begin another walk that has gone the same way up to an event."""
    return ForkOut(walk_id=await walks.fork(walk_id, wanted.at))


@router.post("/{walk_id}/{action}", status_code=204)
async def steer(walk_id: str, action: Literal["pause", "resume", "stop"], walks: WalkingIn) -> Response:
    """Pause a walk, resume it, or let it come to its answer; it goes on when it is listened to."""
    await walks.steer(walk_id, action)
    return Response(status_code=204)


@router.delete("/{walk_id}", status_code=204)
async def forget(walk_id: str, walks: WalkingIn) -> Response:
    """Delete a walk; its bytes leave the disk."""
    await walks.forget(walk_id)
    return Response(status_code=204)


def _stream(server: ServerContext, walks: CallerWalks, told: AsyncGenerator[WalkEvent]) -> StreamingResponse:
    return stream(_stream_walk_events(walks, told), server, until=server.closing)


async def _stream_walk_events(walks: CallerWalks, told: AsyncGenerator[WalkEvent]) -> AsyncGenerator[bytes]:
    async with aclosing(told):
        try:
            async for one in told:
                yield await asyncio.to_thread(_encode_walk_event, walks, one)
        except RoveError as error:
            yield event("problem", problem_of(error))


def _encode_walk_event(walks: CallerWalks, one: WalkEvent) -> bytes:
    name, data = walks.told(one)
    return f"event: {name}\ndata: {fields.dump_json(data).decode()}\n\n".encode()

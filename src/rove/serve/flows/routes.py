"""Flows: listed, and run within what the caller may see; runs that are kept are listed, resumed and forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from rove.flow import FlowRun
from rove.flow.flow_events import FlowEvent, FlowListener, unheard
from rove.models.usage import metered
from rove.serve.context import CallerViewIn, ServerContext, ServerContextIn
from rove.serve.flows.caller_flows import CallerFlows
from rove.serve.flows.schema import FlowOut, FlowResumeIn, FlowRunIn, FlowRunInfoOut, FlowRunOut, FlowRunSoFarOut
from rove.serve.flows.served import event_of, run_of, run_so_far, served, served_flow, served_plans
from rove.serve.page import LIMIT, Cursor, Limit
from rove.serve.questions.asking import check_question
from rove.serve.questions.routes import STREAMED
from rove.serve.streams import Told, events, wants_events, while_connected
from rove.tools.hiding import hiding

router = APIRouter(prefix="/v1/spaces/{space}/flows", tags=["flows"])
Going = Callable[[FlowListener], Awaitable[FlowRun]]


async def own_flows(view: CallerViewIn) -> CallerFlows:
    """The caller's runs in the space that the path names."""
    return CallerFlows(view)


CallerFlowsIn = Annotated[CallerFlows, Depends(own_flows)]


@router.get("")
async def listed(view: CallerViewIn, server: ServerContextIn) -> list[FlowOut]:
    """The flows that can be run: those in the folder of the setting `serve.flows` that change nothing."""
    view.require("read")
    plans = await asyncio.to_thread(served_plans, server.settings.flows)
    return [FlowOut.of(name, plan) for name, plan in plans.items()]


@router.get("/runs")
async def runs(
    flows: CallerFlowsIn, server: ServerContextIn, cursor: Cursor = 0, limit: Limit = LIMIT
) -> list[FlowRunInfoOut]:
    """The runs of this key that are kept, the latest first: a page, the last if it is not full."""
    async with server.long_replies:
        return [FlowRunInfoOut.of(info) for info in await flows.listed(cursor, limit)]


@router.get("/runs/{run_id}")
async def run_told(run_id: str, flows: CallerFlowsIn) -> FlowRunSoFarOut:
    """How a run stands, and what each step gave, without going on with it."""
    found, withheld = await flows.so_far(run_id)
    return await asyncio.to_thread(run_so_far, found, hiding(flows.view.kb.settings.tools), withheld)


@router.post("/{name}/run", response_model=FlowRunOut, responses=STREAMED)
async def run(
    name: str, wanted: FlowRunIn, flows: CallerFlowsIn, server: ServerContextIn, request: Request
) -> Response | FlowRunOut:
    """Run a flow; with `keep` it can be resumed. As events where `stream` or the Accept header asks so."""
    flows.view.require("read")
    flow = await asyncio.to_thread(served_flow, server.settings.flows, name)
    for value in wanted.given.values():
        check_question(value if isinstance(value, str) else "", server)

    async def going(listener: FlowListener) -> FlowRun:
        return await flows.run(flow, wanted.given, where=wanted.condition, listener=listener, keep=wanted.keep)

    return await replied(server, request, going, stream=wanted.stream)


@router.post("/runs/{run_id}/resume", response_model=FlowRunOut, responses=STREAMED)
async def resume(
    run_id: str, wanted: FlowResumeIn, flows: CallerFlowsIn, server: ServerContextIn, request: Request
) -> Response | FlowRunOut:
    """Go on with a run that waits, failed or was cut off; no finished step is done again."""
    flows.view.require("read")
    offered = {flow.name: flow for flow in (await asyncio.to_thread(served, server.settings.flows)).values()}
    await flows.check(run_id, offered)
    for reply in wanted.replies.values():
        check_question(reply, server)

    async def going(listener: FlowListener) -> FlowRun:
        return await flows.resume(run_id, offered, wanted.replies, listener=listener)

    return await replied(server, request, going, stream=wanted.stream)


@router.delete("/runs/{run_id}", status_code=204)
async def forget(run_id: str, flows: CallerFlowsIn) -> Response:
    """Delete a run and all that it has kept."""
    await flows.forget(run_id)
    return Response(status_code=204)


async def replied(server: ServerContext, request: Request, going: Going, *, stream: bool) -> Response | FlowRunOut:
    """Reply with what comes of a run; as events where it is asked so."""
    if stream or wants_events(request):
        return events(_flow_run_events(server, going), server)
    return await while_connected(request, _run_metered_flow(server, going))


async def _run_metered_flow(server: ServerContext, going: Going, listener: FlowListener = unheard) -> FlowRunOut:
    with metered() as meter:
        done = await going(listener)
    server.journal.note_usage(meter.usage)
    return await asyncio.to_thread(run_of, done)


async def _flow_run_events(server: ServerContext, going: Going) -> Told:
    heard: asyncio.Queue[FlowEvent | None] = asyncio.Queue()
    task = asyncio.create_task(_run_metered_flow(server, going, heard.put_nowait))
    task.add_done_callback(lambda _: heard.put_nowait(None))
    try:
        while (event := await heard.get()) is not None:
            if told := event_of(event):
                yield told
        yield "output", await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

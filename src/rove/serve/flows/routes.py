"""Flows: listed, and run, each step within what the caller may see."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import Response

from rove.flow import Flow
from rove.flow.flow_events import FlowEvent, FlowListener, unheard
from rove.models.usage import metered
from rove.records import Filter
from rove.serve.caller_view import CallerView
from rove.serve.context import CallerViewIn, ServerContext, ServerContextIn
from rove.serve.flows.schema import FlowOut, FlowRunIn, FlowRunOut
from rove.serve.flows.served import event_of, output_of, served, served_flow
from rove.serve.questions.asking import check_question
from rove.serve.questions.routes import STREAMED
from rove.serve.streams import Told, events, wants_events, while_connected

router = APIRouter(prefix="/v1/spaces/{space}/flows", tags=["flows"])


@router.get("")
async def listed(view: CallerViewIn, server: ServerContextIn) -> list[FlowOut]:
    """The flows that can be run: those in the folder of the setting `serve.flows` that change nothing."""
    view.require("read")
    flows = await asyncio.to_thread(served, server.settings.flows)
    return [
        FlowOut(name=name, about=flow.about, input={key: spec.type for key, spec in flow.input.items()})
        for name, flow in flows.items()
    ]


@router.post("/{name}/run", response_model=FlowRunOut, responses=STREAMED)
async def run(
    name: str, wanted: FlowRunIn, view: CallerViewIn, server: ServerContextIn, request: Request
) -> Response | FlowRunOut:
    """Run a flow; nothing is kept of the run. As events where `stream` or the Accept header asks so."""
    view.require("read")
    flow = await asyncio.to_thread(served_flow, server.settings.flows, name)
    for value in wanted.given.values():
        check_question(value if isinstance(value, str) else "", server)
    if wanted.stream or wants_events(request):
        return events(_told(server, view, flow, wanted.given, wanted.condition), server)
    return await while_connected(request, _done(server, view, flow, wanted.given, wanted.condition))


async def _done(
    server: ServerContext,
    view: CallerView,
    flow: Flow,
    given: Mapping[str, object],
    where: Filter | None,
    listener: FlowListener = unheard,
) -> FlowRunOut:
    with metered() as meter:
        output = await view.flow(flow, given, where=where, listener=listener)
    server.journal.note_usage(meter.usage)
    return FlowRunOut(output=output_of(output))


async def _told(
    server: ServerContext, view: CallerView, flow: Flow, given: Mapping[str, object], where: Filter | None
) -> Told:
    heard: asyncio.Queue[FlowEvent | None] = asyncio.Queue()
    task = asyncio.create_task(_done(server, view, flow, given, where, heard.put_nowait))
    task.add_done_callback(lambda _: heard.put_nowait(None))
    try:
        while (event := await heard.get()) is not None:
            if told := event_of(event):
                yield told
        yield "output", await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

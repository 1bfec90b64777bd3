"""Flows put together over HTTP, by administrators of every space: operators, checks, tries, and files."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from rove.flow import FlowRun
from rove.flow.flow_events import FlowListener
from rove.serve.admission.middleware import caller_of
from rove.serve.context import CallerViewIn, ServerContextIn
from rove.serve.flows.editing_schema import (
    FlowCheckOut,
    FlowFilesOut,
    FlowInsertIn,
    FlowInsertOut,
    FlowRenameIn,
    FlowSourceIn,
    FlowSourceOut,
    FlowTextIn,
    FlowTryIn,
    OperatorOut,
    Version,
)
from rove.serve.flows.flow_draft import check_flow_length, drafted, right
from rove.serve.flows.flow_files import FlowFolder
from rove.serve.flows.routes import CallerFlowsIn, replied
from rove.serve.flows.schema import FlowRunOut
from rove.serve.flows.skeletons import inserted, operators
from rove.serve.questions.asking import check_question
from rove.serve.questions.routes import STREAMED

router = APIRouter(prefix="/v1/spaces/{space}/flows", tags=["flows"])


async def folder_of(request: Request, view: CallerViewIn, server: ServerContextIn) -> FlowFolder:
    """The folder of flows, for an administrator of every space, who has named a space that there is."""
    view.require("admin")
    caller_of(request.scope).require_every_space()
    return FlowFolder(server.settings.flows, closed=server.spaces.settings.settings == "none")


FlowFolderIn = Annotated[FlowFolder, Depends(folder_of)]


@router.get("/operators")
async def listed_operators(folder: FlowFolderIn) -> list[OperatorOut]:
    """What steps can use: each operator with its inputs and what it gives."""
    del folder  # asked for its rights
    return await asyncio.to_thread(operators)


@router.get("/files")
async def files(folder: FlowFolderIn) -> FlowFilesOut:
    """The files of flows, those with faults too, and the templates to begin with."""
    return await asyncio.to_thread(folder.listed)


@router.post("/check")
async def check(wanted: FlowTextIn, folder: FlowFolderIn, view: CallerViewIn) -> FlowCheckOut:
    """All that is wrong with a text, and its picture. Nothing is kept."""
    del folder
    return (await asyncio.to_thread(drafted, wanted.text, wanted.name, view.kb))[0]


@router.post("/insert")
async def insert(wanted: FlowInsertIn, folder: FlowFolderIn) -> FlowInsertOut:
    """A step of an operator as it is put into a text: its name is free, and what alone can be meant is filled in."""
    del folder
    check_flow_length(wanted.text)
    return await asyncio.to_thread(inserted, wanted.text, wanted.use, wanted.line)


@router.post("/try", response_model=FlowRunOut, responses=STREAMED)
async def try_flow(
    wanted: FlowTryIn, folder: FlowFolderIn, flows: CallerFlowsIn, server: ServerContextIn, request: Request
) -> Response | FlowRunOut:
    """Run a text that is not saved, if it is one that could be served. Nothing is kept of the run."""
    del folder
    flow = await asyncio.to_thread(right, wanted.text, "", flows.view.kb)
    for value in wanted.given.values():
        check_question(value if isinstance(value, str) else "", server)

    async def going(listener: FlowListener) -> FlowRun:
        return await flows.run(flow, wanted.given, where=wanted.condition, listener=listener, keep=False)

    return await replied(server, request, going, stream=wanted.stream)


@router.get("/{name}/source")
async def source(name: str, folder: FlowFolderIn, before: Annotated[bool, Query()] = False) -> FlowSourceOut:
    """The text of a flow's file; `before`: as it was before it was last changed, or deleted."""
    return await asyncio.to_thread(folder.source, name, before=before)


@router.put("/{name}/source")
async def save(
    name: str, wanted: FlowSourceIn, folder: FlowFolderIn, view: CallerViewIn, server: ServerContextIn
) -> FlowSourceOut:
    """Write a flow's file, whole or not at all; refused where something is wrong, or somebody was faster."""
    await asyncio.to_thread(right, wanted.text, name, view.kb)
    async with server.changing_settings:
        return await asyncio.to_thread(folder.save, name, wanted.text, wanted.version)


@router.patch("/{name}/source")
async def rename(name: str, wanted: FlowRenameIn, folder: FlowFolderIn, server: ServerContextIn) -> FlowSourceOut:
    """Call a flow's file something else."""
    async with server.changing_settings:
        return await asyncio.to_thread(folder.rename, name, wanted.name, wanted.version)


@router.delete("/{name}/source", status_code=204)
async def delete(
    name: str, folder: FlowFolderIn, server: ServerContextIn, version: Annotated[Version, Query()]
) -> Response:
    """Take a flow's file away; the text stays beside it, and can be fetched with `before`."""
    async with server.changing_settings:
        await asyncio.to_thread(folder.delete, name, version)
    return Response(status_code=204)

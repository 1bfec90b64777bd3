"""Tools: listed, found by what is wanted, planned and run."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request

from rove.errors import MAX_QUESTION_CHARS
from rove.serve.context import CallerViewIn, ServerContextIn
from rove.serve.streams import while_connected
from rove.serve.tools.running import listed, ran
from rove.serve.tools.schema import ToolRunIn, ToolRunOut, ToolsOut

router = APIRouter(prefix="/v1/spaces/{space}/tools", tags=["tools"])


@router.get("")
async def tools(
    view: CallerViewIn,
    server: ServerContextIn,
    http: Request,
    request: Annotated[str | None, Query(max_length=MAX_QUESTION_CHARS)] = None,
    cursor: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> ToolsOut:
    """The tools that the space's settings name; with a `request`, those that fit it, best first."""
    return await while_connected(http, listed(server, view, request, cursor, limit))


@router.post("/run")
async def run(wanted: ToolRunIn, view: CallerViewIn, server: ServerContextIn, http: Request) -> ToolRunOut:
    """Choose a tool for a request, fill its parameters and run it; or say what is missing, and what to ask the user."""
    return await while_connected(http, ran(server, view, wanted))

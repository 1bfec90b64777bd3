"""Evaluations: begun, watched, cancelled, listed, read, deleted; for administrators, whose keys have no labels.

An evaluation asks the whole base, and may let the chat model make questions.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from rove.serve.context import CallerViewIn, SeenSpace, ServerContextIn
from rove.serve.evaluations.folders import PAGE, REPORT
from rove.serve.evaluations.runner import Evaluations, RunningEvaluation
from rove.serve.evaluations.schema import EvaluationIn, EvaluationList, EvaluationOut, EvaluationTold, ReportOut
from rove.serve.page import LIMIT, Cursor, Limit, page
from rove.serve.streams import EVENT_STREAM, Told, events, wants_events

router = APIRouter(prefix="/v1/spaces/{space}/evaluations", tags=["evaluations"])
STREAMED: dict[int | str, dict[str, Any]] = {202: {"content": {EVENT_STREAM: {}}}}


async def evaluations(view: CallerViewIn, space: SeenSpace) -> Evaluations:
    """The evaluations of the space that the path names."""
    view.require("admin")
    return space.evaluations


EvaluationsIn = Annotated[Evaluations, Depends(evaluations)]


@router.post("", status_code=202, response_model=EvaluationOut, responses=STREAMED)
async def begin(
    wanted: EvaluationIn, request: Request, view: CallerViewIn, found: EvaluationsIn, server: ServerContextIn
) -> Response | EvaluationOut:
    """Ask the base questions with known sources, in one or several ways, and measure what is found.

    One runs at a time in each space; it goes on when nobody listens, and after a restart.
    """
    evaluation = await found.begin(wanted, view.caller.name)
    if not wants_events(request) or await server.streams.full(view.caller.name):
        return evaluation.record  # it has begun, which a refusal would not say
    response = events(_evaluation_progress_events(evaluation), server, until=server.closing)
    response.status_code = 202
    return response


@router.get("")
async def listed(
    found: EvaluationsIn, server: ServerContextIn, cursor: Cursor = 0, limit: Limit = LIMIT
) -> EvaluationList:
    """The evaluations of the base, the latest first."""
    async with server.long_replies:
        evaluations = await found.listed()
    some, following = page(evaluations[cursor:], cursor, limit)
    return EvaluationList(evaluations=[one.record for one in some], next_cursor=following)


@router.get("/{evaluation_id}")
async def told(evaluation_id: str, found: EvaluationsIn) -> EvaluationTold:
    """One evaluation, with its report if it is done."""
    evaluation = await found.get(evaluation_id)
    report = None
    if evaluation.record.state == "done":
        report = ReportOut.model_validate_json(await asyncio.to_thread(found.folders.file, evaluation_id, REPORT))
    return EvaluationTold(evaluation=evaluation.record, report=report)


@router.get("/{evaluation_id}/events", response_model=EvaluationOut)
async def watched(evaluation_id: str, found: EvaluationsIn, server: ServerContextIn) -> Response:
    """How far an evaluation is, as events `evaluation`, until it is over."""
    return events(_evaluation_progress_events(await found.get(evaluation_id)), server, until=server.closing)


@router.get("/{evaluation_id}/page", response_class=Response, responses={200: {"content": {"text/html": {}}}})
async def report_page(evaluation_id: str, found: EvaluationsIn) -> Response:
    """The report as one HTML file, to be kept and sent to others; it loads nothing."""
    html = await asyncio.to_thread(found.folders.file, evaluation_id, PAGE)
    headers = {"Content-Disposition": f'attachment; filename="evaluation-{evaluation_id}.html"'}
    return Response(html, media_type="text/html; charset=utf-8", headers=headers)


@router.post("/{evaluation_id}/cancel", status_code=204)
async def cancel(evaluation_id: str, found: EvaluationsIn) -> Response:
    """End an evaluation that runs; one that is over stays as it is."""
    await found.cancel(evaluation_id)
    return Response(status_code=204)


@router.delete("/{evaluation_id}", status_code=204)
async def delete(evaluation_id: str, found: EvaluationsIn) -> Response:
    """Delete an evaluation, its questions and its report; one that runs is cancelled."""
    await found.delete(evaluation_id)
    return Response(status_code=204)


async def _evaluation_progress_events(evaluation: RunningEvaluation) -> Told:
    async for now in evaluation.watch():
        yield "evaluation", now.record

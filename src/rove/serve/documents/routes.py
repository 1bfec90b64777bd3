"""Documents: handed in, listed, read, erased; and the jobs that take them in."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import UploadFile

from rove.document_erasure import ERASE_NOW
from rove.errors import InputError
from rove.serve.admission.middleware import caller_of
from rove.serve.caller_view import CallerView
from rove.serve.context import CallerViewIn, SeenSpace, ServerContext, ServerContextIn
from rove.serve.documents.care import list_documents
from rove.serve.documents.job import Job
from rove.serve.documents.listing import DocumentList, ListQuery
from rove.serve.documents.schema import Access, DepthOut, DocumentIn, JobOut, progress
from rove.serve.documents.texts import SummaryOut, TextOut
from rove.serve.documents.upload import take_document, take_files
from rove.serve.questions.results import DocumentOut
from rove.serve.streams import EVENT_STREAM, Told, events, wants_events

router = APIRouter(prefix="/v1/spaces/{space}", tags=["documents"])
labels = TypeAdapter(Access)
STREAMED: dict[int | str, dict[str, Any]] = {202: {"content": {EVENT_STREAM: {}}}}
MULTIPART: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {
                        "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
                        "access": {"type": "array", "items": {"type": "string"}},
                    },
                }
            }
        },
    }
}


@router.post("/uploads", status_code=202, response_model=JobOut, openapi_extra=MULTIPART, responses=STREAMED)
async def upload(request: Request, view: CallerViewIn, space: SeenSpace, server: ServerContextIn) -> Response | JobOut:
    """Hand in files (multipart, fields `files` and `access`). Once this is answered, they cannot be lost."""
    view.require("add")
    await space.jobs.check_room(view.caller.owner)
    async with request.form(max_files=server.settings.max_files, max_fields=100, max_part_size=1_000) as form:
        files = [part for part in form.getlist("files") if isinstance(part, UploadFile)]
        unknown = set(form) - {"files", "access"}
        if not files or unknown or len(files) < len(form.getlist("files")):
            message = "The form must have files in `files`, and access labels in `access`, nothing else."
            raise InputError(message, cure="See /openapi.json.")
        job = await take_files(view, space.jobs, files, _validate_access_labels(form.getlist("access")))
    return await _job_response(request, server, job)


@router.post("/documents", status_code=202, response_model=JobOut, responses=STREAMED)
async def add(
    wanted: DocumentIn, request: Request, view: CallerViewIn, space: SeenSpace, server: ServerContextIn
) -> Response | JobOut:
    """Hand in a text, or the address of a page. Once this is answered, it cannot be lost."""
    view.require("add")
    return await _job_response(request, server, await take_document(view, space.jobs, wanted))


@router.get("/jobs/{job_id}")
async def job(job_id: str, request: Request, view: CallerViewIn, space: SeenSpace) -> JobOut:
    """How far a job of this key's is."""
    return JobOut.of(await _find_caller_job(job_id, request, view, space))


@router.get("/jobs/{job_id}/events", response_model=JobOut)
async def job_events(
    job_id: str, request: Request, view: CallerViewIn, space: SeenSpace, server: ServerContextIn
) -> Response:
    """How far a job is, as events `job`, until it is done."""
    return events(
        _job_progress_events(await _find_caller_job(job_id, request, view, space)), server, until=server.closing
    )


@router.get("/documents")
async def documents(view: CallerViewIn, server: ServerContextIn, wanted: Annotated[ListQuery, Query()]) -> DocumentList:
    """List the documents, in the order they came, or as it is asked for."""
    async with server.long_replies:
        return await list_documents(view, wanted)


@router.get("/depth")
async def depth(view: CallerViewIn) -> DepthOut:
    """How many passages the embedder has yet to reach, where a base is filled at two speeds."""
    found = await view.depth()
    return DepthOut(chunks=found.chunks, shallow=found.shallow, share=found.share)


@router.get("/document")
async def document(view: CallerViewIn, document_id: Annotated[str, Query(max_length=2_000)]) -> DocumentOut:
    """One document: what it is."""
    return DocumentOut.of((await view.document(document_id))[0])


@router.get("/text")
async def text(
    view: CallerViewIn,
    server: ServerContextIn,
    document_id: Annotated[str, Query(max_length=2_000)],
    start: Annotated[int, Query(ge=0, le=10**10)] = 0,
    end: Annotated[int | None, Query(ge=0, le=10**10)] = None,
) -> TextOut:
    """The canonical text of a document, or the characters from `start` to `end`; and its sections."""
    async with server.long_replies:
        _, found = await view.document(document_id)
        size = len(found.text)
        stop = size if end is None else min(end, size)
        return await asyncio.to_thread(TextOut.of, found, (min(start, stop), stop))


@router.get("/summary")
async def summary(view: CallerViewIn, document_id: Annotated[str, Query(max_length=2_000)]) -> list[SummaryOut]:
    """What a document says in few sentences, then each of its sections; nothing before `rove enrich summaries`."""
    return [SummaryOut.of(one) for one in await view.summary(document_id)]


@router.delete("/document", status_code=204)
async def delete(
    view: CallerViewIn,
    document_id: Annotated[str, Query(max_length=2_000)],
    mentions: bool = False,
    erase: Literal["now", "later"] = "later",
) -> Response:
    """Erase a document: its text, chunks and vectors, and their bytes in the base's folder.

    Of a base in Postgres the bytes stay in the files of its tables until these are written anew: with `erase=now`
    (right `admin`: who reads waits meanwhile), or by `doctor`. The log, copies and backups of that server are its own.

    Kept questions, walks and conversations in which users name it stay, unless `mentions` (right `admin`). An
    administrator is told how many there are, in the header `Rove-Mentions`.
    """
    found = await view.delete(document_id, mentions=mentions, now=erase == ERASE_NOW)
    counts = f"questions={len(found.questions)}, walks={len(found.walks)}, conversations={len(found.conversations)}"
    headers = {"Rove-Mentions": counts} if found else None
    return Response(status_code=204, headers=headers)


async def _job_response(request: Request, server: ServerContext, queued: Job) -> Response | JobOut:
    if not wants_events(request) or await server.streams.full(caller_of(request.scope).name):
        return JobOut.of(queued)  # it is on disk, which a refusal would not say
    response = events(_job_progress_events(queued), server, until=server.closing)
    response.status_code = 202
    return response


async def _job_progress_events(watched: Job) -> Told:
    async for now in progress(watched):
        yield "job", now


async def _find_caller_job(job_id: str, request: Request, view: CallerView, space: SeenSpace) -> Job:
    view.require("add")
    caller = caller_of(request.scope)
    return await space.jobs.get(job_id, None if "admin" in caller.rights else caller.owner)


def _validate_access_labels(given: list[Any]) -> list[str]:
    try:
        return labels.validate_python(given)
    except ValidationError:
        message = "An access label has up to 64 letters, digits, dots, dashes or underscores."
        raise InputError(message, cure="Give each label as a field `access` of its own.") from None

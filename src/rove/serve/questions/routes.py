"""Searching and asking."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from rove.events import Noted
from rove.off_loop import chars_of, off_loop
from rove.serve.context import CallerViewIn, ServerContextIn
from rove.serve.questions.asking import answer_events, asked, check_question
from rove.serve.questions.databases import DatabasesOut, SqlIn, SqlOut, askable
from rove.serve.questions.graph import GraphIn, GraphOut
from rove.serve.questions.related import RelatedIn, RelatedListOut, related_of
from rove.serve.questions.results import AnswerOut, RelatedOut, ThemeOut, answer_out, hits_out
from rove.serve.questions.schema import AskIn, SearchIn, SearchOut
from rove.serve.streams import EVENT_STREAM, events, wants_events, while_connected

router = APIRouter(prefix="/v1/spaces/{space}", tags=["questions"])
STREAMED: dict[int | str, dict[str, Any]] = {200: {"content": {EVENT_STREAM: {}}}}


@router.post("/search")
async def search(wanted: SearchIn, view: CallerViewIn, server: ServerContextIn, request: Request) -> SearchOut:
    """Find passages, best first."""
    check_question(wanted.question, server)
    notes: list[str] = []
    searching = view.search(
        wanted.question,
        top_k=wanted.top_k,
        where=wanted.condition,
        mode=wanted.mode,
        rerank=wanted.rerank,
        min_score=wanted.min_score,
        listener=lambda event: notes.append(event.text) if isinstance(event, Noted) else None,
    )
    hits = await while_connected(request, searching)
    return SearchOut(hits=await hits_out(hits), notes=notes)


@router.get("/themes")
async def themes(view: CallerViewIn, request: Request, most: Annotated[int, Query(ge=1, le=50)] = 8) -> list[ThemeOut]:
    """Say what the documents that the caller may see are about: the largest theme first."""
    found = await while_connected(request, view.themes(most))
    chars = chars_of(hit.chunk.text for theme in found for hit in theme.hits)
    return await off_loop(chars, lambda: [ThemeOut.of(theme) for theme in found])


@router.post("/graph")
async def graph(wanted: GraphIn, view: CallerViewIn, request: Request) -> GraphOut:
    """Say what the documents that the caller may see say of things, and how these are related."""
    notes: list[str] = []
    exploring = view.explore(
        wanted.names,
        wanted.reach,
        documents=wanted.documents,
        chunks=wanted.chunks,
        where=wanted.condition,
        listener=lambda event: notes.append(event.text) if isinstance(event, Noted) else None,
    )
    return GraphOut.of(await while_connected(request, exploring), notes)


@router.post("/related")
async def related(wanted: RelatedIn, view: CallerViewIn, server: ServerContextIn, request: Request) -> RelatedListOut:
    """Say what else the documents say beside an answer, as questions that the base answers."""
    check_question(wanted.question, server)
    found = await while_connected(request, related_of(wanted, view))
    return RelatedListOut(related=[RelatedOut.of(one) for one in found])


@router.get("/databases")
async def databases(view: CallerViewIn, request: Request) -> DatabasesOut:
    """What can be asked for rows: the databases of the space's settings, and tables in its documents."""
    return await while_connected(request, askable(view))


@router.post("/sql")
async def sql(wanted: SqlIn, view: CallerViewIn, server: ServerContextIn, request: Request) -> SqlOut:
    """Answer a question from the rows of a database that the space's settings name, or from tables in its documents."""
    check_question(wanted.question, server)
    if wanted.tables:
        asking = view.ask_tables(wanted.question, wanted.condition, dry_run=wanted.dry_run, by_rules=wanted.by_rules)
    else:
        asking = view.ask_database(wanted.question, wanted.database, dry_run=wanted.dry_run, by_rules=wanted.by_rules)
    return SqlOut.of(await while_connected(request, asking))


@router.post("/ask", response_model=AnswerOut, responses=STREAMED)
async def ask(wanted: AskIn, view: CallerViewIn, server: ServerContextIn, request: Request) -> Response | AnswerOut:
    """Answer a question, every sentence cited to exact words; as events where `stream` or the Accept header asks so."""
    check_question(wanted.question, server)
    view.require("read")
    profile = wanted.profile if wanted.tools else None
    if wanted.tools:
        view.require_no_labels()
    if wanted.stream or wants_events(request):
        telling = answer_events(
            server, view, wanted.question, history=wanted.turns, where=wanted.condition, profile=profile
        )
        return events(telling, server)
    asking = asked(server, view, wanted.question, history=wanted.turns, where=wanted.condition, profile=profile)
    answered = await while_connected(request, asking)
    return await answer_out(answered.answer)

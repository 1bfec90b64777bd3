"""The tools that a model is given over MCP: one function each, over the views of one caller; what they return is read.

A reply is plain text and nothing beside it: programs have the routes over HTTP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from pydantic import BaseModel

from rove.errors import InputError
from rove.events import Event, Noted
from rove.language.rendering import render
from rove.off_loop import chars_of, off_loop
from rove.records import Document, DocumentInfo
from rove.records.document import Span
from rove.records.walk_events import FactFound, RoundStarted
from rove.retrieve.explore import Reach
from rove.serve.admission.callers import Caller
from rove.serve.caller_view import CallerView
from rove.serve.context import ServerContext
from rove.serve.documents.job import TAKEN_IN
from rove.serve.documents.schema import DocumentIn, JobOut, progress
from rove.serve.documents.texts import SummaryOut, TextOut
from rove.serve.documents.upload import take_document
from rove.serve.mcp.arguments import (
    MAX_READ_CHARS,
    AddTextArguments,
    AddUrlArguments,
    AskArguments,
    DatabaseArguments,
    ExploreArguments,
    FindToolsArguments,
    JobArguments,
    ListArguments,
    ReadArguments,
    RunToolArguments,
    SearchArguments,
    SummaryArguments,
    WalkArguments,
)
from rove.serve.mcp.plain_text import (
    NOTHING,
    answer_text,
    documents_text,
    facts_text,
    fields_text,
    graph_text,
    hits_text,
    job_text,
    part_as_text,
    rows_text,
    summaries_text,
)
from rove.serve.page import page
from rove.serve.questions.asking import asked, check_question
from rove.serve.questions.databases import SqlOut
from rove.serve.questions.graph import GraphOut
from rove.serve.questions.results import DocumentOut, answer_out, hits_out
from rove.serve.questions.schema import SearchOut
from rove.serve.tools.running import listed, ran
from rove.serve.tools.schema import ToolRunIn
from rove.serve.walks.live_walks import CallerWalks

FIELDS_OF = 2_000
"""So many documents are looked at for their fields."""
READ_CHARS = 8_000
"""So much of a document is read where no end is named."""
Progress = Callable[[float, float | None, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool works with: the server, who calls, and where to tell how far it is."""

    server: ServerContext
    caller: Caller
    progress: Progress

    def view(self, space: str) -> CallerView:
        """The caller's view of a space; "" is the only one that the caller has.

        Raises:
            InputError: the caller has several, and named none.
        """
        names = self.server.spaces.visible(self.caller)
        if not space and len(names) != 1:
            message = "Several spaces are open to you, and none was named."
            raise InputError(message, cure=f"Give `space`, one of: {', '.join(names)}.")
        return self.server.spaces.view(space or names[0], self.caller)


async def search(context: ToolContext, given: SearchArguments) -> str:
    """See `SearchArguments`."""
    check_question(given.question, context.server)
    notes: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Noted):
            notes.append(event.text)

    hits = await context.view(given.space).search(
        given.question, top_k=given.top_k, where=given.condition, mode="hybrid", rerank=None, listener=listen
    )
    found = SearchOut(hits=await hits_out(hits), notes=notes)
    text = await asyncio.to_thread(hits_text, given.question, found.hits, whole=given.whole)
    return "\n".join((text or NOTHING, *found.notes))


async def ask(context: ToolContext, given: AskArguments) -> str:
    """See `AskArguments`."""
    view = context.view(given.space)
    profile = given.profile if given.tools else None
    answered = await asked(
        context.server, view, given.question, history=given.turns, where=given.condition, profile=profile
    )
    return answer_text(await answer_out(answered.answer))


async def walk(context: ToolContext, given: WalkArguments) -> str:
    """See `WalkArguments`. Who does not wait for it can take the walk up over HTTP."""
    check_question(given.question, context.server)
    walks = CallerWalks(context.view(given.space), context.server.listened)
    walking = await walks.begin(given.question, given.condition, None)
    async with aclosing(walks.going(walking)) as told:
        async for event in told:
            facts = len(walking.state.facts)
            match event:
                case RoundStarted(number):
                    await context.progress(facts, None, f"Round {number}")
                case FactFound(fact):
                    shown = await off_loop(len(fact.text), render, fact.text)
                    await context.progress(facts, None, shown.line)
                case _:
                    pass
    answer = await answer_out(await walking.answered())
    texts = [fact.text for fact in walking.state.facts]
    facts = await off_loop(chars_of(texts), lambda: [render(text).line for text in texts])
    return facts_text(answer, facts, walking.walk_id)


async def list_documents(context: ToolContext, given: ListArguments) -> str:
    """See `ListArguments`."""
    view = context.view(given.space)
    async with context.server.long_replies:
        return await asyncio.to_thread(_documents_page_text, await view.documents(), given, view.access_field)


async def read_document(context: ToolContext, given: ReadArguments) -> str:
    """See `ReadArguments`. The text says which characters it is."""
    async with context.server.long_replies:
        _, document = await context.view(given.space).document(given.document_id)
        start, end = _span_to_read(document, given)
        told = TextOut.of(document, (start, min(end, start + MAX_READ_CHARS)))
        return await asyncio.to_thread(part_as_text, told)


async def explore(context: ToolContext, given: ExploreArguments) -> str:
    """See `ExploreArguments`."""
    found = await context.view(given.space).explore(given.names, Reach(depth=given.depth), where=given.condition)
    return graph_text(GraphOut.of(found, []))


async def summary(context: ToolContext, given: SummaryArguments) -> str:
    """See `SummaryArguments`."""
    found = await context.view(given.space).summary(given.document_id)
    return summaries_text([SummaryOut.of(one) for one in found])


async def ask_database(context: ToolContext, given: DatabaseArguments) -> str:
    """See `DatabaseArguments`."""
    check_question(given.question, context.server)
    view = context.view(given.space)
    if given.tables:
        return rows_text(SqlOut.of(await view.ask_tables(given.question, None, dry_run=False)))
    return rows_text(SqlOut.of(await view.ask_database(given.question, given.database, dry_run=False)))


async def find_tools(context: ToolContext, given: FindToolsArguments) -> str:
    """See `FindToolsArguments`. What it finds is structured itself, so it comes as JSON without what is empty."""
    found = await listed(context.server, context.view(given.space), given.request, 0, given.top_k)
    return found.model_dump_json(exclude_defaults=True, exclude_none=True)


async def run_tool(context: ToolContext, given: RunToolArguments) -> str:
    """See `RunToolArguments`. A model cannot confirm for its user."""
    wanted = ToolRunIn(
        request=given.request,
        tool=given.tool,
        arguments=given.arguments,
        history=given.history,
        profile=given.profile,
        dry_run=given.dry_run,
        confirm=False,
    )
    run = await ran(context.server, context.view(given.space), wanted)
    told = {"request", "text", "tries", "seconds"} if run.result is not None else {"request", "tries", "seconds"}
    return run.model_dump_json(exclude=told, exclude_defaults=True, exclude_none=True)


async def add_text(context: ToolContext, given: AddTextArguments) -> str:
    """See `AddTextArguments`. Returns once the text cannot be lost; it can be found a moment later."""
    return await _add_document_as_job(context, given.space, DocumentIn(**given.model_dump(exclude={"space"})))


async def add_url(context: ToolContext, given: AddUrlArguments) -> str:
    """See `AddUrlArguments`."""
    return await _add_document_as_job(context, given.space, DocumentIn(url=given.url, access=given.access))


async def job(context: ToolContext, given: JobArguments) -> str:
    """See `JobArguments`."""
    view = context.view(given.space)
    view.require("add")
    jobs = context.server.spaces.get(view.space, context.caller).jobs
    found = await jobs.get(given.job_id, None if "admin" in context.caller.rights else context.caller.owner)
    try:
        async with asyncio.timeout(given.seconds), aclosing(progress(found)) as told:
            async for now in told:
                await context.progress(now.ended, now.expected or None, now.state)
                if now.state in TAKEN_IN:  # the job itself may be further than what was told of it
                    break
    except TimeoutError:
        pass
    return job_text(JobOut.of(found))


async def _add_document_as_job(context: ToolContext, space: str, wanted: DocumentIn) -> str:
    view = context.view(space)
    view.require("add")
    jobs = context.server.spaces.get(view.space, context.caller).jobs
    return job_text(JobOut.of(await take_document(view, jobs, wanted)))


def _documents_page_text(every: Sequence[DocumentInfo], given: ListArguments, access_field: str) -> str:
    words = given.words.casefold().split()
    infos = [info for info in every if not words or _has_all_words(info, words)]
    some, following = page(infos[given.cursor :], given.cursor, given.limit)
    fields = fields_text(map(DocumentOut.of, infos[:FIELDS_OF]), access_field) if infos else ""
    return documents_text([DocumentOut.of(info) for info in some], following, len(infos), fields)


def _has_all_words(info: DocumentInfo, words: list[str]) -> bool:
    one = DocumentOut.of(info)
    text = f"{one.title} {one.source} {one.document_id}".casefold()
    return all(word in text for word in words)


def _span_to_read(document: Document, given: ReadArguments) -> Span:
    size = len(document.text)
    if not given.section:
        start = min(given.start, size)
        return start, max(start, min(given.start + READ_CHARS if given.end is None else given.end, size))
    wanted = given.section.casefold().strip()
    for section in document.sections:
        if section.title.casefold().strip() == wanted:
            return section.span
    message = f"The document has no section {given.section!r}."
    titles = ", ".join(repr(section.title) for section in document.sections[:20])
    raise InputError(message, cure=f"Its sections are: {titles}." if titles else "Read it without a section.")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its arguments, whose docstring says to the model what it is for, and its function."""

    arguments: type[BaseModel]
    call: Callable[..., Awaitable[str]]
    writes: bool = False
    outside: bool = False
    """Whether it asks other systems than the base."""


TOOLS = {
    "search": Tool(SearchArguments, search),
    "ask": Tool(AskArguments, ask, outside=True),
    "walk": Tool(WalkArguments, walk),
    "list_documents": Tool(ListArguments, list_documents),
    "read_document": Tool(ReadArguments, read_document),
    "explore": Tool(ExploreArguments, explore),
    "summary": Tool(SummaryArguments, summary),
    "ask_database": Tool(DatabaseArguments, ask_database),
    "find_tools": Tool(FindToolsArguments, find_tools),
    "run_tool": Tool(RunToolArguments, run_tool, outside=True),
    "job": Tool(JobArguments, job),
    "add_text": Tool(AddTextArguments, add_text, writes=True),
    "add_url": Tool(AddUrlArguments, add_url, writes=True, outside=True),
}
"""A new tool is one function and one line. Those that write are offered only where serve.mcp_add is set."""
